// SPDX-License-Identifier: GPL-2.0-only

#include "recovery-recorder.h"

#include "fault-injector.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RecoveryRecorder);

TypeId
RecoveryRecorder::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RecoveryRecorder")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<RecoveryRecorder>();
    return tid;
}

RecoveryRecorder::RecoveryRecorder() = default;
RecoveryRecorder::~RecoveryRecorder() = default;

void
RecoveryRecorder::Observe(const RecoveryHelper& helper,
                          Ptr<FaultInjector> injector,
                          TrainingRecorder& recorder)
{
    const Ptr<RecoveryRecorder> self(this);
    m_recorder = &recorder;
    injector->TraceConnectWithoutContext("FaultBegin",
                                         MakeCallback(&RecoveryRecorder::Broke, self));
    const auto coordinator = helper.GetCoordinator();
    coordinator->TraceConnectWithoutContext("GpuLost", MakeCallback(&RecoveryRecorder::Lost, self));
    coordinator->TraceConnectWithoutContext("Step", MakeCallback(&RecoveryRecorder::Stepped, self));
    for (uint32_t gpu = 0; gpu < helper.GetNAgents(); ++gpu)
    {
        helper.GetAgent(gpu)->TraceConnectWithoutContext(
            "Resumed",
            MakeCallback(&RecoveryRecorder::Resumed, self));
    }
}

void
RecoveryRecorder::Broke(const std::string& kind, const std::string& target)
{
    if (kind == ToString(FaultKind::GPU))
    {
        m_broken.emplace(static_cast<uint32_t>(std::stoul(target)), Simulator::Now());
    }
}

void
RecoveryRecorder::Lost(uint32_t gpu)
{
    m_lost.push_back(gpu);
}

void
RecoveryRecorder::Stepped(const RecoveryProtocol& protocol)
{
    const Time now = Simulator::Now();
    switch (protocol.GetState())
    {
    case RecoveryProtocol::STOPPING:
        if (!m_isUnderWay)
        {
            m_isUnderWay = true;
            m_current = RunRecovery();
            m_current.lost = m_broken.at(m_lost.back());
            m_current.detected = now;
        }
        ++m_current.attempts;
        m_current.gpus.push_back(m_lost.back());
        break;
    case RecoveryProtocol::REPLACING:
        m_current.stopped = now;
        m_current.replaced = Time();
        break;
    case RecoveryProtocol::RESUMING:
        m_current.replaced = now;
        if (!protocol.HasController())
        {
            m_current.stopped = now;
        }
        m_current.iteration = protocol.GetIteration();
        m_recorder->Restart(protocol.GetIteration());
        break;
    case RecoveryProtocol::RUNNING:
        m_isUnderWay = false;
        m_current.ready = now;
        m_current.resumed = now;
        m_current.sparesLeft = protocol.CountSpares();
        Move(protocol.GetMap());
        m_done.push_back(m_current);
        break;
    case RecoveryProtocol::FAILED:
        break;
    }
}

void
RecoveryRecorder::Move(const SparePool::Map& map)
{
    for (uint32_t rank = 0; rank < map.size(); ++rank)
    {
        const uint32_t before = m_map.empty() ? rank : m_map[rank];
        if (map[rank] != before)
        {
            m_current.moves.push_back({rank, before, map[rank]});
        }
    }
    m_map = map;
}

void
RecoveryRecorder::Resumed(uint32_t, uint32_t, uint32_t)
{
    m_done.back().resumed = Simulator::Now();
}

std::vector<RunRecovery>
RecoveryRecorder::GetRecoveries(const IterationLog& log) const
{
    std::vector<RunRecovery> recoveries = m_done;
    for (std::size_t i = 0; i < recoveries.size(); ++i)
    {
        RunRecovery& one = recoveries[i];
        Time begin = one.iteration > 0 ? log.ends.at(one.iteration - 1) : Time();
        begin = i > 0 ? std::max(begin, recoveries[i - 1].resumed) : begin;
        one.lostWork = std::max(Time(), one.lost - begin);
    }
    return recoveries;
}

} // namespace ns3
