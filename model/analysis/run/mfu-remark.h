// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MFU_REMARK_H
#define PHOTONIC_RAILS_MFU_REMARK_H

#include "step-split.h"

#include "ns3/workload-spec.h"

#include <string>

namespace ns3
{

/// Fewest parameters of a model whose MFU is compared: those published are of larger models.
constexpr uint64_t LEAST_PARAMETERS_OF_MFU = 1'000'000'000;

/**
 * @brief Say why the MFU of a step is far from those that were published for its GPU.
 *
 * MFU = (efficiency of the products) x (share of the step in which a rank computes the model, each
 * product once). The rest of the step is recomputation, other computation (operators that the
 * memory bounds, the optimizer, the second computation inside fused attention), communication that
 * nothing hides, and waiting. An efficiency below the lowest published share counts with the part
 * of the step that the lowest one would save.
 *
 * @param job that ran
 * @param split of the step
 * @param mfu of the step
 * @return one line with the reasons, by their share of the step; an empty string if the MFU is one
 * of those published (GpuSpec::published), or the model too small to compare
 */
std::string MakeMfuRemark(const WorkloadSpec& job, const StepSplit& split, double mfu);

} // namespace ns3

#endif // PHOTONIC_RAILS_MFU_REMARK_H
