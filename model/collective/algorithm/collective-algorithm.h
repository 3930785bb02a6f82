// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_ALGORITHM_H
#define PHOTONIC_RAILS_COLLECTIVE_ALGORITHM_H

#include "collective-call.h"
#include "collective-schedule.h"

#include "ns3/object.h"
#include "ns3/variant.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

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
 *     T = rounds alpha + bytes beta + domainRounds alpha' + domainBytes beta' + switches sigma
 *
 * with alpha, beta of the network between domains (of everything, for algorithms that do not know
 * domains), alpha', beta' of the scale-up domain, and sigma from the request of circuits that are
 * not up to their grant, where circuits are lent to pairs (RankContext::terms). Rounds are the
 * messages in the longest chain of which each waits for the one before; bytes are those that pass
 * one after the other on the way through the slowest rank. With N ranks in D domains of L, a tensor
 * of n bytes (see GetTensorBytes), h the levels of a tree, and K chunks of a pipeline:
 *
 * | collective | algorithm | rounds | bytes |
 * |---|---|---|---|
 * | AllGather, ReduceScatter | ring | N - 1 | n (N - 1) / N |
 * | | halving, doubling | log2 N | n (N - 1) / N |
 * | | hierarchical, along rails | D - 1 | n (D - 1) / N |
 * | | hierarchical, in domains | 1 | n (L - 1) / L |
 * | | channels, along rails | D | n (N - 1) / N L |
 * | | channels, in domains | N - 1 - D | n (N - 1) (L - 1) / N L |
 * | | direct | 1 | n (N - 1) / N |
 * | AllReduce | ring, halving-doubling, direct, hierarchical, channels | twice the above | twice |
 * | | stragglar, R rounds, C replies, at most | N - 2 + 2 R + C | (N - 2 + R) n / (N - 1) |
 * | | tree, h = floor(log2 N) | 2 h | (4 h + b (K - 1)) n / 2K |
 * | Broadcast, Reduce | ring | N - 1 | (N - 1 + K - 1) n / K |
 * | | tree, h = 1 + floor(log2 (N - 1)) | h | (h + K - 1) n / K |
 * | AllToAll | pairwise | N - 1 | n (N - 1) / N |
 * | | pairwise, an odd N of pairs | N | n |
 * | | hypercube | log2 N | n (log2 N) / 2 |
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
 * Channels move data along rails and in domains at the same time, so that only the longer of bytes
 * beta and domainBytes beta' counts (CollectiveCost::overlap); the pieces of the hierarchical
 * algorithm hide a part of the shorter.
 *
 * On lent circuits each round of pairwise and hypercube begins with a switching. The rings of a
 * group stay up for many calls and count none.
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

/// The factors of alpha and beta in the time of a collective.
struct CollectiveCost
{
    double rounds{0}; //!< messages that wait for each other
    double bytes{0};  //!< that pass one after the other
    double domainRounds{
        0}; //!< the same inside scale-up domains; only of algorithms that tell domains apart
    double domainBytes{
        0}; //!< the same inside scale-up domains; only of algorithms that tell domains apart
    double switches{0};  //!< of lent circuits, one after the other
    double overlap{0};   //!< share of the shorter of both byte terms that the longer one hides
    double treeBytes{0}; //!< of a tensor that goes up and down trees, or 0; for NCCL's model

    /**
     * @param network alpha and beta between domains
     * @param domain alpha and beta inside them
     * @param switching sigma: seconds from the request of circuits that are not up to the grant
     * @return T in seconds
     */
    double GetSeconds(const AlphaBeta& network,
                      const AlphaBeta& domain = {},
                      double switching = 0) const;

    /**
     * @brief Count messages on the network that carries them: those inside domains on the fabric if
     * domains have no network, and those of a group inside one domain there, if its algorithm does
     * not tell domains apart.
     * @param shape of the group
     * @param hasDomains whether domains have networks
     * @return the cost on these networks
     */
    CollectiveCost On(const GroupShape& shape, bool hasDomains) const;

    /**
     * @param network beta between domains
     * @param domain beta inside them
     * @return the part of T that grows with bytes
     */
    double GetDataSeconds(double network, double domain) const;

    /**
     * @param terms of the network between domains
     * @return T in seconds, without messages inside domains
     */
    double GetSecondsOn(const CircuitTerms& terms) const;
};

/// @param times number of times @param cost of once @return the cost of several calls after each
/// other
CollectiveCost operator*(double times, const CollectiveCost& cost);

/**
 * @brief An algorithm for collectives: the messages that ranks exchange, and their cost.
 *
 * An algorithm is a class in a file of its own, which registers it; see Variant. Names are those of
 * NCCL, MPICH and the literature. All methods are pure functions of their arguments: every rank
 * computes its own part, and the parts of all ranks must be consistent. The replay in the unit
 * tests runs the schedules of all ranks of small groups and compares the result on each rank with
 * MPI's definition of the collective.
 */
