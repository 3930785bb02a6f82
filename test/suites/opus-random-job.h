// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_RANDOM_JOB_H
#define PHOTONIC_RAILS_OPUS_RANDOM_JOB_H

#include "opus-random-scenario.h"

#include "ns3/collective-engine.h"
#include "ns3/opus-helper.h"
#include "ns3/rail-cluster.h"

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/// Carries out a drawn job: every rank works off its steps, stream by stream, and tells its shim
/// when it has ended an iteration.
class OpusJobRun
{
  public:
    /**
     * @param job the job; outlives this
     * @param number of the job
     * @param part its part of the cluster, with engines
     * @param opus has installed it
     * @param exchange algorithm of an AllToAll, or an empty string
     */
    OpusJobRun(const RandomJob& job,
               uint32_t number,
               const RailCluster& part,
               const OpusHelper& opus,
               const std::string& exchange);

    /// @param job a job @return its groups with an AllToAll
    static std::set<uint32_t> FindExchanging(const RandomJob& job);
    /**
     * @param exchange algorithm of an AllToAll, or an empty string
     * @param group a group
     * @return how its collectives are carried out; pairwise if it is too odd for the algorithm
     */
    static CollectiveAlgorithms GetAlgorithms(const std::string& exchange,
                                              const ProcessGroup& group);
    /**
     * @param part the cluster of the job
     * @param exchange algorithm of an AllToAll
     * @param group a group
     * @param call an AllToAll on it
     * @return the schedule of its first rank on the rails
     */
    static CollectiveSchedule MakeExchange(const RailCluster& part,
                                           const std::string& exchange,
                                           const ProcessGroup& group,
                                           const CollectiveCall& call);

    /// Set the run-ahead of hosts from a scenario; before Start.
    void SetHosts(const OpusScenario& scenario);

    /// Let all ranks begin.
    void Start();

    /// @return an empty string, or a rank that has not ended and its step
    std::string CheckEnded() const;
    /// @return when the last rank had ended each iteration
    const std::vector<Time>& GetIterationEnds() const;
    /**
     * @brief Compare the counters of NICs with the bytes of the steps.
     * @param threshold calls of fewer bytes take the host network
     * @return an empty string, or the difference
     */
    std::string CheckVolumes(uint64_t threshold) const;

  private:
    /// A step as one rank sees it.
    struct Call
    {
        CollectiveCall call;
        Time think;
    };

    /// Where a rank stands.
    struct Rank
    {
        Ptr<CollectiveEngine> engine;
        Ptr<OpusShim> shim;
        uint32_t iteration{0};
        uint32_t left{0};                      //!< calls of the iteration
        std::vector<std::deque<Call>> streams; //!< what is left of the iteration

        std::deque<std::pair<CollectiveCall, uint32_t>> unissued; //!< calls, and their streams
        std::vector<uint32_t> issued; //!< calls that have not ended, by stream
        std::vector<bool> waits;      //!< streams that wait for their next call
        uint32_t underWay{0};         //!< sum of issued
        bool isBusy{false};           //!< the host launches a call, or waits in one
    };

    /// Give a rank the calls of its next iteration.
    void Begin(uint32_t rank);
    /// Make the next call of a stream, after some computing.
    void Next(uint32_t rank, uint32_t stream);
    void Make(uint32_t rank, uint32_t stream);
    /// Let the host launch its next call, if it may.
    void Launch(uint32_t rank);
    /// The host has launched a call.
    void Launched(uint32_t rank);
    /// The circuits of a call are lent in which the host may wait.
    void Lent(uint32_t rank, bool hasWaited);
    void Ended(uint32_t rank, uint32_t stream);
    /// @return bytes that a rank sends and receives for a call
    std::pair<uint64_t, uint64_t> GetVolume(const CollectiveCall& call) const;
    /// @return bytes that a rank of an odd number of domains passes on for the ring of another one
    uint64_t GetRelayed(const CollectiveCall& call, uint32_t rank) const;
    /// @return the call of a rank in a step
    CollectiveCall GetCall(const OpusStep& step, uint32_t index) const;

    const RandomJob& m_job;
    RailCluster m_part;
    std::string m_exchange; //!< algorithm of an AllToAll
    std::vector<Rank> m_ranks;
    std::vector<Time> m_ends;  //!< of iterations, of the last rank so far
    bool m_areAhead{false};    //!< hosts run ahead
    bool m_areBlocked{false};  //!< and wait in collectives
    Time m_launchTime;         //!< of a host for a call
    uint32_t m_launchDepth{1}; //!< calls that a host issues before the first of them has ended
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_RANDOM_JOB_H
