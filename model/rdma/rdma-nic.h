// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_NIC_H
#define PHOTONIC_RAILS_RDMA_NIC_H

#include "fast-path-pair.h"
#include "rdma-queue-pair.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/fifo.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/recurring-event.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The RDMA NIC of a GPU: its ports and queue pairs. Aggregated to the GPU's node.
 *
 * Each port sends acknowledgements and CNPs first and then data of its queue pairs in turn, a
 * packet each. A queue pair whose congestion control lets it send later rests meanwhile: while the
 * port is busy it comes back when a frame has been sent, and a port that would be idle wakes up at
 * the earliest time. When an acknowledgement lets it send earlier its rest is cut short. Nothing of
 * a priority that the link partner has paused (PFC) is sent.
 *
 * Before a port decides what to send, all ports take what arrives at that instant, in their order.
 * Queue pairs that may send from the same instant on come in turn after those that an arrival has
 * made ready, by their numbers.
 */
class RdmaNic : public Object, public MacClient
{
  public:
    static TypeId GetTypeId();

    RdmaNic();
    ~RdmaNic() override;

    /// How the traffic of a NIC is computed; results are the same.
    enum Fidelity
    {
        PACKET, //!< with events for every packet
        BURST,  //!< in closed form wherever packets follow each other undisturbed
    };

    /// What the NIC itself has counted.
    struct Statistics
    {
        uint64_t malformed{0};    //!< not a RoCEv2 packet
        uint64_t misdelivered{0}; //!< for another MAC address, IP address, port or queue pair
        uint64_t burstPackets{0}; //!< data packets sent that took no events of their own
        uint64_t bursts{0};       //!< runs of back-to-back packets that they were sent in
        uint64_t stars{0};        //!< times that bursts went on amid packets that were under way
    };

    /**
     * @brief Add a port.
     * @param device a device of the same node
     * @param address its IPv4 address
     * @return the port's index
     */
    uint32_t AddPort(Ptr<EthernetPortNetDevice> device, Ipv4Address address);

    /// @return the number of ports
    uint32_t GetNPorts() const;

    /**
     * @param port a port's index
     * @return its device
     */
    Ptr<EthernetPortNetDevice> GetPort(uint32_t port) const;

    /**
     * @brief Make a queue pair.
     * @param port index of the port that it uses
     * @return the queue pair, to be connected
     */
    Ptr<RdmaQueuePair> CreateQueuePair(uint32_t port);

    /// @return how its ports can be reached
    const std::shared_ptr<const RdmaPorts>& GetPorts() const
    {
        return m_addresses;
    }

    /**
     * @brief A port of this NIC, or of another one, is broken for good.
     *
     * Queue pairs that were made for connectors of a ring move to the ports that PathMigration
     * names; the peer has to be told, too. What arrives before both ends have moved is dropped and
     * sent again. Queue pairs for which no port is left stay where they are.
     * @param port MAC address of the port
     */
    void MarkPortFailed(Mac48Address port);

    /// Let queue pairs that were made after MarkPortFailed move, too. When they are connected.
    void MigrateNewQueuePairs();

    /// @return the number of queue pairs
    uint32_t GetNQueuePairs() const;

    /// @return the number that the next queue pair will have on the wire
    uint32_t GetNextQueuePair() const;

    /**
     * @param index of a queue pair, in the order in which they were made
     * @return the queue pair
     */
    Ptr<RdmaQueuePair> GetQueuePair(uint32_t index) const;

    /**
     * @brief Set an attribute of all queue pairs, existing and to come. Aborts if one of those that
     * exist is too far for the attribute to change: LossRecovery once it is connected, Mtu once
     * something has been posted.
     * @param name the attribute
     * @param value its value
     */
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Set an attribute of the congestion control of all queue pairs, existing and to come.
     * @param name the attribute; every control that is made must have it
     * @param value its value
     */
    void SetCongestionControlAttribute(const std::string& name, const AttributeValue& value);

