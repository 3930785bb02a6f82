// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RANK_PROGRAM_WRITER_H
#define PHOTONIC_RAILS_RANK_PROGRAM_WRITER_H

#include "rank-operation.h"

#include "ns3/scale-up-model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Writes operations in issue order and keeps track of what computation waits for.
 *
 * It follows the stream semantics of PyTorch: computation is one sequence; work on another stream
 * starts no earlier than the computation issued before it has ended, and computation issued later
 * goes on at once, unless it is told to wait. The "front" is what the next computation waits for.
 */
class RankProgramWriter
{
  public:
    /// A collective to be issued.
    struct Collective
    {
        Dimension dimension{Dimension::TP};
        GroupRole role{GroupRole::TP};
        CollectiveKind kind{CollectiveKind::ALL_GATHER};
        uint64_t bytes{0}; //!< input bytes of the rank
        std::string label; //!< for people
    };

    /**
     * @param mesh the mesh of the job
     * @param rank a rank of the stage that the program is for
     * @param scaleUp times of collectives inside a domain
     */
    RankProgramWriter(const DeviceMesh& mesh, uint32_t rank, const ScaleUpModel& scaleUp);

    /**
     * @param role a part
     * @return true if there is more than one rank to communicate with
     */
    bool HasPeers(GroupRole role) const;

    /// @return what the next computation waits for
    const std::vector<uint32_t>& GetFront() const;

    /// @param index an operation that the next computation waits for, too
    void Wait(uint32_t index);

    /**
     * @brief Compute.
     * @param label for people
     * @param duration how long
     */
    void Compute(const std::string& label, Time duration);

    /**
     * @brief Issue a collective that computation waits for. Left out if the rank is alone.
     * @param collective what
     */
    void Serial(const Collective& collective);

    /**
     * @brief Issue a collective that runs beside computation. The rank must not be alone.
     * @param collective what
     * @param dependencies what it waits for, beside what is before it on its stream
     * @return its index
     */
    uint32_t Parallel(const Collective& collective, std::vector<uint32_t> dependencies);

    /// @return the operations; the writer is empty afterwards
    std::vector<RankOperation> Take();

  private:
    /**
     * @param operation an operation
     * @return its index
     */
    uint32_t Append(RankOperation operation);

    const DeviceMesh& m_mesh;                //!< of the job
    uint32_t m_rank;                         //!< a rank of the stage
    ScaleUpModel m_scaleUp;                  //!< times inside a domain
    std::vector<uint32_t> m_front;           //!< what the next computation waits for
    std::vector<RankOperation> m_operations; //!< so far
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RANK_PROGRAM_WRITER_H
