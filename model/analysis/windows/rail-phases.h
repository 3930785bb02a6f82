// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_PHASES_H
#define PHOTONIC_RAILS_RAIL_PHASES_H

#include "ns3/nstime.h"
#include "ns3/rank-layout.h"
#include "ns3/rank-program.h"
#include "ns3/training-application.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/// A run of equal scale-out operations of one rank: "fsdp AllGather 17".
struct ScaleOutPhase
{
    Dimension dimension{Dimension::FSDP};
    CollectiveKind kind{CollectiveKind::ALL_GATHER};
    uint32_t count{0};

    /**
     * @brief Extend a run-length coded sequence by one operation; ignores operations other than
     * scale-out.
     * @param phases the sequence so far
     * @param operation the next operation
     */
    static void Append(std::vector<ScaleOutPhase>& phases, const RankOperation& operation);

    /**
     * @param operations operations of a rank in some order
     * @return their scale-out operations, run-length coded
     */
    static std::vector<ScaleOutPhase> Encode(const std::vector<RankOperation>& operations);

    /// @return dimension, kind and count, separated by blanks
    std::string ToText() const;

    /**
     * @brief Write a sequence in one line. Repeats of one or several phases are folded: "pp Send 1
     * | (fsdp AllGather 17 | pp Recv 1) x 30".
     * @param phases a sequence
     * @return the line
     */
    static std::string Fold(const std::vector<ScaleOutPhase>& phases);
};

/// A collective or message along a rail, with the times of all its ranks.
struct Communication
{
    uint32_t groupId{0};                             //!< communication group
    Dimension dimension{Dimension::FSDP};            //!< parallelism of the group
    CollectiveKind kind{CollectiveKind::ALL_GATHER}; //!< kind of the call of the observed rank
    uint64_t bytes{0};                               //!< input bytes of a rank
    uint32_t iteration{0};                           //!< iteration of the observed rank
    Time start;                                      //!< when the last rank called
    Time end;                                        //!< when the last rank ended
};

/// Identifies the communication of an operation, with the same value on all ranks.
struct CommunicationKey
{
    /// Number of communications of each kind on a rank so far, by key with sequence 0.
    using Counts = std::map<CommunicationKey, uint64_t>;

    uint32_t groupId{0};
    uint32_t source{0}; //!< sending rank; 0 for collectives
    bool pointToPoint{false};
    uint64_t sequence{0};   //!< number among the communications with the same other fields
    uint32_t generation{0}; //!< number of restarts of the job before the operation

    /**
     * @param layout domains and groups of the job
     * @param rank a rank
     * @param operation its next operation of a kind
     * @param generation number of restarts of the job
     * @param counts of the rank; advanced
     * @return the key of the operation
     */
    static CommunicationKey Next(const RankLayout& layout,
                                 uint32_t rank,
                                 const RankOperation& operation,
                                 uint32_t generation,
                                 Counts& counts);

    bool operator<(const CommunicationKey& other) const
    {
        return std::tie(groupId, source, pointToPoint, sequence, generation) <
               std::tie(other.groupId,
                        other.source,
                        other.pointToPoint,
                        other.sequence,
                        other.generation);
    }
};

/// The property that consecutive communications of one phase share.
enum class PhaseRule : uint8_t
{
    GROUP,       //!< the communication group, and with it the set of circuits
    PARALLELISM, //!< the parallelism, in any group, such as messages to both neighbouring stages
};

/// A phase: consecutive communications of one rank.
struct CommunicationPhase
{
    Communication first;
    Communication last;
    Time start;                        //!< the earliest start
    Time end;                          //!< the latest end
    uint64_t bytes{0};                 //!< input bytes of the rank
    uint32_t count{0};                 //!< communications
    std::vector<CollectiveKind> kinds; //!< distinct kinds, in the order of the first call
};

/**
 * @param communications the communications of one rank, in the order of the calls
 * @param rule the property that the communications of a phase share
 * @return the phases, in order
 */
std::vector<CommunicationPhase> FindPhases(const std::vector<Communication>& communications,
                                           PhaseRule rule = PhaseRule::GROUP);

/**
 * @brief The idle time between two consecutive parallelism phases of one rank.
 *
 * A phase is a run of communications of one group, or of one parallelism (PhaseRule). The window
 * between phases P1 and P2 is
 *
 *     min over comm_j in P2 of T_start(comm_j) - max over comm_i in P1 of T_end(comm_i)
 *
 * with T_start(comm) the arrival of its last rank and one T_end for all ranks ("Photonic Rails in
 * ML Datacenters", arXiv 2507.08119, section 3.1). The window is negative if the phases overlap.
 */
