// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_NIC_BYTES_H
#define PHOTONIC_RAILS_NIC_BYTES_H

#include "ns3/collective-algorithm.h"
#include "ns3/rank-layout.h"
#include "ns3/rank-program.h"

#include <cstdint>
#include <map>
#include <tuple>

namespace ns3
{

/// The network that a job is described for, as far as it decides what NICs send.
struct JobNetwork
{
    double nicRate{0};             //!< of all ports of a GPU, bit/s
    bool hasScaleUpNetwork{false}; //!< hops inside a domain do not use the NIC
    bool domainsByFormula{false};  //!< groups inside a domain do not use that network either
    bool isRingOnly{false};        //!< AllToAll goes round the ring too, as over circuits
    CircuitTerms terms;            //!< of circuits, if they are lent to pairs, too
    bool hasHostNetwork{false};    //!< some calls take the network of hosts, see NetworkRule
    double hostRate{0};            //!< of the NIC of a host, bit/s; 0 without such a network
    uint64_t hostThreshold{0};     //!< bytes from which on they are bulk
    bool joinsAcross{true};        //!< without it ranks of different domains and rails can talk
    /// The fabric joins NICs on different rails; otherwise a GPU of the sender's domain relays.
    bool joinsRails{true};
};

/// What a rank sends for an operation, by network.
struct SentBytes
{
    uint64_t rails{0};     //!< over the NIC on the fabric
    uint64_t hosts{0};     //!< over the network of the hosts
    uint64_t hostNic{0};   //!< of these, over the NIC of the host to another domain
    uint64_t scaleUp{0};   //!< over the network of the domain
    uint64_t forwarded{0}; //!< of all of these, passed on for others, see CountForwardedBytes
};

/**
 * @brief What a rank sends over the NIC and the other networks for a collective, byte for byte as
 * it is run.
 *
 * AllGather, ReduceScatter and AllReduce go round the ring of the group both ways at a time, half
 * of each chunk one way (MakeRingSchedule): a rank sends its successor all chunks but the one that
 * begins (AllGather) or ends (ReduceScatter) behind it. AllToAll sends each part to its rank, or
 * round the ring, or over circuits of pairs as planned for the terms of the circuits. A kind of
 * collective for which another algorithm was chosen sends what its schedules say. On a group that
 * is in several domains, hops inside a domain use the NIC as well, unless there is a network
 * inside. A message that another GPU of the domain relays counts on both networks, and as passed
 * on, at its sender. Collectives inside a domain count if there is a network inside. On the network
 * of the hosts trees and the default algorithms are used, whatever was chosen.
 */
class NicBytes
{
  public:
    /**
     * @param layout domains and groups of the job; it must outlive this object
     * @param network that it is for
     * @param algorithms chosen algorithms of collectives
     */
    NicBytes(const RankLayout& layout,
             const JobNetwork& network,
             const CollectiveAlgorithms& algorithms);

    /**
     * @param operation of a rank
     * @param rank its global rank
     * @return what the rank sends; nothing for a computation or a Recv, or for a collective inside
     * a domain without a network
     */
    SentBytes Count(const RankOperation& operation, uint32_t rank);

  private:
    /// How the ranks of a group lie on rails and domains.
    struct Place
    {
        RankLayout::Reach reach{RankLayout::SELF}; //!< of the group
        bool isAligned{false};                     //!< see RankLayout::IsAligned
    };

    /// @return the place of a group, which is worked out once: that takes as long as it has ranks
    const Place& GetPlace(const ProcessGroup& group);
    /// @return true if an operation that leaves the domain takes the network of hosts
    bool TakesHosts(const RankOperation& operation, const ProcessGroup& group);
    /// Add a message from one rank to another.
    void Add(SentBytes& sent, uint32_t from, uint32_t to, uint64_t bytes, bool onHosts) const;
    /// @return what a rank sends round its ring
    SentBytes CountRing(const RankOperation& operation,
                        const ProcessGroup& group,
                        uint32_t index,
                        bool onHosts);
    /// @return what a rank sends by the schedule of an algorithm
    SentBytes CountSchedule(const RankOperation& operation,
                            const ProcessGroup& group,
                            uint32_t index,
                            Variant<CollectiveAlgorithm> algorithm,
                            bool onHosts) const;
    /// @return the algorithm of a collective of a group
    Variant<CollectiveAlgorithm> FindAlgorithm(const RankOperation& operation,
                                               const ProcessGroup& group,
                                               bool onHosts);
    /// @return the sum of all chunks' parts that go one way round a ring
    uint64_t GetWhole(uint64_t tensor, uint32_t size, uint32_t direction);

    /// A call of a rank: its kind, group, the rank, its bytes, root and sizes.
    using Exchange = std::
        tuple<CollectiveKind, uint32_t, uint32_t, uint64_t, uint32_t, Ptr<const AllToAllSizes>>;

    const RankLayout& m_layout;
    JobNetwork m_network;
    CollectiveAlgorithms m_algorithms;
    std::map<uint32_t, Place> m_places;        //!< by the number of the group
    std::map<Exchange, SentBytes> m_exchanges; //!< counted before: micro-batches are alike
    std::map<std::tuple<uint64_t, uint32_t, uint32_t>, uint64_t> m_whole; //!< see GetWhole
};

} // namespace ns3

#endif // PHOTONIC_RAILS_NIC_BYTES_H
