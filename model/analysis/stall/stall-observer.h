// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STALL_OBSERVER_H
#define PHOTONIC_RAILS_STALL_OBSERVER_H

#include "stall-report.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class CollectiveEngine;
class Node;
class OpusController;
class OpusShim;
class TrainingApplication;
struct CallWait;

/**
 * @brief Looks at all ranks after a run, and says why a job has not ended.
 *
 * It finds ranks and control planes on the nodes of the simulation, whatever program has installed
 * them, asks each what it waits for, and changes nothing. In a distributed run it sees the ranks of
 * its own process only, and takes it that ranks elsewhere have made their calls.
 */
class StallObserver
{
  public:
    /// What is wrong.
    struct Stall
    {
        bool isStopped{false};          //!< events are left: Simulator::Stop has ended the run
        std::string headline;           //!< the first line of the report
        std::vector<std::string> lines; //!< StallReport::GetLines
    };

    /// @return why a job has not ended; nothing if all have
    static std::optional<Stall> Look();

    /**
     * @param isStopped Simulator::Stop has ended the run
     * @param now when it ended
     * @param ended iterations that have ended on all ranks
     * @param iterations that were to be run
     * @return the first line of a report on a training job
     */
    static std::string GetHeadline(bool isStopped,
                                   Time now,
                                   std::size_t ended,
                                   uint32_t iterations);

    /// Write the report to standard error if a job has not ended. For EndOfRun.
    static void Print();

  private:
    /// A rank of a job: the node that serves it now.
    struct Rank
    {
        uint32_t job{0};
        uint32_t number{0};
        Ptr<Node> node;
        Ptr<CollectiveEngine> engine;
        Ptr<TrainingApplication> training; //!< or null
        Ptr<OpusShim> shim;                //!< or null
    };

    using Key = std::pair<uint32_t, uint32_t>; //!< job and rank

    StallObserver();

    /// Note what is on a node.
    void AddNode(Ptr<Node> node);
    /// Note that control planes are down, or a recovery has not ended.
    void AddFacts();
    /// Note what the calls of a rank wait for. @return how many calls have not ended
    uint64_t AddWaits(const Rank& rank);
    void AddWait(const Rank& rank, const CallWait& wait);
    /// Note that a call waits for circuits.
    void AddLeaseWait(const Rank& rank, const CallWait& wait, const std::string& call);
    /// @return ranks that have not made their side of a call, as far as they are known
    std::vector<uint32_t> FindMissing(const Rank& rank, const CallWait& wait) const;
    /// @return a call in words
    static std::string Describe(const Rank& rank, const CallWait& wait);

    std::map<Key, Rank> m_ranks;
    std::vector<Ptr<OpusController>> m_controllers; //!< that lead
    uint32_t m_takeovers{0};                        //!< by standbys
    std::vector<std::string> m_recoveries;          //!< that have not ended
    StallReport m_report;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STALL_OBSERVER_H
