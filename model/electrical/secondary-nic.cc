// SPDX-License-Identifier: GPL-2.0-only

#include "secondary-nic.h"

#include "ns3/pointer.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SecondaryNic);
NS_OBJECT_ENSURE_REGISTERED(ScaleUpNic);
NS_OBJECT_ENSURE_REGISTERED(HostNic);

TypeId
SecondaryNic::GetTypeId()
{
    static TypeId tid = TypeId("ns3::SecondaryNic")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddAttribute("Nic",
                                          "The NIC, with one port.",
                                          TypeId::ATTR_GET,
                                          PointerValue(),
                                          MakePointerAccessor(&SecondaryNic::GetNic),
                                          MakePointerChecker<RdmaNic>());
    return tid;
}

void
SecondaryNic::DoDispose()
{
    if (m_nic)
    {
        m_nic->Dispose();
        m_nic = nullptr;
    }
    Object::DoDispose();
}

TypeId
ScaleUpNic::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ScaleUpNic")
                            .SetParent<SecondaryNic>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<ScaleUpNic>();
    return tid;
}

TypeId
HostNic::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HostNic")
                            .SetParent<SecondaryNic>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<HostNic>();
    return tid;
}

} // namespace ns3
