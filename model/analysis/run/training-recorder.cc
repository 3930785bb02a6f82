// SPDX-License-Identifier: GPL-2.0-only

#include "training-recorder.h"

#include "ns3/abort.h"
#include "ns3/report-table.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace ns3
{

void
IterationLog::Add(const IterationLog& other)
{
    NS_ABORT_MSG_IF(GetSettled() > 0 || other.GetSettled() > 0, "parts of a job are not settled");
    start = std::min(start, other.start);
    ends.resize(std::min(ends.size(), other.ends.size()));
    for (std::size_t i = 0; i < ends.size(); ++i)
    {
        ends[i] = std::max(ends[i], other.ends[i]);
    }
    reconfigurations.insert(reconfigurations.end(),
                            other.reconfigurations.begin(),
                            other.reconfigurations.end());
    exposures.insert(exposures.end(), other.exposures.begin(), other.exposures.end());
}

std::size_t
IterationLog::Find(Time moment) const
{
    return std::lower_bound(ends.begin(), ends.end(), moment) - ends.begin();
}

void
IterationLog::Settle()
{
    if (ends.size() < 2)
    {
        return;
    }
    m_settled = GetIterations();
    m_settled.pop_back(); // events at its end may follow
    const Time last = ends[ends.size() - 2];
    const auto isSettled = [last](const Time& moment) { return moment <= last; };
    reconfigurations.erase(
        std::remove_if(reconfigurations.begin(), reconfigurations.end(), isSettled),
        reconfigurations.end());
    exposures.erase(
        std::remove_if(exposures.begin(),
                       exposures.end(),
                       [&](const Exposure& exposure) { return isSettled(exposure.at); }),
        exposures.end());
}

std::vector<TrainingIteration>
IterationLog::GetIterations() const
{
    std::vector<TrainingIteration> iterations = m_settled;
    for (std::size_t i = iterations.size(); i < ends.size(); ++i)
    {
        iterations.emplace_back();
        iterations[i].index = static_cast<uint32_t>(i);
        iterations[i].duration = ends[i] - (i == 0 ? start : ends[i - 1]);
    }
    for (const Time& moment : reconfigurations)
    {
        if (const auto i = Find(moment); i < iterations.size())
        {
            ++iterations[i].reconfigurations;
        }
    }
    std::map<std::pair<std::size_t, uint32_t>, Time> exposed; // by iteration and rank
    for (const auto& exposure : exposures)
    {
        exposed[{Find(exposure.at), exposure.rank}] += exposure.exposed;
    }
    for (const auto& [key, sum] : exposed)
    {
        if (key.first < iterations.size())
        {
            Time& longest = iterations[key.first].exposedReconfiguration;
            longest = std::max(longest, sum);
        }
    }
    return iterations;
}

namespace
{

/// @return a number of bytes in MiB
std::string
Mebibytes(uint64_t bytes)
{
    return ReportValue::Fixed(static_cast<double>(bytes) / (1 << 20), bytes < (1 << 20) ? 4 : 1);
}

/// @return the keys of a volume; a local object, because tables of other files use it when they are
/// initialized
const ReportTable<CollectiveVolume>&
GetVolumeTable()
{
    static const ReportTable<CollectiveVolume> table{
        {"count", "calls", &CollectiveVolume::count},
        {"input_bytes", "bytes", &CollectiveVolume::inputBytes}};
    return table;
}

/// Volumes of a kind of collective.
struct KindVolume
{
    CollectiveVolume sum;
    ReportValue::Object byDimension;
};

/// @return the keys of a kind of collective
const ReportTable<KindVolume>&
GetKindTable()
{
    static const ReportTable<KindVolume> table{
        {"count", "calls", [](const KindVolume& kind) { return kind.sum.count; }},
        {"input_bytes", "bytes", [](const KindVolume& kind) { return kind.sum.inputBytes; }},
        {"by_dimension", "", &KindVolume::byDimension},
    };
    return table;
}

} // namespace

void
CountVolume(CollectiveVolumes& volumes, const RankOperation& operation)
{
    if (operation.IsCall())
    {
        CollectiveVolume& volume = volumes[{operation.kind, operation.dimension}];
        ++volume.count;
        volume.inputBytes += operation.bytes;
    }
}

ReportValue
MakeJson(const CollectiveVolumes& volumes)
{
    std::map<CollectiveKind, KindVolume> kinds;
    for (const auto& [key, volume] : volumes)
    {
        KindVolume& kind = kinds[key.first];
        kind.sum.count += volume.count;
        kind.sum.inputBytes += volume.inputBytes;
        kind.byDimension.emplace_back(ToString(key.second), GetVolumeTable().MakeObject(volume));
    }
    ReportValue::Object json;
    for (const auto& [kind, volume] : kinds)
    {
        json.emplace_back(ToString(kind), GetKindTable().MakeObject(volume));
    }
    return json;
}

ReportKeys
ListVolumeKeys()
{
    ReportKeys keys{{"", "object", ""}};
    const auto add = [&keys](const std::string& path, const ReportKeys& more) {
        for (const auto& key : more)
        {
            keys.push_back({path + key.path, key.type, key.unit});
        }
    };
    add(".KIND", GetKindTable().ListKeys("object", "", "."));
    add(".KIND.by_dimension.DIMENSION", GetVolumeTable().ListKeys("object", "", "."));
    return keys;
}

void
WriteVolumes(std::ostream& os, const std::string& title, const CollectiveVolumes& volumes)
{
    using Row = CollectiveVolumes::value_type;
    ReportTable<Row>(
        {
            {"", "", [](const Row& row) { return ToString(row.first.first); }, {title, -26}},
            {"",
             "",
             [](const Row& row) { return ToString(row.first.second); },
             {"parallelism", -12}},
            {"", "", [](const Row& row) { return row.second.count; }, {"count", 10}},
            {"",
             "",
             [](const Row& row) { return Mebibytes(row.second.inputBytes); },
             {"input MiB", 15}},
        })
        .WriteText(os, volumes);
}

TrainingRecorder::TrainingRecorder(const RankLayout& layout, uint32_t rails)
{
    const auto shared = std::make_shared<const RankLayout>(layout);
    m_rails.reserve(rails);
    for (uint32_t rail = 0; rail < rails; ++rail)
    {
        m_rails.emplace_back(shared, rail);
    }
}

void
TrainingRecorder::SetOnRails(const RailPhases::OnRails& onRails)
{
    for (auto& rail : m_rails)
    {
        rail.SetOnRails(onRails);
    }
}

void
TrainingRecorder::SetEnded(uint32_t iterations, std::function<void()> ended)
{
    m_iterations = iterations;
    m_whenEnded = std::move(ended);
}

void
TrainingRecorder::Observe(Ptr<TrainingApplication> application)
{
    ++m_ranks;
    const bool isFirst = application->GetRank() == 0;
    m_first = isFirst ? application : m_first;
    Connect(application, isFirst);
    for (auto& rail : m_rails)
    {
        rail.Observe(application);
    }
}

void
TrainingRecorder::ObserveSpare(Ptr<TrainingApplication> application)
{
    Connect(application, true);
    for (auto& rail : m_rails)
    {
        rail.ObserveSpare(application);
    }
}

void
TrainingRecorder::Restart(uint32_t iteration)
{
    m_volumes.clear();
    for (auto& rail : m_rails)
    {
        rail.Restart(iteration);
    }
}

void
TrainingRecorder::Connect(Ptr<TrainingApplication> application, bool mayBeFirst)
{
    application->TraceConnectWithoutContext("IterationBegin",
                                            MakeCallback(&TrainingRecorder::IterationBegan, this));
    application->TraceConnectWithoutContext("IterationEnd",
                                            MakeCallback(&TrainingRecorder::IterationEnded, this));
    if (mayBeFirst)
    {
        application->TraceConnectWithoutContext(
            "CommunicationBegin",
            MakeCallback(&TrainingRecorder::CommunicationBegan, this));
    }
}

void
TrainingRecorder::IterationBegan(uint32_t rank, uint32_t iteration)
{
    m_log.start = std::min(m_log.start, Simulator::Now());
    // A recovery repeats iterations that this rank has ended.
    uint32_t& ended = m_iterationsEnded[rank];
    for (; ended > iteration; --ended)
    {
        --m_ranksEnded[ended - 1];
    }
}

void
TrainingRecorder::SetSettling(std::function<void(Time, Time)> settle)
{
    m_settle = std::move(settle);
}

void
TrainingRecorder::CountReconfiguration()
{
    m_log.reconfigurations.push_back(Simulator::Now());
}

void
TrainingRecorder::CountExposed(uint32_t rank, Time exposed)
{
    if (!exposed.IsZero())
    {
        m_log.exposures.push_back({Simulator::Now(), rank, exposed});
    }
}

void
TrainingRecorder::IterationEnded(uint32_t rank, uint32_t iteration)
{
    if (rank == 0)
    {
        // A trace of each operation would give each operation an event of its own.
        for (const RankOperation* operation : m_first->GetTimedOperations())
        {
            if (operation->IsCall())
            {
                CountVolume(iteration, *operation);
            }
        }
    }
    m_iterationsEnded[rank] = iteration + 1;
    if (iteration >= m_ranksEnded.size())
    {
        m_ranksEnded.resize(iteration + 1, 0);
    }
    if (++m_ranksEnded[iteration] == m_ranks && iteration == m_log.ends.size())
    {
        m_log.ends.push_back(Simulator::Now());
        constexpr std::size_t KEPT = 64; // iterations between two calls of Settle
        if (m_settle && m_log.ends.size() > m_log.GetSettled() + KEPT)
        {
            m_log.Settle();
            m_settle(m_log.start, m_log.ends[m_log.ends.size() - 2]);
        }
        if (m_whenEnded && m_log.ends.size() == m_iterations)
        {
            m_whenEnded();
        }
    }
}

void
TrainingRecorder::CountVolume(uint32_t iteration, const RankOperation& operation)
{
    if (iteration != m_volumesIteration)
    {
        m_volumes.clear();
        m_volumesIteration = iteration;
    }
    ns3::CountVolume(m_volumes, operation);
}

void
TrainingRecorder::CommunicationBegan(uint32_t rank,
                                     uint32_t iteration,
                                     const RankOperation& operation)
{
    if (rank == 0)
    {
        CountVolume(iteration, operation);
    }
}

} // namespace ns3
