// SPDX-License-Identifier: GPL-2.0-only

#include "host-thread.h"

#include "ns3/assert.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HostThread");
NS_OBJECT_ENSURE_REGISTERED(HostThread);

namespace
{

/// @param operation an operation @return true if it gathers the parameters of an FSDP unit
bool
IsGather(const RankOperation& operation)
{
    return operation.place == RankOperation::SCALE_OUT && operation.dimension == Dimension::FSDP &&
           operation.kind == CollectiveKind::ALL_GATHER;
}

/// @param operation an operation @return true for a Send or Recv
bool
IsMessage(const RankOperation& operation)
{
    return operation.IsCall() &&
           (operation.kind == CollectiveKind::SEND || operation.kind == CollectiveKind::RECV);
}

} // namespace

TypeId
HostThread::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::HostThread")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<HostThread>()
            .AddAttribute("KernelTime",
                          "Time of the host for a kernel launch; 4 to 5 us are reported in "
                          "NVIDIA's developer forum (thread 68937). A collective or message is one "
                          "launch.",
                          TimeValue(MicroSeconds(5)),
                          MakeTimeAccessor(&HostThread::m_kernelTime),
                          MakeTimeChecker(Time(0), Seconds(1)))
            .AddAttribute(
                "KernelsPerComputation",
                "Kernels that the host launches for a computation of a program, which is a "
                "pass through the attention or the feed-forward part of a layer: an "
                "estimate for eager PyTorch.",
                UintegerValue(40),
                MakeUintegerAccessor(&HostThread::m_kernels),
                MakeUintegerChecker<uint32_t>(1, 1000000))
            .AddAttribute("QueueDepth",
                          "Kernels that a stream of the GPU accepts before the host waits; about "
                          "1,000 are reported in NVIDIA's developer forum (thread 68937).",
                          UintegerValue(1024),
                          MakeUintegerAccessor(&HostThread::m_queueDepth),
                          MakeUintegerChecker<uint32_t>(1, 1000000))
            .AddAttribute("GatherLimit",
                          "FSDP units that the host has freed and the GPU not yet, before the host "
                          "waits to gather another one; 0: no limit, as in FSDP2, whose streams "
                          "wait instead. FSDP1 has 2 (limit_all_gathers).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&HostThread::m_gatherLimit),
                          MakeUintegerChecker<uint32_t>(0, 1000000))
            .AddAttribute("ReadsBack",
                          "The host waits for the end of every iteration, to read its loss or norm "
                          "of gradients.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&HostThread::m_readsBack),
                          MakeBooleanChecker());
    return tid;
}

void
HostThread::Start(std::shared_ptr<const RankProgram> program,
                  bool scaleUpOnNetwork,
                  uint64_t iterations,
                  bool waitsForCircuits)
{
    NS_LOG_FUNCTION(this << iterations << waitsForCircuits);
    m_program = std::move(program);
    m_scaleUpOnNetwork = scaleUpOnNetwork;
    m_waitsForCircuits = waitsForCircuits;
    const auto& operations = m_program->GetOperations();
    m_frees.assign(operations.size(), 0);
    std::vector<bool> isCounted(operations.size(), false);
    for (std::size_t index = 0; index < operations.size(); ++index)
    {
        for (const uint32_t before : operations[index].dependencies)
        {
            if (IsGather(operations[before]) && !isCounted[before])
            {
                isCounted[before] = true;
                ++m_frees[index];
            }
        }
    }
    m_hasBegun = false;
    m_base = m_next; // numbers of an earlier start do not come back
    m_last = m_base + iterations * operations.size();
    m_issued.clear();
    m_queues = {};
    m_freed.clear();
    m_calls.clear();
    m_lending.reset();
    m_followsMessage = false;
    m_unended = 0;
}

void
HostThread::BeginIteration(Time now)
{
    NS_LOG_FUNCTION(this << now << m_next);
    if (m_hasBegun)
    {
        NS_ASSERT(m_issued.size() >= m_program->GetSize());
        m_base += m_program->GetSize();
        m_issued.erase(m_issued.begin(), m_issued.begin() + m_program->GetSize());
    }
    m_begun = now;
    if (m_readsBack || !m_hasBegun)
    {
        m_free = Max(m_free, now);
    }
    m_hasBegun = true;
    Advance();
}

