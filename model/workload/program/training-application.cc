// SPDX-License-Identifier: GPL-2.0-only

#include "training-application.h"

#include "host-thread.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/boolean.h"
#include "ns3/callback.h"
#include "ns3/collective-engine.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/photonic-rails-compat.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/time-sum.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TrainingApplication");
NS_OBJECT_ENSURE_REGISTERED(TrainingApplication);

TypeId
TrainingApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TrainingApplication")
            .SetParent<Application>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<TrainingApplication>()
            .AddAttribute("Iterations",
                          "Number of training iterations to run, 0 or more.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&TrainingApplication::m_iterations),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ScaleUpOnNetwork",
                          "Hand collectives inside the scale-up domain to the engine, which runs "
                          "them over the network of the domain, instead of taking their time from "
                          "the program.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&TrainingApplication::m_scaleUpOnNetwork),
                          MakeBooleanChecker())
            .AddAttribute("ComputeSlowdown",
                          "Factor on the duration of every computation, 0.1 to 100.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&TrainingApplication::m_slowdown),
                          MakeDoubleChecker<double>(0.1, 100))
            .AddAttribute("ComputeJitter",
                          "Random variable whose values are further factors, one for each "
                          "computation; below zero they count as zero. None: no jitter.",
                          PointerValue(),
                          MakePointerAccessor(&TrainingApplication::m_jitter),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("HostRunAhead",
                          "How far the host issues operations before the GPU executes them: not at "
                          "all (none), as HostThread lets it (ahead), or no further than to a "
                          "collective across domains whose circuits are not lent (blocking).",
                          EnumValue(NONE),
                          MakeEnumAccessorCompat<HostRunAhead>(&TrainingApplication::m_runAhead),
                          MakeEnumChecker(NONE, "none", AHEAD, "ahead", BLOCKING, "blocking"))
            .AddTraceSource("IterationBegin",
                            "The rank begins an iteration.",
                            MakeTraceSourceAccessor(&TrainingApplication::m_iterationBegin),
                            "ns3::TrainingApplication::IterationTracedCallback")
            .AddTraceSource("IterationEnd",
                            "All operations of an iteration have ended on the rank.",
                            MakeTraceSourceAccessor(&TrainingApplication::m_iterationEnd),
                            "ns3::TrainingApplication::IterationTracedCallback")
            .AddTraceSource("Halt",
                            "The rank stops within an iteration: its GPU leaves, or the job is "
                            "going to begin anew.",
                            MakeTraceSourceAccessor(&TrainingApplication::m_halt),
                            "ns3::TrainingApplication::IterationTracedCallback")
            .AddTraceSource("OperationBegin",
                            "An operation starts; a collective is handed to the engine.",
                            MakeTraceSourceAccessor(&TrainingApplication::m_operationBegin),
                            "ns3::TrainingApplication::OperationTracedCallback")
            .AddTraceSource("OperationEnd",
                            "An operation has ended on the rank.",
                            MakeTraceSourceAccessor(&TrainingApplication::m_operationEnd),
                            "ns3::TrainingApplication::OperationTracedCallback")
            .AddTraceSource("OperationPlanned",
                            "An operation that takes its time from the program is going to run; "
                            "told when the first of the operations that follow each other without "
                            "a network between them begins.",
                            MakeTraceSourceAccessor(&TrainingApplication::m_operationPlanned),
                            "ns3::TrainingApplication::PlannedTracedCallback")
            .AddTraceSource("CommunicationBegin",
                            "A collective that takes a network is handed to the engine.",
                            MakeTraceSourceAccessor(&TrainingApplication::m_communicationBegin),
                            "ns3::TrainingApplication::OperationTracedCallback")
            .AddTraceSource("CommunicationEnd",
                            "A collective that takes a network has ended on the rank.",
                            MakeTraceSourceAccessor(&TrainingApplication::m_communicationEnd),
                            "ns3::TrainingApplication::OperationTracedCallback");
    return tid;
}

TrainingApplication::TrainingApplication() = default;

TrainingApplication::~TrainingApplication() = default;

void
TrainingApplication::SetProgram(std::shared_ptr<const RankProgram> program,
                                const RankBinding& binding)
{
    NS_LOG_FUNCTION(this << binding.GetRank());
    NS_ASSERT_MSG(!m_isRunning, "the program of a running rank cannot be changed");
    m_program = std::move(program);
    m_binding = binding;
}

std::vector<const RankOperation*>
TrainingApplication::GetTimedOperations() const
{
    std::vector<const RankOperation*> timed;
    for (uint32_t index = 0; index < m_program->GetSize(); ++index)
    {
        if (!IsOnNetwork(index))
        {
            timed.push_back(&m_program->GetOperations()[index]);
        }
    }
    return timed;
}