    /// @return the sums over all queue pairs
    RdmaQueuePair::Statistics GetQueuePairStatistics() const;
    /// @return the NIC's own counts
    const Statistics& GetStatistics() const;

    /**
     * @param type TypeId of a RdmaCongestionControl
     * @return a new one, with the attributes that have been set
     */
    Ptr<RdmaCongestionControl> CreateCongestionControl(const std::string& type) const;
    /// @param queuePair one that may have data to send
    void Ready(RdmaQueuePair& queuePair);
    /// @param queuePair one that has an acknowledgement or CNP to send
    void ReadyAck(RdmaQueuePair& queuePair);

    /**
     * @brief A queue pair has finished a Write.
     * @param bytes its size
     * @param elapsed since it was posted
     * @param delivered false if it has failed
     * @param queuePair the number of the queue pair
     */
    void Completed(uint64_t bytes, Time elapsed, bool delivered, uint32_t queuePair);

    /// @return true if somebody listens to WriteCompleted
    bool IsCompletionTraced() const
    {
        return !m_writeCompleted.IsEmpty();
    }

    /// Somebody begins to listen to WriteCompleted.
    void TraceWanted();

    /**
     * TracedCallback signature of an RDMA Write, which is what one queue pair carries of a message.
     * @param bytes its size
     * @param elapsed from when it was posted until it was acknowledged or failed
     * @param delivered false if it has failed
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
    void TakeArrivals(EthernetPortNetDevice& port) override;
    void Interrupt(EthernetPortNetDevice& port) override;
    bool IsSendingAhead(const EthernetPortNetDevice& port) const override;
    void Settle(const EthernetPortNetDevice& port) override;

    /// @param queuePair one whose counters are wanted: they are brought up to date
    void Settle(const RdmaQueuePair& queuePair) const;

    // --- for FastPathPair ---

    /// Count data packets that took no events of their own, and the runs they were sent in.
    void CountBurst(uint64_t packets, uint64_t bursts);
    /// A queue pair has been sending until now, as its NIC would have it: it comes first in turn.
    void Requeue(RdmaQueuePair& queuePair);
    /**
     * @brief The fast path of a port is over.
     * @param port the port
     * @param reports it has something to report at this instant nevertheless
     */
    void EndFastPath(const EthernetPortNetDevice& port, bool reports);

  protected:
    void DoDispose() override;

  private:
    /// Queue pair numbers 0 and 1 are reserved; leave a few more free as drivers do.
    static constexpr uint32_t FIRST_QUEUE_PAIR = 16;

    /// A queue pair that may not send yet.
    struct Resting
    {
        Time until;
        RdmaQueuePair* queuePair{nullptr};

        /// @return true if the other comes first, by time and number: the standard heap has the
        /// largest on top
        bool operator<(const Resting& other) const
        {
            return until > other.until ||
                   (until == other.until &&
                    queuePair->GetEndpoint().queuePair > other.queuePair->GetEndpoint().queuePair);
        }
    };

    /// Attempts to gather come less and less often, at most by this factor, as long as they fail.
    static constexpr uint32_t MOST_PATIENCE = 512;
    /// They have paid if this times as many packets as between them have been computed.
    static constexpr uint32_t WORTHWHILE = 32;

    struct Port
    {
        Ptr<EthernetPortNetDevice> device;
        Ipv4Address address;
        Fifo<RdmaQueuePair*> acks;    //!< acknowledgements to send
        Fifo<RdmaQueuePair*> data;    //!< queue pairs that may have data, in turn
        std::vector<Resting> resting; //!< heap, the earliest on top
        Ptr<RecurringEvent> wake;     //!< null until a queue pair has to rest
        Time wakeAt;                  //!< when it is due, if pending
        Ptr<FastPath> fastPath;       //!< null while there are packets
        Ptr<FastPath> ended;          //!< has something to report at this instant; mostly null
        uint32_t retryPackets{1};     //!< packets from one attempt to gather to the next
        uint32_t attempt{1};          //!< packets until then
        uint64_t computed{0};         //!< packets in bursts when the last one began
    };

