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

/// A collective or message along a rail, seen by all its ranks together.
struct Communication
{
    uint32_t groupId{0};                             //!< its communication group
    Dimension dimension{Dimension::FSDP};            //!< the parallelism it serves
    CollectiveKind kind{CollectiveKind::ALL_GATHER}; //!< what the rank that looks at it calls
    uint64_t bytes{0};                               //!< input bytes of a rank
    uint32_t iteration{0};                           //!< iteration of the rank that looks at it
    Time start;                                      //!< when the last of its ranks arrived
    Time end;                                        //!< when it had ended on all of them
};

/// What makes communications that follow one another one phase.
enum class PhaseRule : uint8_t
{
    GROUP,       //!< one communication group: what one set of circuits serves
    PARALLELISM, //!< one parallelism, of whatever groups, such as messages to both stages beside
};

/// A run of communications of one rank that belong together.
struct CommunicationPhase
{
    Communication first;
    Communication last;
    Time start;                        //!< the earliest start
    Time end;                          //!< the latest end
    uint64_t bytes{0};                 //!< input bytes of the rank
    uint32_t count{0};                 //!< communications
    std::vector<CollectiveKind> kinds; //!< each once, in the order of their first call
};

/**
 * @param communications those of one rank in the order in which it made them
 * @param rule what makes a phase
 * @return their phases, in order
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
 * ML Datacenters", arXiv 2507.08119, section 3.1). It is negative if the phases overlap.
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

/// The windows on a rail: per stage, those of its rank, in order.
using RailWindows = std::vector<std::vector<PhaseWindow>>;

/**
 * @param communications those of one rank in the order in which it made them
 * @param rule what makes a phase
 * @return the windows between their phases, in order
 */
std::vector<PhaseWindow> FindPhaseWindows(const std::vector<Communication>& communications,
                                          PhaseRule rule = PhaseRule::GROUP);

/**
 * @brief What the ranks of one rail call along it: communications, phases and windows.
 *
 * It listens to all ranks of the rail, as a communication begins when the last of its ranks calls
 * and ends when it has ended on all. Phases are those of one rank of each stage, the first that the
 * rail has: the others of the stage do the same. RailPhases keeps the last KEPT_ITERATIONS
 * iterations, so that its memory does not grow with the length of a job.
 */
class RailPhases
{
  public:
    /// Iterations of which all communications and windows are kept.
    static constexpr uint32_t KEPT_ITERATIONS = 100;

    /// Whether an operation of a rank that leaves its domain takes the rails.
    using OnRails = std::function<bool(uint32_t rank, const RankOperation& operation)>;

    /**
     * @param layout domains and groups of the job
     * @param rail the index of the rail
     */
    RailPhases(std::shared_ptr<const RankLayout> layout, uint32_t rail);

    /// @param onRails tells what takes the rails; null: all that leaves a domain
    void SetOnRails(OnRails onRails)
    {
        m_onRails = std::move(onRails);
    }

    /// @param application a rank of the job; those of other rails are passed over
    void Observe(Ptr<TrainingApplication> application);

    /// @param application of a spare GPU, which may become any rank of the job
    void ObserveSpare(Ptr<TrainingApplication> application);

    /**
     * @brief The job begins anew, with no communication under way.
     * @param iteration the first that is done again; what has been noted of it is forgotten
     */
    void Restart(uint32_t iteration);

    /// @return per stage, the scale-out operations of its rank in that rank's last iteration
    const std::vector<std::vector<ScaleOutPhase>>& GetPhases() const
    {
        return m_phases;
    }

    /// @return per stage, the communications of its rank in the iterations that are kept, in the
    /// order in which it called them
    std::vector<std::vector<Communication>> GetCommunications() const;

    /**
     * @param rule what makes a phase
     * @return per stage, the windows of its rank, in the iterations that are kept
     */
    RailWindows GetWindows(PhaseRule rule = PhaseRule::GROUP) const;

  private:
    /// Which communication an operation is part of: the same on all its ranks.
    struct CommKey
    {
        uint32_t groupId;
        uint32_t source; //!< rank that sends; 0 for collectives
        bool pointToPoint;
        uint64_t sequence;      //!< among its like
        uint32_t generation{0}; //!< how often the job had begun anew

        bool operator<(const CommKey& other) const
        {
            return std::tie(groupId, source, pointToPoint, sequence, generation) <
                   std::tie(other.groupId,
                            other.source,
                            other.pointToPoint,
                            other.sequence,
                            other.generation);
        }
    };

    /// A call of a rank whose phases are kept.
    struct Call
    {
        CommKey key;         //!< of what
        uint32_t iteration;  //!< in which of its iterations
        CollectiveKind kind; //!< the other end of a Send has a Recv
    };

    /// How many communications of each kind a rank has seen begin, or end.
    using Counts = std::map<CommKey, uint64_t>;

    void CommunicationBegan(uint32_t rank, uint32_t iteration, const RankOperation& operation);
    void CommunicationEnded(uint32_t rank, uint32_t iteration, const RankOperation& operation);
    /// @return whether an operation goes along the rail
    bool IsOnRail(uint32_t rank, const RankOperation& operation) const;
    /// @return whether a rank whose phases are kept is in a group
    bool IsWatched(const ProcessGroup& group);
    /// Forget iterations, but for the last KEPT_ITERATIONS that all stages have ended.
    void Forget();
    /// @return the key of a rank's next operation of this kind; `counts` is advanced
    CommKey NextKey(uint32_t rank, const RankOperation& operation, Counts& counts) const;

    std::shared_ptr<const RankLayout> m_layout;
    uint32_t m_rail;
    OnRails m_onRails; //!< null: all are
    /// Per stage the rank whose phases are kept; the world size if the rail has none of it.
    std::vector<uint32_t> m_ranks;

    std::map<CommKey, Communication> m_communications;
    std::map<uint32_t, Counts> m_begun;           //!< by rank
    std::map<uint32_t, Counts> m_ended;           //!< by rank
    uint32_t m_generation{0};                     //!< how often the job has begun anew
    std::vector<std::deque<Call>> m_sequence;     //!< per stage: what its rank called, in order
    std::unordered_map<uint32_t, bool> m_watched; //!< by group: IsWatched
    std::vector<std::vector<ScaleOutPhase>> m_phases;
    std::vector<uint32_t> m_phasesIteration; //!< of m_phases
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_PHASES_H
