// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOMPUTATION_CHOICE_H
#define PHOTONIC_RAILS_RECOMPUTATION_CHOICE_H

#include "memory-estimate.h"

#include <string>

namespace ns3
{

/**
 * @brief The least recomputation with which a job fits into the memory of its GPUs, the usual
 * choice: activations are computed again only if there is no room for them.
 *
 * A job fits if the estimate leaves the share MARGIN of the memory free for what MemoryEstimate
 * leaves out. TorchTitan's docs/performance.md reports which jobs ran on A100s of 80 GB: Llama 2
 * 13B without recomputation, which takes 63 GB by estimate, did; Llama 2 70B with two sequences and
 * selective recomputation, 150 GB by estimate, ran out of memory. With this margin both come out as
 * reported, and its job files (selective for Llama 3 8B, full for 70B) as they are.
 */
struct RecomputationChoice
{
    /// Share of the memory that stays free.
    static constexpr double MARGIN = 0.2;

    Recomputation recomputation{Recomputation::FULL}; //!< that was chosen
    MemoryEstimate memory; //!< with it, of the pipeline rank that needs most

    /**
     * @brief Choose.
     * @param spec a job that passed validation, whose own recomputation does not matter
     * @param least that the framework takes in any case
     * @return the choice; full recomputation if the job does not fit even so
     */
    static RecomputationChoice Make(WorkloadSpec spec, Recomputation least);

    /**
     * @param spec the job
     * @param reason for the recomputation of the job
     * @return one line: the recomputation of the job, the reason, and the memory
     */
    static std::string Describe(const WorkloadSpec& spec, const std::string& reason);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOMPUTATION_CHOICE_H
