// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_QUEUE_PAIR_H
#define PHOTONIC_RAILS_RDMA_QUEUE_PAIR_H

#include "fast-path-sender.h"
#include "fast-path.h"
#include "rdma-requester.h"
#include "rdma-responder.h"
#include "roce-header.h"

#include "ns3/callback.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class RdmaNic;
class EthernetPortNetDevice;

/// The address of a queue pair, which the two ends exchange out of band before they connect.
struct RdmaEndpoint
{
    Mac48Address mac;
    Ipv4Address ip;
    uint32_t queuePair{0}; //!< 24-bit number
    uint32_t firstPsn{0};  //!< 24-bit PSN of the first packet from this end
};

/// The addresses of the ports of a NIC, by index.
using RdmaPorts = std::vector<std::pair<Mac48Address, Ipv4Address>>;

/**
 * @brief One end of a reliable connection (RC) bound to a NIC port.
 *
 * Messages are RDMA Writes with immediate. The sender (RdmaRequester) cuts messages into packets of
 * Mtu bytes with consecutive PSNs and keeps at most Window bytes unacknowledged. It requests an
 * acknowledgement on every AckInterval-th packet, on the last packet that it can send, and at a
 * pause.
 *
 * By default (LossRecovery GoBackN) the receiver (RdmaResponder) accepts packets in order only. It
 * answers a gap with one NAK, and the sender resumes from the missing packet. With SelectiveRepeat
 * the receiver keeps packets behind a gap (IRN: Mittal et al., SIGCOMM 2018). Each packet is then a
 * Write of its own with its own address, and only the last packet has the immediate value. The
 * receiver answers each packet behind a gap with a NAK that carries the missing PSN and, in place
 * of the MSN, the PSN that has arrived; the sender retransmits missing packets only.
 *
 * CongestionControl names an RdmaCongestionControl that limits rate and window in addition to
 * Window. If the control uses notifications, this end sends the peer a CNP when a marked packet
 * arrives, at most one in CnpInterval.
 *
 * A retransmission timer (RdmaRetransmissionTimer), which adapts to the measured round-trip time
 * (RFC 6298) and backs off, covers losses that cause no NAK: the last packets of a message, and
 * acknowledgements. The timer runs while a packet with an acknowledgement request is outstanding.
 * After RetryLimit timeouts without progress the queue pair fails and reports every unfinished
 * message as failed. A failed queue pair refuses all packets, as in the error state of InfiniBand,
 * so that the messages of the peer fail, too.
 *
 * The first timeout is InitialTimeout, or four times the round-trip time without queues if that is
 * longer: BaseRoundTrip, and at least the delay of two fibers like that of the port in both
 * directions with AckInterval packets. No timeout is below twice this time.
 *
 * A queue pair sends nothing while its port is dark or leads to another port than that of the peer;
 * the timer is stopped for that time. When the path to the peer is restored, the queue pair resumes
 * from the oldest unacknowledged packet.
 *
 * When ports fail, a queue pair may move to other ports, see RdmaNic::SetFailedPorts. As with
 * automatic path migration of InfiniBand (IBTA specification, volume 1, chapter 17) the queue pair
 * keeps its state and numbers, and retransmits the packets in flight.
 *
 * RdmaQueuePair itself keeps the addresses of the peer, builds packets, and passes the content of
 * acknowledgements between requester and responder.
 */
class RdmaQueuePair : public Object, private RdmaRequester::Client, private RdmaResponder::Client
{
  public:
    static TypeId GetTypeId();

    RdmaQueuePair();

    /// Called for each signaled message that is acknowledged in full, and for each failed message.
    using SentCallback = Callback<void, uint32_t /*immediate*/, bool /*delivered*/>;
    /// Called when a message has arrived in full.
    using ReceivedCallback = Callback<void, uint32_t /*immediate*/, uint64_t /*bytes*/>;

    /// Packet and byte counts of both sides.
    struct Statistics : RdmaRequester::Statistics, RdmaResponder::Statistics
    {
        uint64_t marksReceived{0}; //!< data packets that a switch has marked (CE)
        uint64_t cnpsSent{0};
        uint64_t cnpsReceived{0};
        uint64_t refused{0}; //!< packets received after this end has failed
    };

    /// Retransmission of lost packets; must be the same at both ends.
    enum LossRecovery
    {
        GO_BACK_N,        //!< retransmit all packets from the missing one on
        SELECTIVE_REPEAT, //!< retransmit missing packets only
    };

