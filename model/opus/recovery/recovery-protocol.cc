// SPDX-License-Identifier: GPL-2.0-only

#include "recovery-protocol.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

std::string
ToString(RecoveryProtocol::State state)
{
    switch (state)
    {
    case RecoveryProtocol::RUNNING:
        return "running";
    case RecoveryProtocol::STOPPING:
        return "stopping";
    case RecoveryProtocol::REPLACING:
        return "replacing";
    case RecoveryProtocol::RESUMING:
        return "resuming";
    case RecoveryProtocol::FAILED:
        return "failed";
    }
    return "?";
}

RecoveryProtocol::RecoveryProtocol(uint32_t job,
                                   const SparePool& pool,
                                   uint32_t ranks,
                                   bool hasController)
    : m_job(job),
      m_pool(pool),
      m_hasController(hasController),
      m_map(ranks),
      m_iterations(ranks, 0),
      m_numbers(pool.GetSize())
{
    std::iota(m_map.begin(), m_map.end(), 0U);
}

RecoveryProtocol::Letters
RecoveryProtocol::Lose(uint32_t gpu, std::optional<uint32_t> iterations)
{
    if (!m_pool.Lose(gpu) || m_state == FAILED)
    {
        return {};
    }
    const uint32_t rank = FindRank(gpu);
    if (rank != NO_RANK && iterations)
    {
        m_iterations[rank] = *iterations;
    }
    // The loss of a spare has no effect, unless the protocol waits for its answer.
    if (rank == NO_RANK && m_waiting.count(gpu) == 0)
    {
        return {};
    }
    if (const std::string error = m_pool.Replace(m_map); !error.empty())
    {
        return Fail(error);
    }
    if (m_generation == MAX_GENERATIONS)
    {
        return Fail("the job has begun anew " + std::to_string(MAX_GENERATIONS) +
                    " times, which is as often as it may");
    }
    return Stop();
}

RecoveryProtocol::Letters
RecoveryProtocol::Hear(const OpusMessage& message)
{
    // Sent once, and valid even if the next generation has begun.
    if (message.type == OpusMessageType::STOPPED && message.ocs < m_iterations.size())
    {
        m_iterations[message.ocs] = message.port;
    }
    if (message.command != m_generation)
    {
        return {};
    }
    switch (message.type)
    {
    case OpusMessageType::STOPPED:
        return m_state == STOPPING ? HearStopped(message) : Letters();
    case OpusMessageType::REPLACED:
        if (m_state != REPLACING)
        {
            return {};
        }
        return message.error.empty() ? Resume() : Fail(message.error);
    case OpusMessageType::READY:
        if (m_state != RESUMING || m_waiting.erase(message.rank) == 0 || !m_waiting.empty())
        {
            return {};
        }
        return Go();
    default:
        return {};
    }
}

OpusMessage
RecoveryProtocol::MakeMessage(OpusMessageType type) const
{
    OpusMessage message(type);
    message.job = m_job;
    message.command = m_generation;
    return message;
}

RecoveryProtocol::Letters
RecoveryProtocol::Stop()
{
    ++m_generation;
    m_state = STOPPING;
    m_waiting.clear();
    Letters letters;
    OpusMessage message = MakeMessage(OpusMessageType::STOP);
    for (uint32_t gpu = 0; gpu < m_pool.GetSize(); ++gpu)
    {
        if (m_pool.IsWorking(gpu))
        {
            m_waiting.insert(gpu);
            message.rank = gpu;
            letters.push_back({gpu, message});
        }
    }
    return letters;
}

RecoveryProtocol::Letters
RecoveryProtocol::Fail(const std::string& reason)
{
    m_state = FAILED;
    m_failure = reason;
    m_waiting.clear();
    Letters letters;
    OpusMessage message = MakeMessage(OpusMessageType::ABORT);
    message.error = reason;
    for (uint32_t gpu = 0; gpu < m_pool.GetSize(); ++gpu)
    {
        if (m_pool.IsWorking(gpu))
        {
            message.rank = gpu;
            letters.push_back({gpu, message});
        }
    }
    return letters;
}

RecoveryProtocol::Letters
RecoveryProtocol::HearStopped(const OpusMessage& message)
{
    const uint32_t gpu = message.rank;
    if (m_waiting.erase(gpu) == 0 || message.groups.size() != 2)
    {
        return {};
    }
    m_numbers[gpu] = {static_cast<uint32_t>(message.groups[0]),
                      static_cast<uint32_t>(message.groups[1])};
    if (!m_waiting.empty())
    {
        return {};
    }
    return m_hasController ? Replace() : Resume();
}

RecoveryProtocol::Letters
RecoveryProtocol::Replace()
{
    m_state = REPLACING;
    OpusMessage message = MakeMessage(OpusMessageType::REPLACE);
    message.groups.assign(m_map.begin(), m_map.end());
    return {{std::nullopt, message}};
}

RecoveryProtocol::Letters
RecoveryProtocol::Resume()
{
    m_state = RESUMING;
    m_waiting.insert(m_map.begin(), m_map.end());
    OpusMessage message = MakeMessage(OpusMessageType::RESUME);
    message.port = GetIteration();
    for (const uint32_t gpu : m_map)
    {
        const Numbers& numbers = m_numbers[gpu];
        message.groups.push_back(gpu);
        message.groups.push_back(uint64_t{numbers.rail} << 32 | numbers.scaleUp);
    }
    return TellRanks(message);
}

RecoveryProtocol::Letters
RecoveryProtocol::Go()
{
    m_state = RUNNING;
    return TellRanks(MakeMessage(OpusMessageType::GO));
}

RecoveryProtocol::Letters
RecoveryProtocol::TellRanks(OpusMessage message) const
{
    Letters letters;
    for (uint32_t rank = 0; rank < m_map.size(); ++rank)
    {
        message.rank = m_map[rank];
        message.ocs = rank;
        letters.push_back({m_map[rank], message});
    }
    return letters;
}

uint32_t
RecoveryProtocol::FindRank(uint32_t gpu) const
{
    const auto place = std::find(m_map.begin(), m_map.end(), gpu);
    return place == m_map.end() ? NO_RANK : static_cast<uint32_t>(place - m_map.begin());
}

RecoveryProtocol::State
RecoveryProtocol::GetState() const
{
    return m_state;
}

uint64_t
RecoveryProtocol::GetGeneration() const
{
    return m_generation;
}

const SparePool::Map&
RecoveryProtocol::GetMap() const
{
    return m_map;
}

uint32_t
RecoveryProtocol::GetIteration() const
{
    return m_iterations.empty() ? 0 : *std::min_element(m_iterations.begin(), m_iterations.end());
}

const std::string&
RecoveryProtocol::GetFailure() const
{
    return m_failure;
}

bool
RecoveryProtocol::HasController() const
{
    return m_hasController;
}

uint32_t
RecoveryProtocol::CountSpares() const
{
    return m_pool.CountSpares(m_map);
}

} // namespace ns3