class CollectiveAlgorithm : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param kind a collective of a whole group
     * @return the algorithms that can carry it out, the default first and the others by name; none
     * for Send and Recv
     */
    static std::vector<Variant<CollectiveAlgorithm>> GetAll(CollectiveKind kind);

    /**
     * @param kind a collective of a whole group
     * @return the algorithm of libraries that have not been told which to take: direct for
     * AllToAll, which programs for NCCL write as Sends and Recvs, and ring for all others
     */
    static Variant<CollectiveAlgorithm> GetDefault(CollectiveKind kind);

    /**
     * @param kind a collective of a whole group
     * @param shape an aligned group across domains and rails (GroupShape::IsAligned) whose domains
     * are joined by networks
     * @return the algorithm of the group: one that uses the NICs of all ranks, channels as
     * libraries do, or hierarchical where a call would have more than CHANNEL_MESSAGES messages,
     * for the sake of the time that a simulation takes; GetDefault for kinds that neither supports
     */
    static Variant<CollectiveAlgorithm> GetDefaultAcross(CollectiveKind kind,
                                                         const GroupShape& shape);

    static constexpr uint64_t CHANNEL_MESSAGES = 10000; //!< of a group, see GetDefaultAcross

    /**
     * @param kind a collective of a whole group
     * @return the algorithm on the host network, where most calls are short: the one with the
     * fewest steps
     */
    static Variant<CollectiveAlgorithm> GetDefaultOnHosts(CollectiveKind kind);

    /// @return the name as flags have it
    virtual std::string GetName() const = 0;

    /// @param kind any kind of call @return true if the algorithm can carry it out
    virtual bool Supports(CollectiveKind kind) const = 0;

    /**
     * @brief Whether ranks have to know which others share their scale-up domain. Groups that have
     * not as many ranks in each domain, one domain after the other, are refused then.
     * @return false unless overridden
     */
    virtual bool NeedsDomains() const
    {
        return false;
    }

    /**
     * @brief Whether a call has to name a rank in RankContext::root although its kind has no
     * root.
     * @return false unless overridden
     */
    virtual bool NeedsRoot() const
    {
        return false;
    }

    /**
     * @brief Whether the algorithm can do with circuits that are lent: all its messages between
     * domains are on the connectors of a ring, or in rounds if RankContext::terms says that pairs
     * are lent.
     * @param kind a collective that the algorithm supports
     * @return false unless overridden; algorithms with rings only need not say so
     */
    virtual bool HasRounds([[maybe_unused]] CollectiveKind kind) const
    {
        return false;
    }

    /**
     * @param kind a collective of a whole group
     * @param shape the group
     * @return an empty string, or why the algorithm cannot do it
     */
    std::string Check(CollectiveKind kind, const GroupShape& shape) const;

    /**
     * @param kind a collective of a whole group
     * @param shape the group, perhaps too large for a schedule
     * @return an empty string, or why the algorithm cannot do it: Check without its limit of
     * messages
     */
    std::string CheckShape(CollectiveKind kind, const GroupShape& shape) const;

    /**
     * @param part the call and the rank; aborts if Check refuses it
     * @return the sends and receives of the rank
     */
    CollectiveSchedule MakeSchedule(const RankContext& part) const;

    /**
     * @param part the call and the rank; aborts if CheckShape refuses it
     * @return the bytes that the schedule of the rank sends, by the index of the peer; nothing if
     * Check refuses the call for its number of messages and the algorithm has no other answer
     */
    std::map<uint32_t, uint64_t> GetSent(const RankContext& part) const;

    /**
     * @param part the call and the rank
     * @return the layout of the data to which the ranges of MakeSchedule refer: in the order of
     * ranks unless overridden, see MakeLayoutInOrder
     */
    virtual CollectiveLayout MakeLayout(const RankContext& part) const
    {
        return MakeLayoutInOrder(part);
    }

    /**
     * @brief The connectors that a rank needs, for calls of any size and with any root.
     * @param kind a collective of a whole group
     * @param shape the group
     * @param index the rank
     * @return the connectors, sorted
     */
    std::vector<CollectiveConnectorId> GetConnectors(CollectiveKind kind,
                                                     const GroupShape& shape,
                                                     uint32_t index) const;

    /**
     * @param kind a collective of a whole group
     * @param shape the group
     * @return largest number of messages that a rank may receive: GetMostReceives, or the limit of
     * schedules
     */
    uint64_t GetReceiveLimit(CollectiveKind kind, const GroupShape& shape) const;

    /**
     * @param part the call, the shape, the directions and the size of chunks; its index and root do
     * not matter; aborts if Check refuses it, or if it has sizes
     * @return the cost; zero for one rank
     */
    CollectiveCost GetCost(const RankContext& part) const;

  protected:
    /// @param shape a group @return an empty string if the number of ranks is a power of two, or an
    /// error for DoCheck
    static std::string CheckPowerOfTwo(const GroupShape& shape);

    /**
     * @return the bytes that a rank sends, by the index of the peer: those of its schedule, if
     * Check allows one, unless overridden, which pays where a group has thousands of ranks
     */
    virtual std::map<uint32_t, uint64_t> DoGetSent(const RankContext& part) const;

  private:
    /// Abort with an error, or if the rank or the root is none of the group.
    static void AbortUnlessValid(const RankContext& part, const std::string& error);

    /// @return an empty string, or the reason why the algorithm cannot serve a non-empty group
    virtual std::string DoCheck(CollectiveKind /* kind */, const GroupShape& /* shape */) const
    {
        return "";
    }

    /**
     * @return the largest number of messages that a rank receives in a call of any size, with data
     * both ways round rings; 0 if the schedule limits itself to CollectiveSchedule::MAX_RECEIVES
     */
    virtual uint64_t GetMostReceives(CollectiveKind kind, const GroupShape& shape) const = 0;

    /// @return the schedule of a rank of a group that Check allows
    virtual CollectiveSchedule DoMakeSchedule(const RankContext& part) const = 0;

    /**
     * @return the connectors of a rank of a group of several, in any order, some perhaps twice:
     * those of its schedule unless overridden, which needs overriding if they depend on the size of
     * the call or on its root
     */
    virtual std::vector<CollectiveConnectorId> DoGetConnectors(CollectiveKind kind,
                                                               const GroupShape& shape,
                                                               uint32_t index) const;

    /// @return the cost in a group of several that Check allows
    virtual CollectiveCost DoGetCost(const RankContext& part) const = 0;
};

