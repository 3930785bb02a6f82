// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RANK_PROGRAM_WRITER_H
#define PHOTONIC_RAILS_RANK_PROGRAM_WRITER_H

#include "rank-collective.h"
#include "rank-operation.h"

#include "ns3/compute-model.h"
#include "ns3/device-mesh.h"
#include "ns3/operator-cost.h"
#include "ns3/scale-up-model.h"

#include <cstdint>
#include <map>
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
 *
 * Groups of equal ranks are one group with one order of calls, whatever roles it plays
 * (DeviceMesh). So a collective waits for the one before it on its group, if that is on another
 * stream: all ranks then call in program order, whatever their timing.
 */
class RankProgramWriter
{
  public:
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

    /**
     * @param role a part
     * @return ranks of the group
     */
    uint32_t GetSize(GroupRole role) const;

    /// @return what the next computation waits for
    const std::vector<uint32_t>& GetFront() const;

    /// @param index an operation that the next computation waits for, too
    void Wait(uint32_t index);

    /**
     * @brief Compute.
     * @param label for people
     * @param duration how long
     * @param flops of it
     */
    void Compute(const std::string& label, Time duration, double flops);

    /**
     * @brief Compute.
     * @param label for people
     * @param compute durations
     * @param costs of the operators
     */
    void Compute(const std::string& label, const ComputeModel& compute, const OperatorCosts& costs);

    /**
     * @brief Issue a collective that computation waits for. Left out if the rank is alone.
     * @param collective what
     * @param label for people
     */
    void Serial(const RankCollective& collective, const std::string& label);

    /**
     * @brief Issue a collective that runs beside computation. The rank must not be alone.
     * @param collective what
     * @param label for people
     * @param dependencies what it waits for, beside what is before it on its stream
     * @return its index
     */
    uint32_t Parallel(const RankCollective& collective,
                      const std::string& label,
                      std::vector<uint32_t> dependencies);

    /// @return the operations; the writer is empty afterwards
    std::vector<RankOperation> Take();

  private:
    /**
     * @param operation an operation
     * @return its index
     */
    uint32_t Append(RankOperation operation);

    /// The group that plays a role.
    struct Group
    {
        uint32_t id{0};
        uint32_t size{1};
        DeviceMesh::Reach reach{DeviceMesh::SELF};
    };

    /// @return the group of a role
    const Group& GetGroup(GroupRole role) const;

    std::vector<Group> m_groups;             //!< by role
    ScaleUpModel m_scaleUp;                  //!< times inside a domain
    std::map<uint32_t, uint32_t> m_lasts;    //!< last collective, by id of the group
    std::vector<uint32_t> m_front;           //!< what the next computation waits for
    std::vector<RankOperation> m_operations; //!< so far
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RANK_PROGRAM_WRITER_H