int64_t
TrainingApplication::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    if (!m_jitter)
    {
        return 0;
    }
    m_jitter->SetStream(stream);
    return 1;
}

const RankOperation*
TrainingApplication::FindOperation(uint8_t stream) const
{
    // Operations of a stream end in order, so none behind that which is under way is free to begin.
    const RankOperation* last = nullptr;
    for (uint32_t index = 0; m_isRunning && index < m_program->GetSize(); ++index)
    {
        const RankOperation& operation = m_program->GetOperations()[index];
        if (operation.stream == stream && m_waitingFor[index] == 0)
        {
            last = &operation;
        }
    }
    return last;
}

std::string
TrainingApplication::DescribeState() const
{
    if (IsFinished())
    {
        return "all " + std::to_string(m_iterations) + " iterations ended";
    }
    const std::string where = "iteration " + std::to_string(m_iterationsEnded);
    if (!m_isRunning)
    {
        return m_hasLeft ? "stopped in " + where + " and not resumed" : "not begun";
    }
    const bool isComputing = std::any_of(m_timers.begin(), m_timers.end(), [](const auto& entry) {
        return entry.second->IsPending();
    });
    const RankOperation* waiting = m_host ? m_host->GetWaiting() : nullptr;
    const std::string host = waiting ? ", its host at " + waiting->label : "";
    return (isComputing ? "computation of " : "nothing under way in ") + where + host;
}

uint64_t
TrainingApplication::GetOperationsEnded() const
{
    if (!m_isRunning)
    {
        return IsFinished() ? GetOperations() : 0;
    }
    return uint64_t{m_iterationsEnded + 1} * m_program->GetSize() - m_unfinished;
}

uint64_t
TrainingApplication::GetOperations() const
{
    return m_program ? uint64_t{m_iterations} * m_program->GetSize() : 0;
}

void
TrainingApplication::DoInitialize()
{
    NS_LOG_FUNCTION(this);
    // The simulator would never get there.
    NS_ABORT_MSG_IF(m_startTime.IsStrictlyNegative(),
                    "StartTime of a rank is " << m_startTime.As(Time::S)
                                              << ", which is before the simulation: at least 0 s");
    Application::DoInitialize();
}

void
TrainingApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    Halt();
    m_program.reset();
    m_engine = nullptr;
    m_jitter = nullptr;
    m_host = nullptr;
    Application::DoDispose();
}

void
TrainingApplication::StartApplication()
{
    NS_LOG_FUNCTION(this);
    if (!m_program || m_hasLeft)
    {
        return; // a spare GPU, or a GPU that left before the start
    }
    Resume(m_iterationsEnded);
}

void
TrainingApplication::Resume(uint32_t iteration)
{
    NS_LOG_FUNCTION(this << iteration);
    NS_ASSERT_MSG(m_program, "SetProgram comes before the start");
    NS_ASSERT_MSG(!m_isRunning, "a running rank cannot go back");
    m_hasLeft = false;
    m_iterationsEnded = iteration;
    m_engine = GetNode()->GetObject<CollectiveEngine>();
    m_isRunning = true;
    if (m_runAhead != NONE && !IsFinished())
    {
        m_host = m_host ? m_host : CreateObject<HostThread>();
        m_host->Start(m_program,
                      m_scaleUpOnNetwork,
                      m_iterations - iteration,
                      m_runAhead == BLOCKING);
    }
    BeginIteration();
    Proceed();
}

void
TrainingApplication::StopApplication()
{
    NS_LOG_FUNCTION(this);
    Halt();
}

void
TrainingApplication::Halt()
{
    m_isRunning = false;
    for (const auto& [stream, timer] : m_timers)
    {
        timer->Disarm();
    }
    m_timers.clear();
    m_resources = {};
    m_ready = ReadyQueue();
    m_ended = {};
    m_unissued.clear();
    m_hostEvent.Cancel();
}

void
TrainingApplication::Leave()
{
    NS_LOG_FUNCTION(this << m_iterationsEnded);
    m_hasLeft = true;
    if (m_isRunning)
    {
        m_halt(GetRank(), m_iterationsEnded);
    }
    Halt();
}

void
TrainingApplication::BeginIteration()
{
    if (IsFinished())
    {
        m_isRunning = false;
        return;
    }
    NS_LOG_INFO("rank " << GetRank() << " begins iteration " << m_iterationsEnded);
    m_iterationBegin(GetRank(), m_iterationsEnded);
    m_waitingFor = m_program->GetPredecessorCounts();
    m_unfinished = m_program->GetSize();
    for (uint32_t index = 0; index < m_unfinished; ++index)
    {
        if (m_waitingFor[index] == 0)
        {
            m_ready.push(index);
        }
    }
    if (m_host)
    {
        m_host->BeginIteration(Simulator::Now());
    }
}

