// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_NIC_H
#define PHOTONIC_RAILS_RDMA_NIC_H

#include "fast-path-port.h"
#include "rdma-port-scheduler.h"
#include "rdma-queue-pair.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/ipv4-address.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class QueuePairMigration;

/// A port of an RdmaNic.
struct RdmaNicPort
{
    Ptr<EthernetPortNetDevice> device;
    Ipv4Address address;
    RdmaPortScheduler scheduler; //!< chooses frames while no fast path computes the traffic
    FastPathPort fastPath;
};

/**
 * @brief The RDMA NIC of a GPU: ports and queue pairs. Aggregated to the node of the GPU.
 *
 * Each port has an RdmaPortScheduler, which chooses the next frame, and a FastPathPort, which holds
 * the fast path that replaces the frames. Before a port chooses a frame, all ports process the
 * frames that arrive at that simulated time, in the order of the ports. Arrivals therefore precede
 * the end of a wait: a queue pair whose wait ends at that time takes its turn after queue pairs
 * that an arrival has enabled to send.
 */
class RdmaNic : public Object, public MacClient
{
  public:
    static TypeId GetTypeId();

    RdmaNic();
    ~RdmaNic() override;

    /// How the traffic of a NIC is simulated. The results are the same.
    enum Fidelity
    {
        PACKET, //!< with events for every packet
        BURST,  //!< without events for packets wherever a fast path can compute the traffic
    };

    /// Counters of the NIC itself.
    struct Statistics
    {
        uint64_t malformed{0};    //!< received frames to the port of RoCEv2 that are not RoCEv2
        uint64_t misdelivered{0}; //!< for another MAC address, IP address, port or queue pair
        uint64_t burstPackets{0}; //!< data packets sent without events
        uint64_t bursts{0};       //!< runs of back-to-back packets among burstPackets
        uint64_t regions{0};      //!< fast paths that began with packets in flight
    };

    /**
     * @brief Add a port.
     * @param device a device of the same node
     * @param address the IPv4 address of the port
     * @return the index of the port
     */
    uint32_t AddPort(Ptr<EthernetPortNetDevice> device, Ipv4Address address);

    /// @return the number of ports
    uint32_t GetNPorts() const;

    /**
     * @param port the index of a port
     * @return the device of the port
     */
    Ptr<EthernetPortNetDevice> GetPort(uint32_t port) const;

    /**
     * @brief Create a queue pair.
     * @param port index of the port that the queue pair uses
     * @return the queue pair, which is not connected yet
     */
    Ptr<RdmaQueuePair> CreateQueuePair(uint32_t port);

    /// @return the addresses of the ports, by index
    const std::shared_ptr<const RdmaPorts>& GetPorts() const
    {
        return m_addresses;
    }

    /**
     * @brief Set the ports of this NIC and of its peers that no queue pair may use; queue pairs
     * move away from them, and back to ports that are no longer among them.
     *
     * Queue pairs that were made for connectors of a ring move to the ports that PathMigration
     * determines. The NIC of the peer must be notified, too. Packets that arrive before both ends
     * have moved are dropped and retransmitted. Queue pairs without a remaining port do not move.
     * @param ports MAC addresses of all such ports
     */
    void SetFailedPorts(const std::set<Mac48Address>& ports);

    /// Move queue pairs that were connected after SetFailedPorts, too.
    void MigrateNewQueuePairs();

    /// @return the number of queue pairs
    uint32_t GetNQueuePairs() const;

    /// @return the number that the next queue pair will have on the wire
    uint32_t GetNextQueuePair() const;

    /**
     * @param index the index of a queue pair, in order of creation
     * @return the queue pair
     */
    Ptr<RdmaQueuePair> GetQueuePair(uint32_t index) const;

    /**
     * @brief Set an attribute of all present and future queue pairs. Aborts if a present queue pair
     * no longer accepts the attribute: LossRecovery after Connect, Mtu after the first Post.
     * @param name name of the attribute
     * @param value value of the attribute
     */
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Set an attribute of the congestion control of all present and future queue pairs.
     * @param name name of an attribute that every congestion control in use has
     * @param value value of the attribute
     */
    void SetCongestionControlAttribute(const std::string& name, const AttributeValue& value);

    /// @return true if the queue pairs of CreateQueuePair accept packets in any order, that is if
    /// their LossRecovery is SelectiveRepeat
    bool AcceptsAnyOrder() const;

    /// @return the sums of the counters of all queue pairs
    RdmaQueuePair::Statistics GetQueuePairStatistics() const;
    /// @return the counters of the NIC itself
    const Statistics& GetStatistics() const;

    /**
     * @param type name of the TypeId of an RdmaCongestionControl
     * @return a new object, with the attributes from SetCongestionControlAttribute
     */
    Ptr<RdmaCongestionControl> CreateCongestionControl(const std::string& type) const;
    /// @param queuePair a queue pair that may have data to send
    void Ready(RdmaQueuePair& queuePair);
    /// @param queuePair a queue pair that has an acknowledgement or CNP to send
    void ReadyAck(RdmaQueuePair& queuePair);

    /**
     * @brief Record that a queue pair has finished an RDMA Write.
     * @param bytes size of the Write
     * @param elapsed time since the Write was posted
     * @param delivered false if the Write has failed
     * @param queuePair the number of the queue pair
     */
    void Completed(uint64_t bytes, Time elapsed, bool delivered, uint32_t queuePair)
    {
        m_writeCompleted(bytes, elapsed, delivered, queuePair);
    }

