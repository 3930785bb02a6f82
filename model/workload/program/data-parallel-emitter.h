// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DATA_PARALLEL_EMITTER_H
#define PHOTONIC_RAILS_DATA_PARALLEL_EMITTER_H

#include "rank-model.h"
#include "rank-program-emitter.h"
#include "workload-spec.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @brief Writes the operations of data parallelism: AllGathers of parameters and reductions of
 * gradients.
 *
 * The caller reports every pass, and the start and end of every module, in program order.
 */
class DataParallelEmitter
{
  public:
    /**
     * @brief Create the writer for the job's DataParallelism. All arguments must outlive the
     * writer.
     * @param spec the job
     * @param model part of the model on the rank
     * @param program program to which operations are added
     * @return the writer
     */
    static std::unique_ptr<DataParallelEmitter> Create(const WorkloadSpec& spec,
                                                       const RankModel& model,
                                                       RankProgramEmitter& program);

    virtual ~DataParallelEmitter() = default;

    /// @param pass the pass that begins
    virtual void BeginPass(const ModelPass& pass) = 0;

    /**
     * @brief Let computation wait for parameters.
     * @param pass the pass
     * @param module module whose computation is next
     * @param isExperts true if the computation uses routed experts of the module
     */
    virtual void Need(const ModelPass& pass, std::size_t module, bool isExperts) = 0;

    /**
     * @param pass the pass
     * @param module module whose computation has ended
     */
    virtual void EndModule(const ModelPass& pass, std::size_t module) = 0;

    /// @param pass the pass that has ended
    virtual void EndPass(const ModelPass& pass) = 0;

    /// Reduce the remaining gradients, and let computation wait for all reductions.
    virtual void Finish() = 0;

    /// Write the operations that follow the optimizer.
    virtual void EndStep() = 0;

    /// @return fp32 parameters that the rank's optimizer owns
    virtual uint64_t GetOwned() const = 0;

  protected:
    /**
     * @param spec the job
     * @param model part of the model on the rank
     * @param program program to which operations are added
     */
    DataParallelEmitter(const WorkloadSpec& spec,
                        const RankModel& model,
                        RankProgramEmitter& program);

    /// @return bytes of one gradient value in a reduction
    uint64_t GetGradientBytes() const;

    const WorkloadSpec& m_spec;    //!< the job
    const RankModel& m_model;      //!< part of the model on the rank
    RankProgramEmitter& m_program; //!< receives the operations
};

} // namespace ns3

#endif // PHOTONIC_RAILS_DATA_PARALLEL_EMITTER_H
