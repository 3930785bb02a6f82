// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_NCCL_TEST_H
#define PHOTONIC_RAILS_NCCL_TEST_H

#include "ns3/collective-call.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The size of a call by the rules of nccl-tests, in elements of four bytes (float).
 *
 * The size is the size of the tensor: the output of an AllGather or a Gather, and the input of
 * others.
 */
struct CollectiveSize
{
    uint64_t bytes{0};     //!< bytes of the tensor, after rounding; 0 if there is nothing to send
    uint64_t count{0};     //!< elements, in the column "count"
    uint64_t callBytes{0}; //!< value for CollectiveCall::bytes

    /// Bytes of an element, whose type is always float.
    static constexpr uint32_t ELEMENT_BYTES = 4;
};

/**
 * @brief One of the benchmarks of nccl-tests: the call that it times, and how it counts sizes and
 * bandwidths (doc/PERFORMANCE.md of nccl-tests, and its sources, 2.13).
 *
 * SendRecv, Gather and Scatter are groups of Send and Recv in NCCL, as AllToAll is. Here they are
 * an AllToAll whose parts differ, so that every algorithm of an AllToAll can carry them out.
 */
struct NcclTest
{
    std::string name; //!< such as AllGather or SendRecv
    CollectiveKind kind{
        CollectiveKind::ALL_REDUCE}; //!< the kind whose bandwidths the benchmark has
    /// True if each rank has a part of the tensor. The size is then rounded down to whole elements
    /// for each rank, and the count is the count of one rank.
    bool isDivided{false};
    std::string reduction{"none"}; //!< the operation, in the column "redop"
    int root{-1};                  //!< rank at index 0 if there is a root, otherwise -1
    /// @return the bytes between any two ranks, from the size of the tensor; null unless they
    /// differ
    Ptr<const AllToAllSizes> (*makeSizes)(uint32_t ranks, uint64_t bytes){nullptr};

    /// @return all benchmarks
    static const std::vector<NcclTest>& GetAll();

    /**
     * @param name name of a benchmark; aborts if there is none of this name
     * @return the benchmark
     */
    static const NcclTest& Get(const std::string& name);

    /// @return the kind of the call, whose algorithms can be used
    CollectiveKind GetCallKind() const
    {
        return makeSizes ? CollectiveKind::ALL_TO_ALL : kind;
    }

    /**
     * @param ranks ranks in the group
     * @param bytes the wanted size
     * @return the size after rounding, which is 0 if the ranks do not get an element each
     */
    CollectiveSize GetSize(uint32_t ranks, uint64_t bytes) const;

    /**
     * @param ranks ranks in the group
     * @return the smallest size that is not rounded down to zero
     */
    uint64_t GetLeast(uint32_t ranks) const;

    /**
     * @param ranks ranks in the group
     * @param size a size after rounding
     * @return the call of a rank, without group and root
     */
    CollectiveCall MakeCall(uint32_t ranks, const CollectiveSize& size) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_NCCL_TEST_H
