// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAST_PATH_REGION_DISCOVERY_H
#define PHOTONIC_RAILS_FAST_PATH_REGION_DISCOVERY_H

#include "fast-path-region.h"
#include "fast-path.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

class RdmaNic;
class RdmaQueuePair;
struct RdmaNicPort;

/**
 * @brief Finds the ports of NICs and switches whose traffic depends on each other, and starts a
 * FastPathRegion for these ports.
 *
 * Beginning with one NIC port, the discovery follows the way of every busy queue pair to the port
 * of its peer. If a way leads through a link between switches, the discovery also looks for busy
 * queue pairs of all other NICs around these switches that share a link with the region. The
 * discovery fails if one of the ports or queue pairs does not suit a fast path, or if a queue of a
 * switch could reach a limit.
 */
class FastPathRegionDiscovery
{
  public:
    /**
     * @brief Start a fast path of a port and all ports that depend on it.
     * @param nic the NIC of the port
     * @param port the port, which is about to choose a frame
     * @return true if a fast path computes the traffic of the ports from now on
     */
    static bool Start(RdmaNic& nic, RdmaNicPort& port);

    /**
     * @brief Start a fast path of a queue pair and its peer, if both have their ports and the path
     * between to themselves and nothing is in flight. Cheap enough for every packet.
     * @param nic the NIC of the queue pair
     * @param port the port of the queue pair
     * @param queuePair the queue pair, whose data packet is next at the port
     * @return true if a fast path computes the traffic of both from now on
     */
    static bool StartAlone(RdmaNic& nic, RdmaNicPort& port, RdmaQueuePair& queuePair);

  private:
    static constexpr std::size_t MAX_PORTS = 4096;
    static constexpr std::size_t MAX_HOPS = 16;

    /// A NIC port that depends on the first one.
    struct Place
    {
        RdmaNic* nic;
        RdmaNicPort* port;
    };

    /// The way of the frames of a queue pair.
    struct Route
    {
        std::vector<FastPathRegion::OutputEntry> hops;
        EthernetPortNetDevice* far{nullptr}; //!< port of a NIC; null if there is no way
    };

    /// @param port the first port
    explicit FastPathRegionDiscovery(const RdmaNicPort& port);
    /// @return true if all ports that depend on the ports added so far have been added
    bool Complete();
    /// @return true if a port has been added
    bool AddPort(RdmaNic& nic, RdmaNicPort& port);
    /// @return true if all busy queue pairs of a port, their peers, and the ports of these have
    /// been added
    bool AddQueuePairs(std::size_t place);
    /// @return true if a queue pair and its peer are not busy, or have been added
    bool AddQueuePair(std::size_t place, RdmaQueuePair& queuePair);
    /// @return true if a queue pair and its peer have been added
    bool AddPair(std::size_t place,
                 RdmaQueuePair& queuePair,
                 const Route& route,
                 RdmaNic& peerNic,
                 RdmaQueuePair& peer);
    /// Add the NIC ports around all switches with a busy queue pair that shares a link between
    /// switches.
    /// @return true if the ports have been added
    bool AddSharers();

    /// A switch of the region.
    struct SwitchUse
    {
        FastPathHop* hop{nullptr};
        std::vector<EthernetPortNetDevice*> outputs;
        uint64_t most{0}; //!< bytes of all frames that the queue pairs can have in the switch
    };

    /// @return most bytes that a queue pair can have in flight: a window of packets, and an
    /// acknowledgement for each packet of its peer
    uint64_t GetMostBytes(const FastPathRegion::QueuePairEntry& qp) const;
    /// @return the switches
    std::vector<SwitchUse> ListSwitches() const;
    /// @return most bytes that the queue pairs can have in flight over one link
    uint64_t GetMostBytesOfLink() const;
    /// @return true if a route leads through an output of the region
    bool UsesOutput(const Route& route) const;
    /// @return true if frames of a busy queue pair, or of its peer, pass an output of the region
    bool Shares(RdmaNicPort& port, RdmaQueuePair& queuePair) const;
    /// @return the way of the frames of a queue pair
    Route FindRoute(EthernetPortNetDevice& port, const RdmaQueuePair& queuePair) const;
    /// @return the peer of a queue pair, if its port is the far end of a way; otherwise null
    static RdmaQueuePair* FindPeer(const RdmaQueuePair& queuePair, EthernetPortNetDevice* far);
    /// @return the NIC ports around all switches that are connected with a switch
    static std::vector<Place> ListNicPorts(FastPathHop& first);
    /// @return the numbers of the outputs of a way, which have been added
    FastPathRegionState::Route AddOutputs(const Route& route);
    /// @return the number of an output in the plan; their number if the output has not been added
    std::size_t FindOutput(const EthernetPortNetDevice& output) const;

    /// What the queue pairs need of the memory of switches; on circuits alone nothing.
    struct BufferUse
    {
        std::vector<SwitchUse> switches;
        uint64_t possible{1};   //!< most bytes that the queue pairs can have over one link
        uint64_t pipeline{0};   //!< bytes on a fiber and in the pipeline of a switch
        uint32_t mostQueued{8}; //!< longest queue to allow for, in packets
    };

    /// @return the use of the plan
    BufferUse GetBufferUse() const;
    /**
     * @brief Let the switches reserve buffer space for all outputs.
     * @param use the use of the plan
     * @param longest bytes that the traffic has now for or from a port in a switch
     * @return the limit of these bytes; 0 if a switch has no space for twice as many
     */
    uint64_t ReserveBuffer(const BufferUse& use, uint64_t longest) const;
    /// @return the index of a port in m_places; their number if the port has not been added
    std::size_t Find(const RdmaNicPort& port) const;
    /// @return true if a queue pair has been added
    bool Has(const RdmaQueuePair& queuePair) const;
    /// @return true if packets have been replaced by a fast path
    bool Begin(const RdmaNicPort& first);

    uint32_t m_process;
    DataRate m_rate;
    FastPathHop::Flow m_flow; //!< priorities of all queue pairs, and the largest frame
    Time m_delay;             //!< longest delay of a link
    bool m_isJoined{false};   //!< there is a link between switches
    std::vector<Place> m_places;
    FastPathRegion::Plan m_plan;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAST_PATH_REGION_DISCOVERY_H