struct PhaseWindow
{
    uint32_t iteration{0};             //!< in which the second phase begins
    Dimension from{Dimension::FSDP};   //!< last communication of the first phase
    Dimension to{Dimension::FSDP};     //!< first communication of the second phase
    Time duration;                     //!< the window
    uint64_t bytesAfter{0};            //!< sum over the second phase
    std::vector<CollectiveKind> kinds; //!< in the second phase, in the order of their first call
};

/// The windows on a rail: for each stage the windows of one rank, in order.
using RailWindows = std::vector<std::vector<PhaseWindow>>;

/**
 * @param communications the communications of one rank, in the order of the calls
 * @param rule the property that the communications of a phase share
 * @return the windows between the phases, in order
 */
std::vector<PhaseWindow> FindPhaseWindows(const std::vector<Communication>& communications,
                                          PhaseRule rule = PhaseRule::GROUP);

/**
 * @brief Records the communications, phases and windows on one rail.
 *
 * RailPhases observes all ranks of the rail, because a communication begins with the call of its
 * last rank and ends when its last rank has ended. Phases are recorded for one rank of each stage,
 * the first on the rail; the other ranks of the stage have the same phases. RailPhases keeps the
 * last KEPT_ITERATIONS iterations, so that its memory does not grow with the length of a job.
 */
class RailPhases
{
  public:
    /// Number of iterations whose communications and windows are kept.
    static constexpr uint32_t KEPT_ITERATIONS = 100;

    /// Returns true if an operation of a rank, which leaves its domain, takes the rails.
    using OnRails = std::function<bool(uint32_t rank, const RankOperation& operation)>;

    /**
     * @param layout domains and groups of the job
     * @param rail the index of the rail
     */
    RailPhases(std::shared_ptr<const RankLayout> layout, uint32_t rail);

    /// @param onRails selects the operations on the rails; null: all operations that leave a domain
    void SetOnRails(OnRails onRails)
    {
        m_onRails = std::move(onRails);
    }

    /// @param application a rank of the job; ranks of other rails are ignored
    void Observe(Ptr<TrainingApplication> application);

    /// @param application of a spare GPU, which may become any rank of the job
    void ObserveSpare(Ptr<TrainingApplication> application);

    /**
     * @brief Record that the job restarts, without communication in flight.
     * @param iteration the first iteration to be repeated; its records are deleted
     */
    void Restart(uint32_t iteration);

    /// @return for each stage the scale-out operations of one rank in the last iteration of the
    /// rank
    const std::vector<std::vector<ScaleOutPhase>>& GetPhases() const
    {
        return m_phases;
    }

    /// @return for each stage the communications of one rank in the kept iterations, in the order
    /// of the calls
    std::vector<std::vector<Communication>> GetCommunications() const;

    /**
     * @param rule the property that the communications of a phase share
     * @return for each stage the windows of one rank in the kept iterations
     */
    RailWindows GetWindows(PhaseRule rule = PhaseRule::GROUP) const;

  private:
    /// A call of a rank whose phases are recorded.
    struct Call
    {
        CommunicationKey key; //!< the communication
        uint32_t iteration;   //!< iteration of the rank
        CollectiveKind kind;  //!< the other end of a Send has a Recv
    };

    void CommunicationBegan(uint32_t rank, uint32_t iteration, const RankOperation& operation);
    void CommunicationEnded(uint32_t rank, uint32_t iteration, const RankOperation& operation);
    /// @return true if an operation takes the rail
    bool IsOnRail(uint32_t rank, const RankOperation& operation) const;
    /// @return true if a group has a rank whose phases are recorded
    bool IsWatched(const ProcessGroup& group);
    /// Delete all ended iterations but the last KEPT_ITERATIONS that all stages have ended.
    void Forget();

    std::shared_ptr<const RankLayout> m_layout;
    uint32_t m_rail;
    OnRails m_onRails; //!< null: all operations
    /// For each stage the rank whose phases are recorded; the world size if the rail has no rank of
    /// the stage.
    std::vector<uint32_t> m_ranks;

    std::map<CommunicationKey, Communication> m_communications;
    std::map<uint32_t, CommunicationKey::Counts> m_begun; //!< by rank
    std::map<uint32_t, CommunicationKey::Counts> m_ended; //!< by rank
    uint32_t m_generation{0};                             //!< number of restarts of the job
    std::vector<std::deque<Call>> m_sequence; //!< for each stage the calls of its rank, in order
    std::unordered_map<uint32_t, bool> m_watched; //!< by group: IsWatched
    std::vector<std::vector<ScaleOutPhase>> m_phases;
    std::vector<uint32_t> m_phasesIteration; //!< iterations of m_phases
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_PHASES_H
