// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_COST_H
#define PHOTONIC_RAILS_COLLECTIVE_COST_H

namespace ns3
{

/**
 * @file
 * Time of collectives in the alpha-beta model, as textbooks give it, when all ranks start at once.
 *
 * A message of m bytes takes alpha + m beta, and a rank sends and receives at the same time at rate
 * 1 / beta. Alpha is a latency: messages that do not wait for each other share it, as messages of
 * RDMA follow each other on the wire without a round trip. (LogP-like texts, in which alpha
 * occupies the sender, have an alpha for each chunk of a pipeline instead.)
 *
 *     T = rounds alpha + bytes beta + domainRounds alpha' + domainBytes beta'
 *
 * with alpha, beta of the network between domains (of everything, for algorithms that do not know
 * domains), and alpha', beta' of the scale-up domain. Rounds are the messages in the longest chain
 * of which each waits for the one before; bytes are those that pass one after the other on the way
 * through the slowest rank. With N ranks in D domains of L, a tensor of n bytes (see
 * GetTensorBytes), h the levels of a tree, and K chunks of a pipeline:
 *
 * | collective | algorithm | rounds | bytes |
 * |---|---|---|---|
 * | AllGather, ReduceScatter | ring | N - 1 | n (N - 1) / N |
 * | | halving, doubling | log2 N | n (N - 1) / N |
 * | | hierarchical, along rails | D - 1 | n (D - 1) / N |
 * | | hierarchical, in domains | 1 | n (L - 1) / L |
 * | | direct | 1 | n (N - 1) / N |
 * | AllReduce | ring, halving-doubling, direct, hierarchical | twice the above | twice the above |
 * | | stragglar, R rounds, C replies, at most | N - 2 + 2 R + C | (N - 2 + R) n / (N - 1) |
 * | | tree, h = floor(log2 N) | 2 h | (4 h + b (K - 1)) n / 2K |
 * | Broadcast, Reduce | ring | N - 1 | (N - 1 + K - 1) n / K |
 * | | tree, h = 1 + floor(log2 (N - 1)) | h | (h + K - 1) n / K |
 * | AllToAll | pairwise | N - 1 | n (N - 1) / N |
 * | | direct | 1 | n (N - 1) / N |
 * | | ring, one direction | N - 1 | n (N - 1) / 2 |
 * | | ring, two directions | floor(N / 2) | floor(N^2 / 4) n / N |
 * | | PXN, along rails | 1 | n (D - 1) / D |
 * | | PXN, in domains | 1 | n (L - 1) / L |
 *
 * In a tree each level adds the time of two chunks (one each for two children, or from them), of
 * n / 2K bytes each; b is the number of chunks that the busiest rank sends for each pair of chunks,
 * one of each tree: 4 from some N on, so that the time tends to 2 n beta. A rank of an AllReduce of
 * two has one child, and adds one chunk. Phases of one rank only cost nothing.
 *
 * R is N - 2 + log2 N for powers of two (StragglarPlan). stragglar is made for a rank that is late,
 * which GetStragglarCost is about; here no rank is.
 *
 * Beta counts all ports that the messages of a rank use: both halves for a ring with two
 * directions and for connectors DIRECT, the first half for a ring with one direction.
 *
 * Sources: Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in
 * MPICH", IJHPCA 19, 2005 (ring, halving and doubling, pairwise); Sanders, Speck and Traeff,
 * "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing 35,
 * 2009 (the trees; its time has 2 ceil(log2 N) + 2K steps of one chunk with an alpha each, the
 * formulas here are for the same trees in the model above). The others follow from the schedules,
 * and tests hold rounds and bytes against them.
 */

/// Latency and inverse bandwidth.
struct AlphaBeta
{
    double alpha{0}; //!< seconds from the start of a message without data to its arrival
    double beta{0};  //!< seconds for each byte that a rank sends
};

/// What is multiplied with alpha and beta.
struct CollectiveCost
{
    double rounds{0}; //!< messages that wait for each other
    double bytes{0};  //!< that pass one after the other
    double domainRounds{
        0}; //!< the same inside scale-up domains; only of algorithms that tell domains apart
    double domainBytes{
        0}; //!< the same inside scale-up domains; only of algorithms that tell domains apart

    /**
     * @param network alpha and beta between domains
     * @param domain alpha and beta inside them
     * @return T in seconds
     */
    double GetSeconds(const AlphaBeta& network, const AlphaBeta& domain = {}) const;
};

/// @param times how often @param cost of once @return the cost of several calls after each other
CollectiveCost operator*(double times, const CollectiveCost& cost);

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_COST_H
