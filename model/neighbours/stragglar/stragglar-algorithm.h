// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STRAGGLAR_ALGORITHM_H
#define PHOTONIC_RAILS_STRAGGLAR_ALGORITHM_H

#include "ns3/collective-algorithm.h"
#include "ns3/collective-call.h"
#include "ns3/collective-schedule.h"

namespace ns3
{

/**
 * @brief One rank's part of an AllReduce for a persistent straggler, as a pure function.
 *
 * StragglAR (arXiv 2505.23523): the ranks but the straggler, which is `part.root`, scatter and
 * reduce chunks of 1 / (N - 1) of the tensor round a ring in N - 2 steps. Then come the rounds of
 * StragglarPlan. All connectors are DIRECT. A straggler that calls before the others have their
 * chunks waits for them.
 *
 * **Synchronization of rounds.** Two rounds must not share a link: late chunks would be delayed
 * further, and ranks would drift apart. A rank therefore requests the chunk of a round by a call, a
 * message without data, when the chunk of the previous round has arrived. Its peer sends the chunk
 * when the call and the peer's own chunk of the previous round have arrived (a rendezvous, as in
 * libraries for long messages). A rank that sends a chunk but receives none is notified of the
 * arrival by a reply, another message without data, unless the rank sends nothing afterwards. A
 * round thus takes two latencies and the time of a chunk; GetStragglarChain counts both.
 *
 * @param part AllReduce in a group of an even number of ranks
 * @return the schedule
 */
CollectiveSchedule MakeStragglarSchedule(const RankContext& part);

/// Messages of which each waits for the one before.
struct StragglarChain
{
    uint32_t chunks{0}; //!< those with data
    uint32_t calls{0};  //!< those without: calls and replies

    /// @return all of them
    uint32_t GetMessages() const
    {
        return chunks + calls;
    }
};

/**
 * @param ranks an even number of ranks
 * @param scatter chunks that wait for each other before the others have theirs: 0 if they have them
 * when the straggler calls, N - 2 if all call at the same time
 * @return the longest chain from the call of the straggler to the end, these included; of those
 * with equally many messages the one with most chunks
 */
StragglarChain GetStragglarChain(uint32_t ranks, uint32_t scatter);

/// The parts of the time of a collective with one late rank, in the model above.
struct StragglarCost
{
    CollectiveCost scatter; //!< ReduceScatter of the others, while the straggler is late
    CollectiveCost rounds;  //!< chunks from its call on, if the others have theirs by then
    double calls{0};        //!< messages without data between these, see GetStragglarChain

    /**
     * @param network alpha and beta of chunks
     * @param callAlpha alpha of calls, in seconds: a switch stores them for less than a full packet
     * @param delay by which the straggler is late, in seconds
     * @return from the call of the others to the end in seconds: the rounds begin when both the
     * straggler and the chunks are there
     */
    double GetSeconds(const AlphaBeta& network, double callAlpha, double delay) const;
};

/**
 * @param part an AllReduce
 * @return the cost of the ReduceScatter of the ranks but the straggler
 */
CollectiveCost GetStragglarScatter(const RankContext& part);

/**
 * @param part an AllReduce in a group of an even number of ranks
 * @return the cost of carrying it out by stragglar
 */
StragglarCost GetStragglarCost(const RankContext& part);

} // namespace ns3

#endif // PHOTONIC_RAILS_STRAGGLAR_ALGORITHM_H