    /**
     * @param nic the NIC of this queue pair
     * @param port the port of the NIC that the queue pair uses
     * @param local the address of this end
     */
    void Bind(RdmaNic* nic, Ptr<EthernetPortNetDevice> port, const RdmaEndpoint& local);

    /// @param remote the address of the peer
    void Connect(const RdmaEndpoint& remote);

    /// @param ports the ports of the peer's NIC, to which the peer may move
    void SetPeerPorts(std::shared_ptr<const RdmaPorts> ports)
    {
        m_peerPorts = std::move(ports);
    }

    /// @return the ports from SetPeerPorts, or null
    const std::shared_ptr<const RdmaPorts>& GetPeerPorts() const
    {
        return m_peerPorts;
    }

    /// @return the address of this end
    const RdmaEndpoint& GetEndpoint() const
    {
        return m_local;
    }

    /**
     * @param sent the callback, which may post messages. Messages that are posted after the queue
     * pair has failed are reported as failed at most 1 us later and never during Post. A callback
     * that posts again on each failure therefore does not stop simulated time.
     */
    void SetSentCallback(SentCallback sent)
    {
        m_sent = sent;
    }

    /// @param received the callback, called when a message has arrived in full
    void SetReceivedCallback(ReceivedCallback received)
    {
        m_received = received;
    }

    /**
     * @brief Send a message.
     * @param bytes size of the message; 0 is a notification without data
     * @param immediate immediate value, delivered with the message
     * @param signaled false to report the message only if it fails, like a work request without
     * IBV_SEND_SIGNALED. Messages finish in order, so the report of a signaled message covers the
     * messages before it. A fast path does not stop at the end of an unsignaled message.
     */
    void Post(uint64_t bytes, uint32_t immediate, bool signaled = true);

    /**
     * @brief Make the last posted message a signaled message.
     * @return false if all messages are finished
     */
    bool Signal();

    /**
     * @brief Stop sending at the next packet boundary.
     *
     * After `drained` no packet is in flight, and the circuit can be dropped without loss.
     * Exception: needless retransmissions after earlier losses or timeouts may be in flight. A
     * second pause replaces a first one that has not drained; only the second is reported.
     * @param drained called when all packets that were sent have been acknowledged, immediately if
     * they have been already
     */
    void Pause(Callback<void> drained);

    /// End a pause.
    void Resume()
    {
        m_requester.Resume();
    }

    /**
     * @brief Fail now, as with a transition to the error state (ibv_modify_qp): unfinished messages
     * are reported as failed, and received packets are refused.
     */
    void Abort();

    /// @return true if the port leads to the peer
    bool IsPathOpen() const
    {
        return m_pathOpen;
    }

    /// @return true after RetryLimit timeouts without progress and after Abort
    bool HasFailed() const
    {
        return m_requester.HasFailed();
    }

    /// @return the reason for which unfinished messages make no progress, in words for messages:
    /// the queue pair has failed, or its port does not lead to the peer; empty otherwise
    std::string DescribeTrouble() const;
    /// @return the counters
    const Statistics& GetStatistics() const;

    /// @return the congestion control, or null without one and before Connect
    Ptr<RdmaCongestionControl> GetCongestionControl() const
    {
        return m_requester.GetCongestionControl();
    }

    /**
     * TracedCallback signature of a retransmission: the sender returns to an earlier packet.
     * @param from PSN of the packet that would have been sent next
     * @param to PSN of the packet that is sent next
     * @param timeout true after a timeout, false after a NAK or when the path has been restored;
     * selective repeat does not return after a NAK
     */
    typedef void (*GoBackTracedCallback)(uint64_t from, uint64_t to, bool timeout);

    /**
     * TracedCallback signature of a congestion notification packet.
     * @param cnps number of CNPs up to now, including this one
     */
    typedef void (*CnpTracedCallback)(uint64_t cnps);

    // --- for the NIC ---

    /// The queues of RdmaPortScheduler that hold the queue pair.
    struct Queued
    {
        bool data{false};    //!< it has a turn to send data, or waits
        bool waiting{false}; //!< its congestion control defers its next packet
        bool ack{false};     //!< it has an acknowledgement or CNP to send
    };

    /// @return the queues that hold this queue pair, for RdmaPortScheduler to change
    Queued& GetQueued()
    {
        return m_queued;
    }

    /// @return true if a data packet may be sent now
    bool HasDataToSend() const
    {
        return m_pathOpen && m_requester.HasDataToSend();
    }

    /// @return the next data packet; HasDataToSend() must hold
    Ptr<Packet> BuildData();

    /// @return true if the congestion control determines the time of the next data packet
    bool IsPaced() const
    {
        return m_requester.IsPaced();
    }

