// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_PHASES_H
#define PHOTONIC_RAILS_RAIL_PHASES_H

#include "phase-windows.h"

#include "ns3/device-mesh.h"
#include "ns3/scale-out-phase.h"
#include "ns3/training-application.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @brief What the ranks of one rail call along it: communications, phases and windows.
 *
 * It listens to all ranks of the rail, as a communication begins when the last of its ranks calls
 * and ends when it has ended on all. Phases are those of one rank of each stage, the first that the
 * rail has: the others of the stage do the same.
 */
class RailPhases
{
  public:
    /// Whether an operation of a rank that leaves its domain takes the rails.
    using OnRails = std::function<bool(uint32_t rank, const RankOperation& operation)>;

    /**
     * @param mesh the mesh of the job
     * @param rail the index of the rail
     */
    RailPhases(std::shared_ptr<const DeviceMesh> mesh, uint32_t rail);

    /// @param onRails tells what takes the rails; null: all that leaves a domain
    void SetOnRails(OnRails onRails);

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
    const std::vector<std::vector<ScaleOutPhase>>& GetPhases() const;

    /// @return per stage, the communications of its rank, in the order in which it called them
    std::vector<std::vector<Communication>> GetCommunications() const;

    /**
     * @param rule what makes a phase
     * @return per stage, the windows of its rank, in all iterations
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
    /// @return the key of a rank's next operation of this kind; `counts` is advanced
    CommKey NextKey(uint32_t rank, const RankOperation& operation, Counts& counts) const;

    std::shared_ptr<const DeviceMesh> m_mesh;
    uint32_t m_rail;
    OnRails m_onRails; //!< null: all are
    /// Per stage the rank whose phases are kept; the world size if the rail has none of it.
    std::vector<uint32_t> m_ranks;

    std::map<CommKey, Communication> m_communications;
    std::map<uint32_t, Counts> m_begun;        //!< by rank
    std::map<uint32_t, Counts> m_ended;        //!< by rank
    uint32_t m_generation{0};                  //!< how often the job has begun anew
    std::vector<std::vector<Call>> m_sequence; //!< per stage: what its rank called, in order
    std::vector<std::vector<ScaleOutPhase>> m_phases;
    std::vector<uint32_t> m_phasesIteration; //!< of m_phases
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_PHASES_H
