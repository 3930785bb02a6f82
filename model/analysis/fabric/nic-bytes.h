// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_NIC_BYTES_H
#define PHOTONIC_RAILS_NIC_BYTES_H

#include "ns3/collective-algorithm.h"
#include "ns3/rank-layout.h"
#include "ns3/rank-program.h"

#include <cstdint>
#include <map>

namespace ns3
{

/// The properties of a network on which the bytes of NICs depend.
struct JobNetwork
{
    double nicRate{0};             //!< rate of all ports of a GPU, bit/s
    bool hasScaleUpNetwork{false}; //!< hops inside a domain use a network of the domain
    bool domainsByFormula{false};  //!< groups inside a domain use neither network
    bool isRingOnly{false};        //!< AllToAll uses the ring, too, as over circuits
    CircuitTerms terms;            //!< terms of circuits, if pairs of ranks can have circuits
    bool hasHostNetwork{false};    //!< some calls use the network of hosts, see NetworkRule
    double hostRate{0};        //!< rate of the NIC of a host, bit/s; 0 without a network of hosts
    uint64_t hostThreshold{0}; //!< smallest bytes of a bulk call
    bool joinsAcross{true};    //!< ranks of different domains and rails have a path
    /// The fabric joins NICs on different rails; otherwise a GPU of the sender's domain relays.
    bool joinsRails{true};
};

/// The bytes that a rank sends for an operation, by network.
struct SentBytes
{
    uint64_t rails{0};   //!< over the NIC on the fabric
    uint64_t hosts{0};   //!< over the network of the hosts
    uint64_t hostNic{0}; //!< part of `hosts` that leaves through the NIC of the host
    uint64_t scaleUp{0}; //!< over the network of the domain
    /// Part of all bytes that is forwarded for others, see CountForwardedBytes.
    uint64_t forwarded{0};

    /// @param other further bytes @param times number of times
    void Add(const SentBytes& other, uint64_t times = 1)
    {
        rails += times * other.rails;
        hosts += times * other.hosts;
        hostNic += times * other.hostNic;
        scaleUp += times * other.scaleUp;
        forwarded += times * other.forwarded;
    }
};

/**
 * @brief Computes the bytes that a rank sends for a collective over the NIC and the other networks.
 * A simulation sends exactly these bytes.
 *
 * AllGather, ReduceScatter and AllReduce go round the ring of the group both ways at a time, half
 * of each chunk one way (MakeRingSchedule). AllToAll sends each part to its rank, or
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
     * @param network the network of the job
     * @param algorithms chosen algorithms of collectives
     */
    NicBytes(const RankLayout& layout,
             const JobNetwork& network,
             const CollectiveAlgorithms& algorithms);

    /**
     * @param operation of a rank
     * @param rank its global rank
     * @return bytes that the rank sends; none for a computation or a Recv, or for a collective
     * inside a domain without a network
     */
    SentBytes Count(const RankOperation& operation, uint32_t rank);

  private:
    /// The placement of the ranks of a group on rails and domains.
    struct Place
    {
        RankLayout::Reach reach{RankLayout::SELF}; //!< reach of the group
        bool isAligned{false};                     //!< see RankLayout::IsAligned
        GroupShape shape;                          //!< see RankLayout::GetShape
    };

    /// @return the placement of a group; computed once, in a time proportional to the ranks
    const Place& GetPlace(const ProcessGroup& group);
    /// @return true if an operation that leaves the domain uses the network of hosts
    bool TakesHosts(const RankOperation& operation, const ProcessGroup& group);
    /// Add a message from one rank to another.
    void Add(SentBytes& sent, uint32_t from, uint32_t to, uint64_t bytes, bool onHosts) const;
    /// @return the algorithm of a collective of a group
    Variant<CollectiveAlgorithm> FindAlgorithm(const RankOperation& operation,
                                               const ProcessGroup& group,
                                               bool onHosts);

    const RankLayout& m_layout;
    JobNetwork m_network;
    CollectiveAlgorithms m_algorithms;
    std::map<uint32_t, Place> m_places; //!< by the number of the group
};

} // namespace ns3

#endif // PHOTONIC_RAILS_NIC_BYTES_H
