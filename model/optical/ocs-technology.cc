// SPDX-License-Identifier: GPL-2.0-only

#include "ocs-technology.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OcsTechnology);

TypeId
OcsTechnology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::OcsTechnology").SetParent<Object>().SetGroupName("PhotonicRails");
    return tid;
}

} // namespace ns3