    /// @return true if the trace source WriteCompleted is connected
    bool IsCompletionTraced() const
    {
        return !m_writeCompleted.IsEmpty();
    }

    /// End all fast paths, because the trace source WriteCompleted is being connected.
    void NotifyTraceConnected();

    /**
     * TracedCallback signature of an RDMA Write, the share of a message that one queue pair sends.
     * @param bytes size of the Write
     * @param elapsed time from the post until the Write was acknowledged or failed
     * @param delivered false if the Write has failed
     * @param queuePair the number of the queue pair
     */
    typedef void (*WriteCompletedTracedCallback)(uint64_t bytes,
                                                 Time elapsed,
                                                 bool delivered,
                                                 uint32_t queuePair);

    // inherited from MacClient
    Ptr<Packet> NextFrame(EthernetPortNetDevice& port) override;
    void Receive(EthernetPortNetDevice& port, Ptr<Packet> frame) override;
    void LinkChanged(EthernetPortNetDevice& port) override;

    bool CarriesPackets() const override
    {
        return true;
    }

    void TakeArrivals(EthernetPortNetDevice& port) override;
    bool MayWait(EthernetPortNetDevice& port, const Packet& frame) override;
    void Interrupt(EthernetPortNetDevice& port) override;
    bool IsSendingAhead(const EthernetPortNetDevice& port) const override;
    void Settle(const EthernetPortNetDevice& port) override;

    /// Update the counters of a queue pair to the present.
    void Settle(const RdmaQueuePair& queuePair) const;

    // --- for fast paths ---

    /// @return true if fast paths may compute the traffic
    bool UsesBursts() const
    {
        return m_fidelity == BURST;
    }

    /// @param device a port of this NIC
    /// @return the port
    RdmaNicPort& GetPortOf(const EthernetPortNetDevice& device);

    /// @return the port that a queue pair of this NIC uses
    RdmaNicPort& GetPortOf(const RdmaQueuePair& queuePair)
    {
        return m_ports[GetSlot(queuePair).port];
    }

    /// @return the queue pair with a number on the wire, or null
    RdmaQueuePair* FindQueuePair(uint32_t number);

    /// @return true if the NICs of the node are processing arrivals, and those of a port later
    bool IsYetToTake(const EthernetPortNetDevice& port) const;

    /**
     * @brief Count data packets that a fast path has computed.
     * @param packets number of data packets
     * @param bursts number of runs of back-to-back packets among them
     */
    void CountBurst(uint64_t packets, uint64_t bursts);
    /// Give a queue pair its turn, because it was sending when its fast path ended.
    void Requeue(RdmaQueuePair& queuePair);
    /**
     * @brief Record that the fast path of a port has ended.
     * @param port the port
     * @param reports true if the fast path reports messages later at this simulated time
     * @param packets data packets that the fast path has computed, of all its ports
     */
    void EndFastPath(const EthernetPortNetDevice& port, bool reports, uint64_t packets);

  protected:
    void DoDispose() override;

  private:
    /// Queue pair numbers 0 and 1 are reserved; drivers leave a few more unused.
    static constexpr uint32_t FIRST_QUEUE_PAIR = 16;

    /// The NICs of a node.
    class NodeNics;

    /// A queue pair and the index of its port.
    struct Slot
    {
        Ptr<RdmaQueuePair> queuePair;
        uint32_t port;
    };

    /// @return the slot of a queue pair
    const Slot& GetSlot(const RdmaQueuePair& queuePair) const
    {
        return m_queuePairs[queuePair.GetEndpoint().queuePair - FIRST_QUEUE_PAIR];
    }

    /// @return the port of a device
    const RdmaNicPort& GetPortOf(const EthernetPortNetDevice& device) const;
    /// @return the queue pair that a frame at a port is for, or null
    RdmaQueuePair* FindReceiver(const EthernetPortNetDevice& device, const RoceHeader& header);
    /// Process a frame that is no RoCEv2 packet.
    void ReceiveOther(EthernetPortNetDevice& device, const Ptr<Packet>& frame);
    /// Set the fidelity and end the fast paths of all ports.
    void SetFidelity(Fidelity fidelity);

    /// @return the fidelity
    Fidelity GetFidelity() const
    {
        return m_fidelity;
    }

    /// @return true if a fast path sends the data of a queue pair, which has the first turn
    bool StartFastPath(RdmaNicPort& port, RdmaQueuePair& queuePair);

    Fidelity m_fidelity{BURST};
    uint32_t m_retryPackets{
        1}; //!< packets until a port first looks for a FastPathRegion amid traffic
    ObjectFactory m_queuePairFactory;
    std::vector<std::pair<std::string, Ptr<const AttributeValue>>> m_controlAttributes;
    std::vector<RdmaNicPort> m_ports;
    std::shared_ptr<const RdmaPorts> m_addresses;
    std::unique_ptr<QueuePairMigration> m_migration;
    std::vector<Slot> m_queuePairs;
    Statistics m_statistics;
    std::shared_ptr<NodeNics> m_nodeNics; //!< null before the first port
    bool m_linkChanging{false}; //!< not all queue pairs know the new state of a link: send nothing

    TracedCallback<uint64_t, Time, bool, uint32_t> m_writeCompleted;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_NIC_H