    /// A queue pair and its place in the queues of its port.
    struct Slot
    {
        Ptr<RdmaQueuePair> queuePair;
        uint32_t port;
        uint32_t ownPort;     //!< for which it was made
        Mac48Address peerMac; //!< of the port at the peer for which it was made, if it has moved
        bool moved{false};
        bool queued{false}; //!< in turn, or resting
        bool resting{false};
        bool ackQueued{false}; //!< has an acknowledgement or CNP to send
    };

    /// @return the slot of a queue pair
    Slot& GetSlot(const RdmaQueuePair& queuePair);
    /// @return the port of a device
    Port& GetPortOf(const EthernetPortNetDevice& device);
    /// @copydoc GetPortOf
    const Port& GetPortOf(const EthernetPortNetDevice& device) const;
    /// @param fidelity from now on
    void SetFidelity(Fidelity fidelity);
    /// End the fast paths of all ports.
    void TurnToPackets();
    /// @return how traffic is computed
    Fidelity GetFidelity() const;
    /// @return true if a queue pair that is about to send talks to its peer in bursts from now on
    bool Converse(Port& port, RdmaQueuePair& queuePair);
    /// A port among others that depend on each other, and the queue pairs at them.
    struct Circle;
    /// @return true if all that is under way between a port and others is computed ahead from now
    /// on
    bool Gather(Port& port);
    /// Find the ports that depend on a port, and their queue pairs; returns false if there is
    /// something else.
    static bool Survey(Circle& circle);
    /// @return true if a port may be one of those
    bool Admit(Circle& circle, Port& port);
    /// @return true if the queue pairs of one of those ports may be, and the ports they lead to
    static bool Visit(Circle& circle, std::size_t place);
    /// @return the port of a queue pair if both could talk in bursts, otherwise null
    Port* FindListener(const RdmaEndpoint& local, const RdmaEndpoint& remote);
    /// @return how a queue pair sends through a switch to a port there, if in bursts
    static FastPathHop::Way FindWay(FastPathHop& hop,
                                    EthernetPortNetDevice& port,
                                    const RdmaQueuePair& queuePair);
    /// @return true if a queue pair that is ready is part of a fast path; any other one ends it
    bool JoinsFastPath(Port& port, RdmaQueuePair& queuePair);
    /// Have a queue pair use the ports that are left.
    void FindMigration(Slot& slot);
    /// Take a queue pair out of the queues of its port.
    void LeavePort(Slot& slot);
    /// @return the next acknowledgement or CNP of a port, or null
    Ptr<Packet> NextAck(Port& port);
    /// @return the next data packet of a port, or null
    Ptr<Packet> NextData(Port& port);
    /// A queue pair that rests may send earlier than it was to.
    void ShortenRest(Port& port, RdmaQueuePair& queuePair);
    /// Put queue pairs back in turn that may send now.
    void EndRests(Port& port);
    /// Wake the port up when the first queue pair may send.
    void WakeUp(Port& port);

    Fidelity m_fidelity{BURST};
    uint32_t m_retryPackets{1}; //!< the least of the ports
    ObjectFactory m_queuePairFactory;
    std::vector<std::pair<std::string, Ptr<const AttributeValue>>> m_controlAttributes;
    std::vector<Port> m_ports;
    std::shared_ptr<const RdmaPorts> m_addresses;
    std::set<Mac48Address> m_avoided;
    std::vector<Slot> m_queuePairs;
    Statistics m_statistics;
    bool m_linkChanging{false}; //!< queue pairs are being told: nothing may be sent meanwhile

    TracedCallback<uint64_t, Time, bool, uint32_t> m_writeCompleted;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_NIC_H
