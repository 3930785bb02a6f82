// SPDX-License-Identifier: GPL-2.0-only

#include "fibre-selector.h"

#include "optical-circuit-switch.h"

#include "ns3/abort.h"
#include "ns3/optical-fibre-link.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FibreSelector);

TypeId
FibreSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FibreSelector")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<FibreSelector>()
            .AddAttribute("SelectionTime",
                          "Time for which fibres are dark during a selection, at least 0. "
                          "Opto-mechanical 1xN switches take about 10 ms; an assumption.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&FibreSelector::m_time),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Selected",
                            "The fibres are connected to a rail.",
                            MakeTraceSourceAccessor(&FibreSelector::m_selected),
                            "ns3::FibreSelector::SelectedTracedCallback");
    return tid;
}

void
FibreSelector::DoDispose()
{
    m_fibres.clear();
    Object::DoDispose();
}

void
FibreSelector::AddFibre(Ptr<OpticalFibreLink> fibre, const std::vector<Ptr<OcsNetDevice>>& branches)
{
    NS_ABORT_MSG_IF(branches.empty(), "a selector has at least one branch");
    m_fibres.push_back({fibre, branches});
}

void
FibreSelector::Select(uint32_t rail, Callback<void> done)
{
    NS_ABORT_MSG_IF(m_fibres.empty() || rail >= m_fibres.front().branches.size(),
                    "the selector has no branch to rail " << rail);
    ++m_selection;
    if (m_rail == rail && !m_isMoving)
    {
        done();
        return;
    }
    for (Fibre& fibre : m_fibres)
    {
        if (m_rail != NONE && !m_isMoving)
        {
            fibre.branches[m_rail]->Unplug();
            fibre.channel->Replace(fibre.branches[m_rail], nullptr);
        }
    }
    m_rail = rail;
    m_isMoving = true;
    Simulator::Schedule(m_time,
                        &FibreSelector::Finish,
                        Ptr<FibreSelector>(this),
                        m_selection,
                        done);
}

void
FibreSelector::Finish(uint32_t selection, Callback<void> done)
{
    if (selection != m_selection || m_fibres.empty())
    {
        return; // replaced by a later selection, or disposed of
    }
    m_isMoving = false;
    for (Fibre& fibre : m_fibres)
    {
        fibre.channel->Replace(nullptr, fibre.branches[m_rail]);
    }
    m_selected(m_rail);
    done();
}

} // namespace ns3
