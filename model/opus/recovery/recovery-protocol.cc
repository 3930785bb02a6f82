// SPDX-License-Identifier: GPL-2.0-only

#include "recovery-protocol.h"

#include "ns3/log.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RecoveryProtocol");

std::string
ToString(SparePool::Policy policy)
{
    static constexpr std::array<const char*, 3> names{"spare", "rail", "migration"};
    return names.at(policy);
}

SparePool::SparePool(Policy policy, const std::vector<Place>& places, uint32_t ranks)
    : m_policy(policy),
      m_places(places),
      m_works(places.size(), true),
      m_ranks(ranks)
{
}

bool
SparePool::Lose(uint32_t gpu)
{
    const bool isNew = gpu < m_works.size() && m_works[gpu];
    if (isNew)
    {
        m_works[gpu] = false;
    }
    return isNew;
}

std::vector<uint32_t>
SparePool::GetWorking() const
{
    std::vector<uint32_t> gpus;
    for (uint32_t gpu = 0; gpu < GetSize(); ++gpu)
    {
        if (m_works[gpu])
        {
            gpus.push_back(gpu);
        }
    }
    return gpus;
}

uint32_t
SparePool::CountSpares(const Map& map) const
{
    uint32_t spares = 0;
    for (uint32_t gpu = m_ranks; gpu < GetSize(); ++gpu)
    {
        spares += m_works[gpu] && std::find(map.begin(), map.end(), gpu) == map.end() ? 1 : 0;
    }
    return spares;
}

std::optional<uint32_t>
SparePool::FindSpare(const Map& map, uint32_t rank) const
{
    const Place& own = m_places[rank]; // initial place of the rank, which a replacement must match
    for (uint32_t gpu = m_ranks; gpu < GetSize(); ++gpu)
    {
        const Place& place = m_places[gpu];
        const bool fits = m_policy == IN_DOMAIN ? place.domain == own.domain &&
                                                      (!place.rail || place.rail == own.rail)
                                                : place.rail == own.rail;
        if (m_works[gpu] && fits && std::find(map.begin(), map.end(), gpu) == map.end())
        {
            return gpu;
        }
    }
    return std::nullopt;
}

std::string
SparePool::Replace(Map& map) const
{
    if (m_policy == MIGRATION)
    {
        return Migrate(map);
    }
    Map replaced = map;
    for (uint32_t rank = 0; rank < map.size(); ++rank)
    {
        if (IsWorking(map[rank]))
        {
            continue;
        }
        const auto spare = FindSpare(replaced, rank);
        if (!spare)
        {
            const std::string where =
                m_policy == IN_DOMAIN
                    ? "in scale-up domain " + std::to_string(m_places[rank].domain)
                    : "on rail " + std::to_string(*m_places[rank].rail);
            return "GPU " + std::to_string(map[rank]) + " has left and no spare is left " + where +
                   " for rank " + std::to_string(rank);
        }
        replaced[rank] = *spare;
    }
    map = replaced;
    return "";
}

bool
SparePool::IsIdle(const Map& map, uint32_t firstDomain, uint32_t domains) const
{
    for (uint32_t gpu = 0; gpu < GetSize(); ++gpu)
    {
        const uint32_t domain = m_places[gpu].domain;
        const bool isUsed = std::find(map.begin(), map.end(), gpu) != map.end();
        if (domain >= firstDomain && domain < firstDomain + domains && (isUsed || !m_works[gpu]))
        {
            return false;
        }
    }
    return true;
}

std::string
SparePool::Migrate(Map& map) const
{
    const auto lost =
        std::find_if(map.begin(), map.end(), [this](uint32_t gpu) { return !IsWorking(gpu); });
    if (lost == map.end())
    {
        return "";
    }
    const uint32_t needed = m_places[map.size() - 1].domain + 1;
    uint32_t first = needed;
    while (first + needed <= m_places.back().domain + 1 && !IsIdle(map, first, needed))
    {
        first += needed;
    }
    if (first + needed > m_places.back().domain + 1)
    {
        return "GPU " + std::to_string(*lost) + " has left and no rack of " +
               std::to_string(needed) + " idle scale-up domains is left";
    }
    for (uint32_t rank = 0; rank < map.size(); ++rank)
    {
        const Place& own = m_places[rank];
        for (uint32_t gpu = m_ranks; gpu < GetSize(); ++gpu)
        {
            if (m_places[gpu].domain == first + own.domain && m_places[gpu].rail == own.rail)
            {
                map[rank] = gpu;
            }
        }
    }
    return "";
}

std::string
ToString(RecoveryProtocol::State state)
{
    static constexpr std::array<const char*, 5> names{"running",
                                                      "stopping",
                                                      "replacing",
                                                      "resuming",
                                                      "failed"};
    return names.at(state);
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
    m_ran = m_map;
}