void
TrainingApplication::BeginOperation(uint32_t index)
{
    if (Simulator::Now() >= GetTimeLimit())
    {
        Simulator::Stop(); // later times may not fit a Time
        return;
    }
    const RankOperation& operation = m_program->GetOperations()[index];
    NS_LOG_LOGIC("rank " << GetRank() << " begins " << operation.label);
    m_operationBegin(GetRank(), m_iterationsEnded, operation);
    if (!IsOnNetwork(index))
    {
        BeginTimed(index);
        return;
    }
    NS_ASSERT_MSG(m_engine, "rank " << GetRank() << " has no collective engine on its node");
    m_communicationBegin(GetRank(), m_iterationsEnded, operation);
    m_engine->Run(m_binding.Bind(operation), [this, index] { EndOperation(index); });
}

void
TrainingApplication::BeginTimed(uint32_t index)
{
    const RankOperation& operation = m_program->GetOperations()[index];
    RankProgram::TimedRun run{index, 1, operation.duration};
    if (m_operationBegin.IsEmpty() && m_operationEnd.IsEmpty() && !m_jitter)
    {
        run = m_program->GetTimedRun(index, m_scaleUpOnNetwork);
    }
    const Time duration = m_host ? BeginIssued(index, run) : GetDuration(index, run);
    m_unfinished -= run.operations - 1; // the other operations of the run end without an event
    if (!m_host && !m_operationPlanned.IsEmpty())
    {
        TellPlanned(index, run, duration);
    }
    if (duration.IsZero())
    {
        m_ended.push(run.last);
    }
    else
    {
        Ptr<Timer>& timer = m_timers[operation.stream];
        if (!timer)
        {
            timer = Create<Timer>(this);
        }
        timer->last = run.last;
        timer->Schedule(Simulator::GetContext(), duration);
    }
}

Time
TrainingApplication::BeginIssued(uint32_t first, RankProgram::TimedRun& run)
{
    const Time now = Simulator::Now();
    Time end = now;
    const uint32_t last = run.last;
    run.operations = 0;
    for (uint32_t index = first;; index = m_program->GetSuccessors(index).front())
    {
        const auto issued = m_host->GetIssueTime(index);
        if (!issued)
        {
            break; // the host waits for something outside of the run
        }
        const RankOperation& operation = m_program->GetOperations()[index];
        const Time begin = Max(end, *issued);
        end = begin + GetDuration(operation);
        m_operationPlanned(GetRank(), m_iterationsEnded, operation, begin, end);
        m_host->SetEnd(index, end);
        run.last = index;
        ++run.operations;
        if (index == last)
        {
            break;
        }
    }
    return end - now;
}

void
TrainingApplication::TellPlanned(uint32_t first,
                                 const RankProgram::TimedRun& run,
                                 const Time& duration) const
{
    Time begin = Simulator::Now();
    for (uint32_t index = first;; index = m_program->GetSuccessors(index).front())
    {
        const RankOperation& operation = m_program->GetOperations()[index];
        // With jitter, a duration is drawn once per operation, and every run has one operation.
        const Time end = begin + (run.operations == 1 ? duration : GetDuration(operation));
        m_operationPlanned(GetRank(), m_iterationsEnded, operation, begin, end);
        begin = end;
        if (index == run.last)
        {
            return;
        }
    }
}

bool
TrainingApplication::IsOnNetwork(uint32_t index) const
{
    return m_program->GetTimedRun(index, m_scaleUpOnNetwork).operations == 0;
}

Time
TrainingApplication::GetDuration(const RankOperation& operation) const
{
    if (operation.place != RankOperation::GPU || operation.duration.IsZero())
    {
        return operation.duration;
    }
    double factor = m_slowdown;
    if (m_jitter)
    {
        factor *= std::max(0.0, m_jitter->GetValue());
    }
    // The unscaled duration stays exact: a double has too few digits for long durations.
    if (factor == 1)
    {
        return operation.duration;
    }
    const double steps = static_cast<double>(operation.duration.GetTimeStep()) * factor;
    return steps < static_cast<double>(GetTimeLimit().GetTimeStep())
               ? Time(static_cast<int64_t>(std::llround(steps)))
               : GetTimeLimit();
}

Time
TrainingApplication::GetDuration(uint32_t first, const RankProgram::TimedRun& run) const
{
    if (m_slowdown == 1 && !m_jitter)
    {
        return run.duration;
    }
    // Each computation is rounded separately.
    Time sum;
    for (uint32_t index = first;; index = m_program->GetSuccessors(index).front())
    {
        sum = Min(sum + GetDuration(m_program->GetOperations()[index]), GetTimeLimit());
        if (index == run.last)
        {
            return sum;
        }
    }
}

void
TrainingApplication::EndOperation(uint32_t index)
{
    if (!m_isRunning)
    {
        return; // end of a collective after the application has stopped
    }
    m_ended.push(index);
    Proceed();
}

