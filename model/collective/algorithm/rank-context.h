// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RANK_CONTEXT_H
#define PHOTONIC_RAILS_RANK_CONTEXT_H

#include "collective-call.h"

#include <cstdint>

namespace ns3
{

/// How the ranks of a group lie in scale-up domains.
struct GroupShape
{
    uint32_t size{1};      //!< ranks in the group
    uint32_t perDomain{1}; //!< ranks i * perDomain to (i + 1) * perDomain - 1 share a domain

    /// @return domains that the group spans
    uint32_t GetDomains() const
    {
        return size / perDomain;
    }
};

/// What a rank has to know to work out its part of a collective.
struct RankContext
{
    CollectiveCall call;    //!< what is called; its root, if any, is in `root`
    GroupShape shape;       //!< of the group
    uint32_t index{0};      //!< of this rank in the group
    uint32_t root{0};       //!< index of the root, or of the rank that is late (stragglar)
    uint32_t directions{2}; //!< ways round a ring at the same time, 1 or 2
    uint64_t chunkBytes{
        512 << 10}; //!< size of the pieces in which trees and chains pipeline, not 0
    uint64_t eagerBytes{
        64 << 10}; //!< what halving-doubling sends of a message before its receiver has called

    /// @return GetTensorBytes of the call, as formulas need it
    double GetTensor() const;
};

/**
 * @brief Size of the whole tensor of a collective, the larger of a rank's input and output.
 *
 * This is the size that nccl-tests print, and by which they divide the time for algbw.
 *
 * @param kind a collective, Send or Recv
 * @param size number of ranks in the group
 * @param bytes input bytes of a rank, as in CollectiveCall
 * @return for AllGather the output, for all others the input
 */
uint64_t GetTensorBytes(CollectiveKind kind, uint32_t size, uint64_t bytes);

/**
 * @brief The reverse of GetTensorBytes.
 * @param kind a collective, Send or Recv
 * @param size number of ranks in the group
 * @param tensorBytes size of the whole tensor
 * @return bytes for a CollectiveCall; for AllGather rounded down to the same for all ranks
 */
uint64_t GetInputBytes(CollectiveKind kind, uint32_t size, uint64_t tensorBytes);

} // namespace ns3

#endif // PHOTONIC_RAILS_RANK_CONTEXT_H
