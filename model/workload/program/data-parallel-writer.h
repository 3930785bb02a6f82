// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DATA_PARALLEL_WRITER_H
#define PHOTONIC_RAILS_DATA_PARALLEL_WRITER_H

#include "rank-model.h"
#include "rank-program-writer.h"
#include "workload-spec.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @brief Writes what data parallelism adds to a program: gathering of parameters, reduction of
 * gradients.
 *
 * It is told of every pass and of every module that is about to be or has been computed, in program
 * order.
 */
class DataParallelWriter
{
  public:
    /**
     * @param spec the job
     * @param model of the rank
     * @param program takes the operations
     * All must outlive the result.
     * @return the writer for the job's DataParallelism
     */
    static std::unique_ptr<DataParallelWriter> Create(const WorkloadSpec& spec,
                                                      const RankModel& model,
                                                      RankProgramWriter& program);

    virtual ~DataParallelWriter() = default;

    /// @param pass begins
    virtual void BeginPass(const ModelPass& pass) = 0;

    /**
     * @brief Let computation wait for parameters.
     * @param pass the pass
     * @param module which is about to be computed
     * @param isExperts its routed experts are
     */
    virtual void Need(const ModelPass& pass, std::size_t module, bool isExperts) = 0;

    /**
     * @param pass the pass
     * @param module which has been computed
     */
    virtual void EndModule(const ModelPass& pass, std::size_t module) = 0;

    /// @param pass has ended
    virtual void EndPass(const ModelPass& pass) = 0;

    /// Reduce what the backwards left, and let computation wait for all reductions.
    virtual void Finish() = 0;

    /// After the optimizer.
    virtual void EndStep() = 0;

    /// @return fp32 parameters that the rank's optimizer owns
    virtual uint64_t GetOwned() const = 0;

  protected:
    /**
     * @param spec the job
     * @param model of the rank
     * @param program takes the operations
     */
    DataParallelWriter(const WorkloadSpec& spec,
                       const RankModel& model,
                       RankProgramWriter& program);

    /// @return bytes of a gradient when it is reduced
    uint64_t GetGradientBytes() const;

    const WorkloadSpec& m_spec;   //!< the job
    const RankModel& m_model;     //!< of the rank
    RankProgramWriter& m_program; //!< takes the operations
};

} // namespace ns3

#endif // PHOTONIC_RAILS_DATA_PARALLEL_WRITER_H
