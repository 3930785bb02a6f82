// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SCALE_OUT_PHASE_H
#define PHOTONIC_RAILS_SCALE_OUT_PHASE_H

#include "rank-operation.h"

#include <cstdint>
#include <string>
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
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SCALE_OUT_PHASE_H
