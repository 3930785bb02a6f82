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
 * @brief Inspects all ranks after a run and reports why a job has not ended.
 *
 * The observer searches the nodes of the simulation for ranks and control planes, so that it works
 * with every program, and reads what each rank waits for. In a distributed run the observer sees
 * only the ranks of its own process, and assumes that all other ranks have made their calls.
 */
class StallObserver
{
  public:
    /// The report on a job that has not ended.
    struct Stall
    {
        bool isStopped{false};          //!< events are left: Simulator::Stop has ended the run
        std::string headline;           //!< the first line of the report
        std::vector<std::string> lines; //!< StallReport::GetLines
    };

    /// @return the report, or nothing if all jobs have ended
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
    /// A rank of a job, and the objects on its current node.
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

    /// Add the ranks, controllers and recoveries of a node.
    void AddNode(Ptr<Node> node);
    /// Report controllers that are down and recoveries that have not ended.
    void AddFacts();
    /// Report the calls of a rank. @return the number of calls that have not ended
    uint64_t AddWaits(const Rank& rank);
    void AddWait(const Rank& rank, const CallWait& wait);
    /// Report a call that waits for circuits.
    void AddLeaseWait(const Rank& rank, const CallWait& wait, const std::string& call);
    /// @return known ranks that have not made their part of a call
    std::vector<uint32_t> FindMissing(const Rank& rank, const CallWait& wait) const;
    /// @return a call in words, such as "AllReduce of group 3"
    static std::string Describe(const Rank& rank, const CallWait& wait);

    std::map<Key, Rank> m_ranks;
    std::vector<Ptr<OpusController>> m_controllers; //!< that lead
    uint32_t m_takeovers{0};                        //!< by standbys
    uint32_t m_switches{0};                         //!< optical circuit switches
    bool m_hasCircuits{false};             //!< one of them has circuits, or a GPU has a shim
    std::vector<std::string> m_recoveries; //!< that have not ended
    StallReport m_report;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STALL_OBSERVER_H
