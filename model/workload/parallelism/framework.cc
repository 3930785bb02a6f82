// SPDX-License-Identifier: GPL-2.0-only

#include "framework.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(Framework);

TypeId
Framework::GetTypeId()
{
    static TypeId tid = TypeId("ns3::Framework").SetParent<Object>().SetGroupName("PhotonicRails");
    return tid;
}

} // namespace ns3