void
HostThread::SetEnd(uint32_t index, Time end)
{
    NS_ASSERT_MSG(index < m_issued.size() && !m_issued[index].end, "no end is expected");
    m_issued[index].end = end;
    m_lastEnd = Max(m_lastEnd, end);
    --m_unended;
    if (m_lending == m_base + index)
    {
        m_lending.reset();
        m_free = Max(m_free, end);
    }
    Advance();
}

void
HostThread::SetLent(uint64_t number, Time now)
{
    NS_LOG_FUNCTION(this << number << now);
    if (m_lending == number)
    {
        m_lending.reset();
        m_free = Max(m_free, now);
        Advance();
    }
}

std::optional<Time>
HostThread::GetIssueTime(uint32_t index) const
{
    return index < m_issued.size() ? std::optional<Time>(m_issued[index].time) : std::nullopt;
}

const RankOperation*
HostThread::GetWaiting() const
{
    if (!m_program || m_next == m_last)
    {
        return nullptr;
    }
    return &m_program
                ->GetOperations()[(m_lending.value_or(m_next) - m_base) % m_program->GetSize()];
}

bool
HostThread::Await(uint64_t number)
{
    // All operations of earlier iterations have ended.
    const auto end = number < m_base ? std::optional<Time>(m_begun) : m_issued[number - m_base].end;
    m_free = end ? Max(m_free, *end) : m_free;
    return end.has_value();
}

bool
HostThread::AwaitLimits(const RankOperation& operation, uint32_t kernels)
{
    Queue& queue = m_queues[operation.stream];
    while (!queue.launches.empty() && queue.kernels + kernels > m_queueDepth)
    {
        const auto [number, oldest] = queue.launches.front();
        if (!Await(number))
        {
            return false;
        }
        queue.kernels -= oldest;
        queue.launches.pop_front();
    }
    while (m_gatherLimit > 0 && m_freed.size() >= m_gatherLimit && IsGather(operation))
    {
        if (!Await(m_freed.front()))
        {
            return false;
        }
        m_freed.pop_front();
    }
    if (m_program->WaitsForMessages() && m_followsMessage && !IsMessage(operation))
    {
        if (m_unended > 0)
        {
            return false;
        }
        m_free = Max(m_free, m_lastEnd);
    }
    return true;
}

void
HostThread::Advance()
{
    const uint64_t end = m_readsBack ? m_base + m_program->GetSize() : m_last;
    while (m_next < end && !m_lending)
    {
        const auto index = static_cast<uint32_t>((m_next - m_base) % m_program->GetSize());
        const RankOperation& operation = m_program->GetOperations()[index];
        const uint32_t kernels = operation.place == RankOperation::GPU ? m_kernels : 1;
        if (!AwaitLimits(operation, kernels))
        {
            NS_LOG_LOGIC("the host waits before operation " << m_next << ", " << operation.label);
            return;
        }
        m_free += kernels * m_kernelTime;
        NS_LOG_LOGIC("the host issues operation " << m_next << ", " << operation.label << ", at "
                                                  << m_free);
        m_issued.push_back({m_free, std::nullopt});
        m_queues[operation.stream].launches.emplace_back(m_next, kernels);
        m_queues[operation.stream].kernels += kernels;
        m_freed.insert(m_freed.end(), m_gatherLimit > 0 ? m_frees[index] : 0, m_next);
        m_followsMessage = IsMessage(operation);
        ++m_unended;
        if (m_program->GetTimedRun(index, m_scaleUpOnNetwork).operations == 0)
        {
            m_calls.push_back({m_next, m_free});
            const bool isCollective =
                operation.place == RankOperation::SCALE_OUT && !IsMessage(operation);
            m_lending =
                m_waitsForCircuits && isCollective ? std::optional<uint64_t>(m_next) : std::nullopt;
        }
        ++m_next;
    }
}

} // namespace ns3
