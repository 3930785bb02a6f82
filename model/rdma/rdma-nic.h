// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_NIC_H
#define PHOTONIC_RAILS_RDMA_NIC_H

#include "rdma-queue-pair.h"

#include "ns3/fifo.h"
#include "ns3/mac-client.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/transceiver-net-device.h"

#include <vector>

namespace ns3
{

/**
 * @brief The RDMA NIC of a GPU: its ports and queue pairs. Aggregated to the GPU's node.
 *
 * Each port sends acknowledgements first and then data of its queue pairs in turn, a packet each.
 */
class RdmaNic : public Object, public MacClient
{
  public:
    static TypeId GetTypeId();

    RdmaNic();
    ~RdmaNic() override;

    /// Packets that no queue pair has seen.
    struct Statistics
    {
        uint64_t malformed{0};    //!< not a RoCEv2 packet
        uint64_t misdelivered{0}; //!< for another MAC address, IP address, port or queue pair
    };

    /**
     * @brief Add a port.
     * @param device a device of the same node
     * @param address its IPv4 address
     * @return the port's index
     */
    uint32_t AddPort(Ptr<TransceiverNetDevice> device, Ipv4Address address);

    /// @return the number of ports
    uint32_t GetNPorts() const;

    /**
     * @param port a port's index
     * @return its device
     */
    Ptr<TransceiverNetDevice> GetPort(uint32_t port) const;

    /**
     * @brief Make a queue pair.
     * @param port index of the port that it uses
     * @return the queue pair, to be connected
     */
    Ptr<RdmaQueuePair> CreateQueuePair(uint32_t port);

    /**
     * @brief Set an attribute of all queue pairs, existing and to come.
     * @param name the attribute
     * @param value its value
     */
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value);

    /// @return the sums over all queue pairs
    RdmaQueuePair::Statistics GetQueuePairStatistics() const;
    /// @return the NIC's own counts
    const Statistics& GetStatistics() const;

    /// @param queuePair one that may have data to send
    void Ready(RdmaQueuePair& queuePair);
    /// @param queuePair one that has an acknowledgement to send
    void ReadyAck(RdmaQueuePair& queuePair);

    // inherited from MacClient
    Ptr<Packet> NextFrame(TransceiverNetDevice& port) override;
    void Receive(TransceiverNetDevice& port, Ptr<Packet> frame) override;
    void LinkChanged(TransceiverNetDevice& port) override;

  protected:
    void DoDispose() override;

  private:
    /// Queue pair numbers 0 and 1 are reserved; leave a few more free as drivers do.
    static constexpr uint32_t FIRST_QUEUE_PAIR = 16;

    struct Port
    {
        Ptr<TransceiverNetDevice> device;
        Ipv4Address address;
        Fifo<RdmaQueuePair*> acks; //!< acknowledgements to send
        Fifo<RdmaQueuePair*> data; //!< queue pairs that may have data, in turn
    };

    /// A queue pair and its place in the queues of its port.
    struct Slot
    {
        Ptr<RdmaQueuePair> queuePair;
        uint32_t port;
        bool queued;
    };

    /// @return the slot of a queue pair
    Slot& GetSlot(const RdmaQueuePair& queuePair);
    /// @return the port of a device
    Port& GetPortOf(const TransceiverNetDevice& device);

    ObjectFactory m_queuePairFactory;
    std::vector<Port> m_ports;
    std::vector<Slot> m_queuePairs;
    Statistics m_statistics;
    bool m_linkChanging{false}; //!< queue pairs are being told: nothing may be sent meanwhile
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_NIC_H