void
TrainingApplication::Proceed()
{
    if (m_isProceeding)
    {
        return;
    }
    m_isProceeding = true;
    while (m_isRunning)
    {
        // Process ends first: an end may make an operation ready that precedes the ready ones.
        AnnounceCalls();
        if (!m_ended.empty())
        {
            const uint32_t index = m_ended.front();
            m_ended.pop();
            Release(index);
        }
        else if (!m_ready.empty())
        {
            const uint32_t index = m_ready.top();
            m_ready.pop();
            if (!IsIssued(index))
            {
                m_unissued.insert(index);
            }
            else if (Resource* resource = FindResource(index))
            {
                resource->waiting.emplace(Simulator::Now(), index);
            }
            else
            {
                BeginOperation(index);
            }
        }
        else if (!m_unissued.empty() && IsIssued(*m_unissued.begin()))
        {
            m_ready.push(*m_unissued.begin());
            m_unissued.erase(m_unissued.begin());
        }
        else if (const auto queued = TakeQueued())
        {
            BeginOperation(*queued);
        }
        else if (m_unfinished == 0)
        {
            NS_LOG_INFO("rank " << GetRank() << " has ended iteration " << m_iterationsEnded);
            m_iterationEnd(GetRank(), m_iterationsEnded);
            ++m_iterationsEnded;
            BeginIteration();
        }
        else
        {
            break;
        }
    }
    m_isProceeding = false;
    AwaitHost();
}

TrainingApplication::Resource*
TrainingApplication::FindResource(uint32_t index)
{
    const RankOperation& operation = m_program->GetOperations()[index];
    return operation.IsQueued() ? &m_resources[operation.stream - RankOperation::GPU_QUEUE]
                                : nullptr;
}

std::optional<uint32_t>
TrainingApplication::TakeQueued()
{
    for (Resource& resource : m_resources)
    {
        if (!resource.isBusy && !resource.waiting.empty())
        {
            const uint32_t index = resource.waiting.begin()->second;
            resource.waiting.erase(resource.waiting.begin());
            resource.isBusy = true;
            return index;
        }
    }
    return std::nullopt;
}

bool
TrainingApplication::IsIssued(uint32_t index) const
{
    const auto issued = m_host ? m_host->GetIssueTime(index) : Simulator::Now();
    return issued && *issued <= Simulator::Now();
}

void
TrainingApplication::AnnounceCalls()
{
    while (m_host && !m_host->GetCalls().empty() &&
           m_host->GetCalls().front().time <= Simulator::Now())
    {
        const uint64_t number = m_host->GetCalls().front().number;
        m_host->TakeCall();
        const auto index =
            static_cast<uint32_t>((number - m_host->GetBase()) % m_program->GetSize());
        m_engine->Announce(m_binding.Bind(m_program->GetOperations()[index]),
                           MakeCallback(&TrainingApplication::HandleLent, this).Bind(number));
    }
}

void
TrainingApplication::AwaitHost()
{
    if (!m_host || !m_isRunning)
    {
        return;
    }
    std::optional<Time> next;
    if (!m_host->GetCalls().empty())
    {
        next = m_host->GetCalls().front().time;
    }
    // Operations are issued in order, so no other one that could start is issued earlier.
    const auto first =
        m_unissued.empty() ? std::nullopt : m_host->GetIssueTime(*m_unissued.begin());
    next = first && (!next || *first < *next) ? first : next;
    if (next && (m_hostEvent.IsExpired() || *next != m_hostTime))
    {
        m_hostEvent.Cancel();
        m_hostTime = *next;
        m_hostEvent =
            Simulator::Schedule(*next - Simulator::Now(), &TrainingApplication::Proceed, this);
    }
}

void
TrainingApplication::HandleLent(uint64_t number)
{
    if (m_host && m_isRunning)
    {
        m_host->SetLent(number, Simulator::Now());
        Proceed();
    }
}

void
TrainingApplication::Release(uint32_t index)
{
    NS_LOG_LOGIC("rank " << GetRank() << " ends " << m_program->GetOperations()[index].label);
    const RankOperation& operation = m_program->GetOperations()[index];
    m_operationEnd(GetRank(), m_iterationsEnded, operation);
    if (IsOnNetwork(index))
    {
        if (m_host)
        {
            m_host->SetEnd(index, Simulator::Now());
        }
        m_communicationEnd(GetRank(), m_iterationsEnded, operation);
    }
    if (Resource* resource = FindResource(index))
    {
        resource->isBusy = false;
    }
    --m_unfinished;
    for (uint32_t successor : m_program->GetSuccessors(index))
    {
        if (--m_waitingFor[successor] == 0)
        {
            m_ready.push(successor);
        }
    }
}

} // namespace ns3
