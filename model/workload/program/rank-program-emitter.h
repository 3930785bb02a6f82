// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RANK_PROGRAM_EMITTER_H
#define PHOTONIC_RAILS_RANK_PROGRAM_EMITTER_H

#include "rank-program.h"

#include "ns3/compute-model.h"
#include "ns3/device-mesh.h"
#include "ns3/layer-operators.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// One step of a rank through a unit of the model: a computation or a collective.
struct LayerStep
{
    bool isCollective{false};
    bool isBeside{false};      //!< a collective that overlaps with the next computation; only steps
                               //!< after that computation wait for the collective
    bool needsExperts{false};  //!< a computation with the parameters of routed experts
    RankCollective collective; //!< only if isCollective
    Time duration;             //!< duration of a computation
    double flops{0};           //!< FLOPs of a computation
    std::string label;         //!< suffix after the names of pass and unit: " attention"
};

/// Steps in the order of issue; each step waits for the previous one.
using LayerSteps = std::vector<LayerStep>;

/// @return true if a pass computes gradients of inputs
constexpr bool
HasInputPart(ComputePass pass)
{
    return pass == ComputePass::BACKWARD || pass == ComputePass::BACKWARD_INPUT;
}

/// @return true if a pass computes gradients of weights
constexpr bool
HasWeightPart(ComputePass pass)
{
    return pass == ComputePass::BACKWARD || pass == ComputePass::BACKWARD_WEIGHT;
}

/// Writes the steps of one unit and pass.
class LayerEmitter
{
  public:
    /**
     * @param operators operators of a layer; must outlive the writer
     * @param compute computation times; must outlive the writer
     */
    LayerEmitter(const LayerOperators& operators, const ComputeModel& compute);

    /// @param part prefix of the labels of the following steps, such as " recomputed"
    void SetPart(const std::string& part)
    {
        m_part = part;
    }

    /// @return the prefix of labels
    const std::string& GetPart() const
    {
        return m_part;
    }

    /**
     * @brief Compute blocks of the model, one after the other.
     * @param label label for output
     * @param blocks blocks of the model
     * @param pass a part of a step
     * @param share share of the computation, at most 1
     */
    void Compute(const std::string& label,
                 const std::vector<ModelBlock>& blocks,
                 ComputePass pass,
                 double share = 1);

    /**
     * @param label label for output
     * @param costs costs of operators
     * @param needsExperts true if the operators use parameters of routed experts
     */
    void Compute(const std::string& label, const OperatorCosts& costs, bool needsExperts = false);

    /**
     * @param label label for output
     * @param collective a collective for which all later steps wait
     */
    void Collective(const std::string& label, const RankCollective& collective);

    /**
     * @param label label for output
     * @param collective a collective that overlaps with the next computation
     */
    void Beside(const std::string& label, const RankCollective& collective);

    /// @return the operators of the blocks
    const LayerOperators& GetOperators() const
    {
        return m_operators;
    }

    /// @return the steps; the writer is empty afterwards
    LayerSteps Take();

  private:
    const LayerOperators& m_operators;
    const ComputeModel& m_compute;
    std::string m_part; //!< prefix of labels
    LayerSteps m_steps; //!< steps written so far
};

/**
 * @brief Writes operations in issue order and tracks the operations for which computation waits.
 *
 * The writer follows the stream semantics of PyTorch. Computation is one sequence. Work on another
 * stream starts after the end of the computation issued before it. Computation issued later
 * continues without waiting, unless Wait is called. The "front" is the set of operations for which
 * the next computation waits.
 *
 * Groups of equal ranks are one group with one order of calls in all its roles (DeviceMesh). A
 * collective therefore waits for the previous collective on its group if that one is on another
 * stream: all ranks call in program order, whatever their timing.
 */
class RankProgramEmitter
{
  public:
    /**
     * @param mesh the mesh of the job
     * @param rank a rank of the program's class
     * @param scaleUp times of collectives inside a domain
     */
    RankProgramEmitter(const DeviceMesh& mesh, uint32_t rank, const ScaleUpModel& scaleUp);

    /**
     * @param role a role
     * @return true if the group in this role has more than one rank
     */
    bool HasPeers(GroupRole role) const;

    /**
     * @param role a role
     * @return number of ranks of the group
     */
    uint32_t GetSize(GroupRole role) const;

    /// @return the operations for which the next computation waits
    const std::vector<uint32_t>& GetFront() const
    {
        return m_front;
    }

    /// @param index a further operation for which the next computation waits
    void Wait(uint32_t index);

    /**
     * @brief Add a computation of a given duration.
     * @param label label for output
     * @param duration duration of the computation
     * @param flops FLOPs of the computation
     */
    void Compute(const std::string& label, Time duration, double flops);

    /**
     * @brief Add a computation of given operators.
     * @param label label for output
     * @param compute computation times
     * @param costs costs of the operators
     */
    void Compute(const std::string& label, const ComputeModel& compute, const OperatorCosts& costs);

    /**
     * @brief Issue a collective for which computation waits. Does nothing for a group of one rank.
     * @param collective the collective
     * @param label label for output
     */
    void Serial(const RankCollective& collective, const std::string& label);

    /**
     * @brief Issue a collective that overlaps with computation. The group must have other ranks.
     * @param collective the collective
     * @param label label for output
     * @param dependencies operations for which the collective waits, in addition to its stream
     * @return index of the operation
     */
    uint32_t Parallel(const RankCollective& collective,
                      const std::string& label,
                      std::vector<uint32_t> dependencies);

    /// @return the operations; the writer is empty afterwards
    std::vector<RankOperation> Take();

  private:
    /**
     * @param operation an operation
     * @return index of the operation
     */
    uint32_t Append(RankOperation operation);

    /// The group in a role.
    struct Group
    {
        uint32_t id{0};
        uint32_t size{1};
        DeviceMesh::Reach reach{DeviceMesh::SELF};
    };

    /// @return the group in a role
    const Group& GetGroup(GroupRole role) const;

    std::vector<Group> m_groups;             //!< by role
    ScaleUpModel m_scaleUp;                  //!< times inside a domain
    std::map<uint32_t, uint32_t> m_lasts;    //!< last collective, by id of the group
    std::vector<uint32_t> m_front;           //!< operations for which the next computation waits
    std::vector<RankOperation> m_operations; //!< operations written so far
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RANK_PROGRAM_EMITTER_H