RecoveryProtocol::Outputs
RecoveryProtocol::Lose(uint32_t gpu, uint32_t iterations)
{
    NS_LOG_FUNCTION(this << gpu << iterations);
    if (!m_pool.Lose(gpu) || m_state == FAILED)
    {
        return {};
    }
    // The map may have moved the rank already; a chosen spare has not run since.
    if (const uint32_t rank = FindRank(m_ran, gpu); rank != NO_RANK)
    {
        m_iterations[rank] = iterations;
    }
    // The loss of a spare has no effect, unless the protocol waits for its answer.
    if (FindRank(m_map, gpu) == NO_RANK && m_waiting.count(gpu) == 0)
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

RecoveryProtocol::Outputs
RecoveryProtocol::Receive(const OpusMessage& message)
{
    // Sent once, and valid even if the next generation has begun.
    if (const auto* stopped = message.Get<OpusStopped>())
    {
        if (stopped->rank < m_iterations.size())
        {
            m_iterations[stopped->rank] = stopped->iterations;
        }
        return m_state == STOPPING && stopped->generation == m_generation ? ReceiveStopped(*stopped)
                                                                          : Outputs();
    }
    if (const auto* replaced = message.Get<OpusReplaced>())
    {
        if (m_state != REPLACING || replaced->generation != m_generation)
        {
            return {};
        }
        return replaced->error.empty() ? Resume() : Fail(replaced->error);
    }
    if (const auto* ready = message.Get<OpusReady>())
    {
        const bool isAwaited = m_state == RESUMING && ready->generation == m_generation;
        if (isAwaited && m_waiting.erase(ready->gpu) > 0 && m_waiting.empty())
        {
            return Go();
        }
    }
    return {};
}

template <typename T>
RecoveryProtocol::Outputs
RecoveryProtocol::SendTo(const std::vector<uint32_t>& gpus, T message) const
{
    message.job = m_job;
    message.generation = m_generation;
    Outputs outputs;
    for (const uint32_t gpu : gpus)
    {
        message.gpu = gpu;
        outputs.push_back({gpu, message});
    }
    return outputs;
}

RecoveryProtocol::Outputs
RecoveryProtocol::Stop()
{
    ++m_generation;
    m_state = STOPPING;
    const std::vector<uint32_t> gpus = m_pool.GetWorking();
    m_waiting = {gpus.begin(), gpus.end()};
    NS_LOG_INFO("generation " << m_generation << ": stops " << gpus.size() << " GPUs");
    return SendTo(gpus, OpusStop());
}

RecoveryProtocol::Outputs
RecoveryProtocol::Fail(const std::string& reason)
{
    NS_LOG_WARN("job " << m_job << " has failed: " << reason);
    m_state = FAILED;
    m_failure = reason;
    m_waiting.clear();
    return SendTo(m_pool.GetWorking(), OpusGiveUp{{}, {}, {}, reason});
}

RecoveryProtocol::Outputs
RecoveryProtocol::ReceiveStopped(const OpusStopped& message)
{
    if (m_waiting.erase(message.gpu) == 0)
    {
        return {};
    }
    m_numbers[message.gpu] = {static_cast<uint32_t>(message.next.rail),
                              static_cast<uint32_t>(message.next.domain)};
    if (!m_waiting.empty())
    {
        return {};
    }
    return m_hasController ? Replace() : Resume();
}

RecoveryProtocol::Outputs
RecoveryProtocol::Replace()
{
    NS_LOG_INFO("generation " << m_generation << ": asks for the circuits of the new places");
    m_state = REPLACING;
    return {{std::nullopt, MakeReplace()}};
}

OpusReplace
RecoveryProtocol::MakeReplace() const
{
    // Until all ranks have stopped they are on their former GPUs.
    const SparePool::Map& map = m_state == STOPPING ? m_ran : m_map;
    return {{m_generation}, {m_job}, {map.begin(), map.end()}};
}

RecoveryProtocol::Outputs
RecoveryProtocol::Resume()
{
    NS_LOG_INFO("generation " << m_generation << ": resumes iteration " << GetIteration());
    m_state = RESUMING;
    m_waiting.insert(m_map.begin(), m_map.end());
    OpusResume message{{}, {m_generation}, {m_job}, 0, GetIteration(), {}};
    for (const uint32_t gpu : m_map)
    {
        message.places.push_back({gpu, m_numbers[gpu].rail, m_numbers[gpu].scaleUp});
    }
    Outputs outputs;
    for (uint32_t rank = 0; rank < m_map.size(); ++rank)
    {
        message.gpu = m_map[rank];
        message.rank = rank;
        outputs.push_back({m_map[rank], message});
    }
    return outputs;
}

RecoveryProtocol::Outputs
RecoveryProtocol::Go()
{
    NS_LOG_INFO("generation " << m_generation << ": all ranks are ready");
    m_state = RUNNING;
    m_ran = m_map;
    return SendTo(m_map, OpusGo());
}

uint32_t
RecoveryProtocol::FindRank(const SparePool::Map& map, uint32_t gpu)
{
    const auto place = std::find(map.begin(), map.end(), gpu);
    return place == map.end() ? NO_RANK : static_cast<uint32_t>(place - map.begin());
}

std::string
RecoveryProtocol::DescribeWait() const
{
    if (m_state == RUNNING)
    {
        return "";
    }
    if (m_state == FAILED)
    {
        return "the job has failed: " + m_failure;
    }
    std::string missing = m_state == REPLACING ? " the controller" : "";
    for (const uint32_t gpu : m_waiting)
    {
        missing += (missing.empty() ? " GPU " : ", GPU ") + std::to_string(gpu);
    }
    return "recovery " + std::to_string(m_generation) + " is " + ToString(m_state) +
           ", without an answer of" + missing;
}

uint32_t
RecoveryProtocol::GetIteration() const
{
    return m_iterations.empty() ? 0 : *std::min_element(m_iterations.begin(), m_iterations.end());
}

} // namespace ns3