    /// @return earliest time to send the next data packet; requires IsPaced()
    Time GetNextSendTime() const
    {
        return m_requester.GetNextSendTime();
    }

    /// @return time to check again for the next data packet, see RdmaPacer::Rest; requires
    /// IsPaced()
    Time Rest()
    {
        return m_requester.Rest();
    }

    /// @return the priority of data packets, 0 to 7
    uint8_t GetPriority() const
    {
        return RoceHeader::GetPriority(m_tos);
    }

    /// @return the priority of acknowledgements and CNPs, 0 to 7
    uint8_t GetControlPriority() const
    {
        return RoceHeader::GetPriority(m_controlTos);
    }

    /// @return true if an acknowledgement or CNP is due; discards both if the path is closed
    bool HasAckToSend();
    /// @return the CNP or the acknowledgement that is due; HasAckToSend() must hold
    Ptr<Packet> BuildAck();
    /**
     * @brief Process a received packet.
     * @param header the headers of the packet
     */
    void Receive(const RoceHeader& header);
    /**
     * @brief Note a packet that Receive gets later. Call for packets in the order of their arrival.
     * @param header the headers of the packet
     * @return true if Receive will change nothing but counters and the progress of the responder,
     * provided that all packets noted before are received
     */
    bool Foresee(const RoceHeader& header);
    /// The port has become dark or lit, or has a new link partner.
    void LinkChanged();
    /**
     * @brief Move to another port of the NIC or of the peer's NIC.
     * @param port the port of the NIC
     * @param local addresses of the port
     * @param remote addresses of the port of the peer's NIC
     */
    void Move(Ptr<EthernetPortNetDevice> port,
              const RdmaPorts::value_type& local,
              const RdmaPorts::value_type& remote);

    // --- for fast paths, see FastPathRegion ---

    /// @return true if no packet is in flight and nothing is due
    bool IsUndisturbed() const;

    /// @return true if a FastPathRegion can take over, also with packets in flight
    bool IsOrderly() const;

    /// @return true if packets are unacknowledged, or data or an acknowledgement is to be sent
    bool IsBusy() const;

    /// @return the address of the peer
    const RdmaEndpoint& GetRemote() const
    {
        return m_remote;
    }

    /// @return the sending side
    const RdmaRequester& GetRequester() const
    {
        return m_requester;
    }

    /// @return the receiving side
    const RdmaResponder& GetResponder() const
    {
        return m_responder;
    }

    /// @return the properties of the packets that matter to a switch
    FastPathHop::Flow GetFlow() const;
    /// @return time and bytes of an acknowledgement on the fiber
    FastPathSize GetAckSize() const;
    /// @return a message, with time and bytes of its packets on the fiber
    FastPathMessage GetBurstMessage(const RdmaSendQueue::Message& message) const;
    /// Stop the timer and discard a due acknowledgement: a fast path takes over.
    void BeginBurst();

    /// Make an acknowledgement due when a fast path ends.
    void OweAck()
    {
        m_responder.SetAckDue();
    }

    /// Report a message that has arrived in full.
    void BurstArrived(uint32_t immediate, uint64_t bytes);

    /// Finish the oldest posted message, which has been acknowledged in full.
    void BurstFinished()
    {
        m_requester.FinishMessage();
    }

    /// Count packets that a fast path has sent, and payload bytes that have arrived.
    void CountBurst(uint64_t packets, uint64_t acks, uint64_t bytesReceived);

    /**
     * @brief Set the progress when a fast path ends.
     * @param sent progress of the requester
     * @param received progress of the responder
     * @param bytes bytes received of the message that is arriving
     */
    void EndBurst(const RdmaSenderState& sent, const RdmaReceiverState& received, uint64_t bytes)
    {
        m_requester.SetState(sent);
        m_responder.SetState(received, bytes);
    }

    /// @return a data packet that a fast path has sent
    Ptr<Packet> BuildDataAt(uint64_t psn, bool asks);
    /// @return an acknowledgement that a fast path has sent, see RdmaResponder::FillSent
    Ptr<Packet> BuildAckAt(uint64_t psn, uint32_t messages);

  protected:
    void DoDispose() override;
    void NotifyConstructionCompleted() override;

  private:
    /// Time from a post to a failed queue pair to the report of failure: a choice of this module.
    static constexpr int64_t FLUSH_TIME = 1000; // ns

    // inherited from RdmaRequester::Client
    void TakeArrivals() override;
    void DataReady() override;
    void Completed(const RdmaSendQueue::Message& message, bool delivered) override;