/**
 * @brief The algorithm of a group for each kind of collective, as NCCL_ALGO selects it.
 *
 * A group has connectors for the algorithms chosen here. A call of a kind without a choice uses the
 * default (CollectiveAlgorithm::GetDefault) and requires that its connectors exist for other kinds.
 */
class CollectiveAlgorithms
{
  public:
    /// @return the kinds of collectives that a whole group takes part in
    static const std::vector<CollectiveKind>& GetKinds();

    /// @return a choice of rings for every kind that rings can carry out
    static CollectiveAlgorithms Rings();

    /**
     * @brief Choose.
     * @param kind a collective of a whole group
     * @param algorithm the algorithm that carries out this kind
     * @return this choice, so that several can follow each other
     */
    CollectiveAlgorithms& Choose(CollectiveKind kind, Variant<CollectiveAlgorithm> algorithm);

    /**
     * @param kind a collective of a whole group
     * @return true if an algorithm has been chosen for the kind
     */
    bool IsChosen(CollectiveKind kind) const;

    /// @return true if no algorithm has been chosen for any kind
    bool IsEmpty() const
    {
        return m_chosen.empty();
    }

    /**
     * @brief Set the terms on which the network lends circuits, which schedules are made for.
     * @param terms the same on all ranks of a group
     */
    void SetTerms(const CircuitTerms& terms)
    {
        m_terms = terms;
    }

    /// @return the terms; by default every rank can be reached at any time
    const CircuitTerms& GetTerms() const
    {
        return m_terms;
    }

    /**
     * @brief Set the rates of the networks, by which protocols are chosen (CollectiveProtocol).
     * @param rates the same on all ranks of a group
     */
    void SetRates(const CollectiveRates& rates)
    {
        m_rates = rates;
    }

    /// @return the rates; by default not known
    const CollectiveRates& GetRates() const
    {
        return m_rates;
    }

    /**
     * @param kind a collective of a whole group
     * @return the algorithm that carries out this kind
     */
    Variant<CollectiveAlgorithm> Get(CollectiveKind kind) const;

    /**
     * @param shape a group
     * @return an empty string, or which of the chosen algorithms cannot serve it and why
     */
    std::string Check(const GroupShape& shape) const;

    /**
     * @param shape a group
     * @param index one of its ranks
     * @return the connectors that the chosen algorithms need, sorted, each once
     */
    std::vector<CollectiveConnectorId> GetConnectors(const GroupShape& shape, uint32_t index) const;

  private:
    /// Abort if a kind is point-to-point.
    static void CheckKind(CollectiveKind kind);

    std::map<CollectiveKind, Variant<CollectiveAlgorithm>> m_chosen; //!< by kind
    CircuitTerms m_terms;                                            //!< of the network
    CollectiveRates m_rates;                                         //!< of the networks
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_ALGORITHM_H
