// SPDX-License-Identifier: GPL-2.0-only

#include "protection-switch.h"

#include "ocs-net-device.h"

#include "ns3/abort.h"
#include "ns3/optical-fibre-link.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ProtectionSwitch);

TypeId
ProtectionSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ProtectionSwitch")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<ProtectionSwitch>()
            .AddAttribute("ProtectionTime",
                          "Time for which fibres are dark while they are switched to the spare, at "
                          "least 0.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&ProtectionSwitch::m_time),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Protected",
                            "The fibres of a rail are connected to the spare.",
                            MakeTraceSourceAccessor(&ProtectionSwitch::m_protected),
                            "ns3::ProtectionSwitch::ProtectedTracedCallback");
    return tid;
}

ProtectionSwitch::ProtectionSwitch() = default;
ProtectionSwitch::~ProtectionSwitch() = default;

void
ProtectionSwitch::DoDispose()
{
    m_fibres.clear();
    Object::DoDispose();
}

void
ProtectionSwitch::AddFibre(uint32_t rail, Ptr<OpticalCircuitSwitch> ocs, uint32_t port)
{
    auto device = ocs->GetPort(port);
    NS_ABORT_MSG_UNLESS(device && device->GetFibre(), "port " << port << " has no fibre");
    const Ptr<OpticalFibreLink> channel(device->GetFibre());
    m_fibres[rail].push_back(
        Fibre{channel, Ptr<FibreNetDevice>(channel->GetFarEnd(PeekPointer(device))), port});
}

bool
ProtectionSwitch::Protect(uint32_t rail, Callback<void> done)
{
    if ((m_rail != NONE && m_rail != rail) || m_fibres.count(rail) == 0 || m_isMoving)
    {
        return false;
    }
    if (m_rail == rail)
    {
        done();
        return true;
    }
    m_rail = rail;
    m_isMoving = true;
    for (Fibre& fibre : m_fibres[rail])
    {
        // At the switch of the rail, or at another spare that has replaced it before.
        const Ptr<FibreNetDevice> end(fibre.channel->GetFarEnd(PeekPointer(fibre.nicPort)));
        if (auto device = DynamicCast<OcsNetDevice>(end))
        {
            device->Unplug();
            fibre.channel->Replace(device, nullptr);
        }
    }
    Simulator::Schedule(m_time, &ProtectionSwitch::Finish, Ptr<ProtectionSwitch>(this), done);
    return true;
}

void
ProtectionSwitch::Finish(Callback<void> done)
{
    const auto fibres = m_fibres.find(m_rail);
    auto spare = GetObject<OpticalCircuitSwitch>();
    if (fibres == m_fibres.end() || !spare)
    {
        return; // disposed of in the meantime
    }
    m_isMoving = false;
    for (Fibre& fibre : fibres->second)
    {
        fibre.channel->Replace(nullptr, spare->GetPort(fibre.port));
    }
    m_protected(m_rail);
    done();
}

} // namespace ns3
