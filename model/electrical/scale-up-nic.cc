// SPDX-License-Identifier: GPL-2.0-only

#include "scale-up-nic.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ScaleUpNic);

TypeId
ScaleUpNic::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ScaleUpNic")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<ScaleUpNic>();
    return tid;
}

void
ScaleUpNic::SetNic(Ptr<RdmaNic> nic)
{
    m_nic = nic;
}

Ptr<RdmaNic>
ScaleUpNic::GetNic() const
{
    return m_nic;
}

void
ScaleUpNic::DoDispose()
{
    if (m_nic)
    {
        m_nic->Dispose();
        m_nic = nullptr;
    }
    Object::DoDispose();
}

} // namespace ns3