    void WentBack(uint64_t from, uint64_t to, bool timeout) override
    {
        m_goBackTrace(from, to, timeout);
    }

    // inherited from RdmaResponder::Client
    void AckDue() override;
    void Arrived(uint32_t immediate, uint64_t bytes) override;

    /// Return from a fast path to packets before a change.
    void Interrupt();

    /// Set the MTU and restart the congestion control if the MTU changes.
    void SetMtu(uint32_t bytes);

    uint32_t GetMtu() const
    {
        return m_requester.GetMtu();
    }

    void SetAckInterval(uint32_t packets)
    {
        Interrupt();
        m_requester.SetAckInterval(packets);
        EstimateRoundTrip();
    }

    uint32_t GetAckInterval() const
    {
        return m_requester.GetAckInterval();
    }

    /// Set a parameter of the requester for an attribute.
    template <auto SETTER, typename T>
    void SetOfRequester(T value)
    {
        Interrupt();
        (m_requester.*SETTER)(value);
    }

    /// @return a parameter of the requester for an attribute
    template <auto GETTER>
    auto GetOfRequester() const
    {
        return (m_requester.*GETTER)();
    }

    /// Set a bound of the timer for an attribute.
    template <void (RdmaRetransmissionTimer::*SETTER)(Time)>
    void SetOfTimer(Time bound)
    {
        Interrupt();
        (m_requester.GetTimer().*SETTER)(bound);
    }

    /// @return a bound of the timer for an attribute
    template <Time (RdmaRetransmissionTimer::*GETTER)() const>
    Time GetOfTimer() const
    {
        return (m_requester.GetTimer().*GETTER)();
    }

    void SetTos(uint8_t tos)
    {
        Interrupt();
        m_tos = tos;
    }

    uint8_t GetTos() const
    {
        return m_tos;
    }

    /// @return the type of service of data packets; Not-ECT without congestion control (RFC 3168,
    /// section 5: ECT says that the sender reacts to marks)
    uint8_t GetDataTos() const
    {
        return IsPaced() ? m_tos : m_tos & ~RoceHeader::ECN_MASK;
    }

    void SetControlTos(uint8_t tos)
    {
        Interrupt();
        m_controlTos = tos;
    }

    uint8_t GetControlTos() const
    {
        return m_controlTos;
    }

    /// @param recovery the same at both ends; aborts if it changes after Connect
    void SetLossRecovery(LossRecovery recovery);

    LossRecovery GetLossRecovery() const
    {
        return m_lossRecovery;
    }

    /// @param type name of an RdmaCongestionControl, or empty
    void SetCongestionControl(std::string type);

    /// @return the name from SetCongestionControl
    std::string GetCongestionControlType() const
    {
        return m_congestionControl;
    }

    /// Create the congestion control that the attribute names.
    void CreateCongestionControl();
    /// Set the expected round-trip time of the timer, if the path is open.
    void EstimateRoundTrip();
    /// Process the mark of a received packet.
    void Marked();

    /// Write the addresses of both ends into m_header.
    void FillAddresses();
    /// @return a packet with m_header
    Ptr<Packet> BuildFrame() const;
    /// Process a received ACK or NAK.
    void ReceiveAck(const RoceHeader& header);
    /// Report all unfinished messages as failed.
    void Flush();

    uint32_t m_firstPsn;
    bool m_invariantCrc;
    uint8_t m_tos;
    uint8_t m_controlTos;
    LossRecovery m_lossRecovery{GO_BACK_N};
    std::string m_congestionControl;
    Time m_cnpInterval;
    Time m_baseRoundTrip;

    RdmaNic* m_nic{nullptr}; //!< null before Bind and after Dispose
    Ptr<EthernetPortNetDevice> m_port;
    RdmaEndpoint m_local;
    RdmaEndpoint m_remote;
    std::shared_ptr<const RdmaPorts> m_peerPorts;
    Queued m_queued;
    bool m_pathOpen{false};
    bool m_cnpDue{false};
    bool m_flushDue{false}; //!< Flush is scheduled
    Time m_nextCnp;         //!< earliest time of the next CNP
    RoceHeader m_header;    //!< constant fields are filled in once
    SentCallback m_sent;
    ReceivedCallback m_received;

    Statistics m_statistics;
    RdmaRequester m_requester;
    RdmaResponder m_responder;

    TracedCallback<uint64_t, uint64_t, bool> m_goBackTrace;
    TracedCallback<uint64_t> m_cnpSentTrace;
    TracedCallback<uint64_t> m_cnpReceivedTrace;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_QUEUE_PAIR_H
