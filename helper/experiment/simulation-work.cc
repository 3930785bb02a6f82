// SPDX-License-Identifier: GPL-2.0-only

#include "simulation-work.h"

#include "ns3/job-description.h"
#include "ns3/progress-meter.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/report-value.h"
#include "ns3/training-settings.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint64_t EVENTS_OF_A_CALL = 2;
constexpr uint64_t EVENTS_OF_A_REQUEST = 10;
constexpr uint64_t EVENTS_OF_A_MESSAGE = 3;
/// Most are small, and stay in domains.
constexpr uint64_t EVENTS_OF_A_MESSAGE_ACROSS = 8;
constexpr uint64_t EVENTS_OF_A_MEETING = 8 * 2 * 5 / 2;
/// Bytes of a packet.
constexpr uint64_t PACKET = 4096;

/// @return true if a group uses the NICs of all ranks of its domains
bool
IsAcross(const RankLayout& layout, const ProcessGroup& group)
{
    const auto shape = layout.GetShape(group);
    return shape.perDomain > 1 && shape.GetDomains() > 1 && layout.IsAligned(group);
}

/// @return messages that a rank receives for an operation
uint64_t
CountMessages(const RankOperation& operation, const RankLayout& layout, const ProcessGroup& group)
{
    switch (operation.kind)
    {
    case CollectiveKind::RECV:
        return 0;
    case CollectiveKind::SEND:
        return 1;
    case CollectiveKind::ALL_TO_ALL:
        return group.GetSize() - 1;
    default:
        const auto shape = layout.GetShape(group);
        const auto algorithm = IsAcross(layout, group)
                                   ? CollectiveAlgorithm::GetDefaultAcross(operation.kind, shape)
                                   : CollectiveAlgorithm::GetDefault(operation.kind);
        return algorithm->GetReceiveLimit(operation.kind, shape);
    }
}

/// @return tiers of electrical switches between domains; 0: there are circuits
uint32_t
CountTiers(const TrainingSettings& settings)
{
    if (settings.fabric.IsPhotonic())
    {
        return 0;
    }
    const uint32_t domains =
        settings.GetAllRanks().GetWorldSize() / settings.fabric.gpusPerDomain.Get();
    const auto plan = settings.fabric.MakeClusterHelper(domains).GetPlan(
        settings.fabric.GetFabric().GetElectrical());
    uint32_t tiers = 1;
    for (const auto& one : plan.topology.switches)
    {
        tiers = std::max(tiers, one.tier);
    }
    return tiers;
}

/// @return a number for people, such as 1.5 M
std::string
AmountToText(uint64_t number)
{
    const std::pair<uint64_t, const char*> units[] = {{1000000000, " G"},
                                                      {1000000, " M"},
                                                      {1000, " k"}};
    for (const auto& [size, name] : units)
    {
        if (number >= size)
        {
            const double share = static_cast<double>(number) / static_cast<double>(size);
            return ReportValue::Fixed(share, share < 10 ? 1 : 0) + name;
        }
    }
    return std::to_string(number);
}

} // namespace

SimulationWork
SimulationWork::Estimate(const TrainingSettings& settings)
{
    const JobRanks& ranks = *settings.GetRanks(); // those that are simulated
    const uint32_t tiers = CountTiers(settings);
    const bool isLending = tiers == 0 && settings.GetPolicy()->IsLending();
    SimulationWork work;
    work.ranks = ranks.GetWorldSize();
    for (uint32_t rank = 0; rank < work.ranks; ++rank)
    {
        const auto& program = ranks.GetProgram(rank);
        for (uint32_t index = 0; index < program->GetSize(); ++index)
        {
            const RankOperation& operation = program->GetOperations()[index];
            if (operation.place != RankOperation::SCALE_OUT)
            {
                // The last operation of a run has the event.
                work.events += program->GetTimedRun(index, false).operations <= 1 ? 1 : 0;
                continue;
            }
            const bool meets = tiers > 0 && operation.dimension != Dimension::FSDP &&
                               operation.dimension != Dimension::DP;
            work.events += EVENTS_OF_A_CALL + (isLending ? EVENTS_OF_A_REQUEST : 0) +
                           (meets ? EVENTS_OF_A_MEETING : 0);
            const RankLayout& layout = ranks.GetLayout();
            const ProcessGroup& group = layout.GetGroup(rank, operation.role);
            const uint64_t messages = CountMessages(operation, layout, group);
            work.messages += messages;
            work.events += messages * (IsAcross(layout, group) ? EVENTS_OF_A_MESSAGE_ACROSS
                                                               : EVENTS_OF_A_MESSAGE);
        }
    }
    const double share = static_cast<double>(work.ranks) / settings.GetAllRanks().GetWorldSize();
    const double bytes = static_cast<double>(settings.MakeDescription().sent.rails) * share;
    const uint32_t iterations = settings.iterations.Get();
    work.events *= iterations;
    work.messages *= iterations;
    work.packets = static_cast<uint64_t>(bytes / PACKET) * iterations;
    const bool isShared = tiers > 1 || (tiers == 0 && !isLending);
    const uint64_t hops = std::max(2 * tiers, 1U); // up and down; a NIC, and all switches but one
    work.packetEvents = isShared ? std::max(work.events, work.packets * hops) : 0;
    return work;
}

double
SimulationWork::GetSeconds(uint64_t events)
{
    constexpr double secondsOfAnEvent = 3e-6;
    return static_cast<double>(events) * secondsOfAnEvent;
}

std::string
SimulationWork::ToText(uint64_t events)
{
    return AmountToText(events) + " events and " +
           ProgressMeter::DescribeWait(std::max(GetSeconds(events), 1.0));
}

std::string
SimulationWork::Describe() const
{
    return std::to_string(ranks) + " ranks, " + AmountToText(messages) + " messages, " +
           AmountToText(packets) + " packets, about " + ToText(events) +
           (packetEvents > 0
                ? " in bursts, up to about " + ToText(packetEvents) + " where flows collide"
                : "");
}

} // namespace ns3
