// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STALL_OBSERVER_H
#define PHOTONIC_RAILS_STALL_OBSERVER_H

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Explains in a few lines why a job does not continue. A pure class.
 *
 * Ranks that wait for the same thing share a line. The report starts with facts that concern no
 * particular rank, then lists ranks that wait for no other rank, since the cause of the stall is
 * there. If every rank waits for another rank, the report names a circle of ranks that wait for
 * each other instead. All other ranks follow, the line with the most ranks first.
 */
class StallReport
{
  public:
    /// Default for the largest number of lines.
    static constexpr std::size_t MAX_LINES = 8;

    /// @param line a fact for which ranks may wait, such as "the controller is down since 1 s"
    void AddFact(const std::string& line)
    {
        m_facts.push_back(line);
    }

    /**
     * @brief Add a rank that waits.
     * @param rank global rank
     * @param text the reason; if there are other ranks, GetLines appends their list
     * @param others ranks for which the rank waits; may be empty
     */
    void AddWait(uint32_t rank, const std::string& text, const std::vector<uint32_t>& others);

    /// @return ranks that do not wait although other ranks wait for them, in order
    std::vector<uint32_t> GetRanksNotWaiting() const;

    /// Ranks that wait for each other may go on: events are left. Names no circle.
    void SetStopped()
    {
        m_isStopped = true;
    }

    /**
     * @param limit largest number of lines, at least 2
     * @return the lines; if ranks are left out, the last line lists them
     */
    std::vector<std::string> GetLines(std::size_t limit = MAX_LINES) const;

    /// @return the line with the most ranks; empty if no rank waits
    std::string GetCommonest() const;

    /**
     * @param ranks in ascending order
     * @return such as "rank 3", "ranks 0-3, 8", or "ranks 0, 4, 8, 12, 16, 20 and 10 more"
     */
    static std::string ToText(const std::set<uint32_t>& ranks);

  private:
    /// Ranks with the same reason, and the ranks for which they wait.
    struct Wait
    {
        std::set<uint32_t> ranks;
        std::set<uint32_t> others;

        /// @param reason the text of these ranks @return a line
        std::string ToLine(const std::string& reason) const;
    };

    using Edges = std::map<uint32_t, std::set<uint32_t>>; //!< ranks for which a rank waits

    /// @return the ranks from which no chain of waiting ranks leads to a rank that waits for none
    Edges FindUnexplained() const;
    /// @return a circle: each rank waits for the next, the last for the first; empty if none
    std::vector<uint32_t> FindCircle() const;

    bool m_isStopped{false}; //!< see SetStopped
    std::vector<std::string> m_facts;
    std::map<std::pair<std::string, bool>, Wait> m_waits; //!< by text, and whether others follow
    Edges m_edges;
};

class CollectiveEngine;
class Node;
class OpusController;
class OpusShim;
class TrainingApplication;
struct CallWait;

/**
 * @brief Inspects all ranks, after a run or as an event, and reports why a job has not ended.
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
        std::string commonest;          //!< StallReport::GetCommonest
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
        Ptr<CollectiveEngine> engine;
        Ptr<TrainingApplication> training; //!< or null
        Ptr<OpusShim> shim;                //!< or null
    };

    using Key = std::pair<uint32_t, uint32_t>; //!< job and rank
    /// Why a call waits, and the ranks for which it waits.
    using Reason = std::pair<std::string, std::vector<uint32_t>>;

    StallObserver();

    /// Add the ranks, controllers and recoveries of a node.
    void AddNode(Ptr<Node> node);
    /// Report controllers that are down and recoveries that have not ended.
    void AddFacts();
    /// Report the calls of a rank. @return the number of calls that have not ended
    uint64_t AddWaits(const Rank& rank);
    /// @return why a call has not ended
    Reason FindReason(const Rank& rank, const CallWait& wait) const;
    /// @return why a call waits for circuits
    Reason FindLeaseReason(const Rank& rank, const CallWait& wait) const;
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
