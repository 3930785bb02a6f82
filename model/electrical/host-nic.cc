// SPDX-License-Identifier: GPL-2.0-only

#include "host-nic.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HostNic);

TypeId
HostNic::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HostNic")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<HostNic>();
    return tid;
}

void
HostNic::SetNic(Ptr<RdmaNic> nic)
{
    m_nic = nic;
}

Ptr<RdmaNic>
HostNic::GetNic() const
{
    return m_nic;
}

void
HostNic::DoDispose()
{
    if (m_nic)
    {
        m_nic->Dispose();
        m_nic = nullptr;
    }
    Object::DoDispose();
}

} // namespace ns3
