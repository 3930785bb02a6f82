// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_QUEUE_PAIR_H
#define PHOTONIC_RAILS_RDMA_QUEUE_PAIR_H

#include "fast-path-pair-state.h"
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

/// Where a queue pair can be reached: what the two sides exchange out of band before they connect.
struct RdmaEndpoint
{
    Mac48Address mac;
    Ipv4Address ip;
    uint32_t queuePair{0}; //!< 24-bit number
    uint32_t firstPsn{0};  //!< 24-bit PSN of the first packet that it sends
};

/// How the ports of a NIC can be reached, in its order.
using RdmaPorts = std::vector<std::pair<Mac48Address, Ipv4Address>>;

/**
 * @brief One end of a reliable connection (RC) bound to a NIC port.
 *
 * Messages are RDMA Writes with immediate. The sender (RdmaRequester) cuts them into packets of Mtu
 * bytes with consecutive PSNs and keeps at most Window bytes unacknowledged. It asks for an
 * acknowledgement on every AckInterval-th packet, at the end of what it can send, and at a pause.
 *
 * By default (LossRecovery GoBackN) the receiver (RdmaResponder) accepts packets in order only: a
 * gap is answered with one NAK, and the sender goes back to it. With SelectiveRepeat it keeps what
 * comes behind a gap (IRN: Mittal et al., SIGCOMM 2018), so each packet is a Write of its own with
 * its own address, and only the last has the immediate value; each packet behind a gap is answered
 * with a NAK that carries the missing PSN and, in place of the MSN, the PSN that has arrived, and
 * the sender repeats what is missing.
 *
 * CongestionControl names a RdmaCongestionControl that limits rate and window; without one nothing
 * but Window does. If this end has one that wants to be notified, it also tells the peer, by one
 * CNP in CnpInterval at most, when packets arrive marked.
 *
 * A timer (RdmaRetransmissionTimer) that adapts to the measured round-trip time (RFC 6298) and
 * backs off covers what a NAK cannot: lost tails and lost acknowledgements. It runs while a packet
 * that asked for an acknowledgement is outstanding, so a queue pair with a small share of its port
 * may take long to get that far. After RetryLimit time-outs without progress every unfinished
 * message is reported as failed. A queue pair that has failed refuses what arrives, as one in the
 * error state of InfiniBand does, so that the peer's work fails too.
 *
 * The first time-out is InitialTimeout, or four times what a round trip without queues takes, if
 * that is longer: BaseRoundTrip, or two fibres like that of the port there and back, and
 * AckInterval packets.
 *
 * A queue pair is silent while its port is dark or lit by somebody else than its peer, and its
 * timer stands still. When the way is open again it goes on from the oldest unacknowledged packet.
 *
 * When ports break it may move to others, see RdmaNic::MarkPortFailed: as with automatic path
 * migration of InfiniBand (IBTA specification, volume 1, chapter 17) its state and numbers stay,
 * and what was under way is repeated.
 *
 * The queue pair itself knows the way to the peer, makes packets, and translates between
 * acknowledgement packets and what the sender and the receiver have to tell each other.
 */
class RdmaQueuePair : public Object, private RdmaRequester::Client, private RdmaResponder::Client
{
  public:
    static TypeId GetTypeId();

    RdmaQueuePair();
    ~RdmaQueuePair() override;

    /// Called once per signaled message: all acknowledged; and per message that has failed.
    using SentCallback = Callback<void, uint32_t /*immediate*/, bool /*delivered*/>;
    /// Called when a message has arrived in full.
    using ReceivedCallback = Callback<void, uint32_t /*immediate*/, uint64_t /*bytes*/>;

    /// Packet and byte counts of both sides.
    struct Statistics : RdmaRequester::Statistics, RdmaResponder::Statistics
    {
        uint64_t marksReceived{0}; //!< data packets that a switch has marked (CE)
        uint64_t cnpsSent{0};
        uint64_t cnpsReceived{0};
        uint64_t refused{0}; //!< packets that came after this end had failed
    };

    /// How packets that are lost are repeated; the same at both ends.
    enum LossRecovery
    {
        GO_BACK_N,        //!< all from the missing one on
        SELECTIVE_REPEAT, //!< the missing ones only
    };

    /**
     * @param nic the NIC that serves this queue pair
     * @param port the port it uses
     * @param local how the peer reaches this end
     */
    void Bind(RdmaNic* nic, Ptr<EthernetPortNetDevice> port, const RdmaEndpoint& local);

    /// @param remote the peer
    void Connect(const RdmaEndpoint& remote);

    /// @param ports those of the peer's NIC, among which it can move
    void SetPeerPorts(std::shared_ptr<const RdmaPorts> ports);

    /// @return the ports of the peer's NIC, or null if they are not known
    const std::shared_ptr<const RdmaPorts>& GetPeerPorts() const
    {
        return m_peerPorts;
    }

    /// @return how the peer reaches this end
    const RdmaEndpoint& GetEndpoint() const;

    /**
     * @param sent may post more. What is posted after the queue pair has failed is reported as
     * failed 1 us later, or with what was posted just before, so that posting again on failure,
     * though it never ends, does not keep the simulated time from passing.
     */
    void SetSentCallback(SentCallback sent);
    /// @param received called when a message has arrived in full
    void SetReceivedCallback(ReceivedCallback received);

    /**
     * @brief Send a message.
     * @param bytes its size; 0 is a notification without data
     * @param immediate delivered with it
     * @param signaled false: it is reported only if it fails, as a work request that is posted
     * without IBV_SEND_SIGNALED. A queue pair finishes in order, so the report of a signaled
     * message stands for those before it; and a burst need not stop for what nobody wants to know.
     */
    void Post(uint64_t bytes, uint32_t immediate, bool signaled = true);

    /**
     * @brief The last message that was posted is to be reported after all.
     * @return false if all messages are finished
     */
    bool Signal();

    /**
     * @brief Stop sending at the next packet boundary.
     *
     * When it is drained nothing is under way, so that the circuit can be dropped without losing
     * light; but if frames have been lost or have timed out before, needless repeats may be.
     * A second pause before the first has drained replaces it: only the second is reported.
     * @param drained called when every packet sent has been acknowledged, at once if that is so
     */
    void Pause(Callback<void> drained);
    /// Go on sending.
    void Resume();

    /**
     * @brief Fail now, as one that is taken to the error state (ibv_modify_qp) before it is
     * destroyed: messages are reported as failed, and what arrives is refused.
     */
    void Abort();

    /// @return true if the port leads to the peer
    bool IsPathOpen() const;
    /// @return true if time-outs have used up RetryLimit, or it has been aborted
    bool HasFailed() const;
    /// @return why what has been posted is stuck, for people: the queue pair has failed, or its
    /// port does not lead to the peer; empty if neither, or if nothing is unfinished
    std::string DescribeTrouble() const;
    /// @return the counts so far
    const Statistics& GetStatistics() const;
    /// @return the congestion control, or null if there is none or not yet a peer
    Ptr<RdmaCongestionControl> GetCongestionControl() const;

    /**
     * TracedCallback signature of a retransmission: the sender goes back.
     * @param from PSN of the packet that would have been next
     * @param to PSN of the packet that is sent next
     * @param timeout true after a time-out, false after a NAK or when light has come back;
     * selective repeat does not go back after a NAK
     */
    typedef void (*GoBackTracedCallback)(uint64_t from, uint64_t to, bool timeout);

    /**
     * TracedCallback signature of a congestion notification packet.
     * @param cnps how many there have been, this one included
     */
    typedef void (*CnpTracedCallback)(uint64_t cnps);

    // --- for the NIC ---

    /// @return true if a data packet may be sent now
    bool HasDataToSend() const
    {
        return m_pathOpen && m_requester.HasDataToSend();
    }

    /// @return the next data packet; HasDataToSend() must hold
    Ptr<Packet> BuildData();

    /// @return true if the next data packet has to wait until GetNextSendTime()
    bool IsPaced() const
    {
        return m_requester.IsPaced();
    }

    /// @return when the next data packet may leave; only if IsPaced()
    Time GetNextSendTime() const
    {
        return m_requester.GetNextSendTime();
    }

    /// @return when to look again at one that has to wait, see RdmaPacer::Rest; only if IsPaced()
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

    /// @return true if an acknowledgement or CNP is due and can be sent; otherwise it is forgotten
    bool HasAckToSend();
    /// @return the CNP or the acknowledgement that is due; HasAckToSend() must hold
    Ptr<Packet> BuildAck();
    /**
     * @brief A packet for this queue pair has arrived.
     * @param header its headers
     */
    void Receive(const RoceHeader& header);
    /// The port has become dark or lit, or leads elsewhere.
    void LinkChanged();
    /**
     * @brief Use another port from now on, or lead to another one of the peer's NIC.
     * @param port the port of the NIC
     * @param local its addresses
     * @param remote those of the port at the peer
     */
    void Move(Ptr<EthernetPortNetDevice> port,
              const RdmaPorts::value_type& local,
              const RdmaPorts::value_type& remote);

    // --- for a burst, see FastPathPair ---

    /// @return true if nothing is under way or due that a burst could not take over
    bool IsUndisturbed() const;

    /// @return true if a burst could take over from what is under way
    bool IsOrderly() const;

    /// @return true if something is outstanding, due or to be sent
    bool IsBusy() const;

    /// @return the peer
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

    /// @return what a switch has to know of its packets
    FastPathHop::Flow GetFlow() const;
    /// @return what an acknowledgement takes on the fibre
    FastPathPairState::Size GetAckSize() const;
    /// @return a message and what its packets take on the fibre
    FastPathPairState::Message GetBurstMessage(const RdmaSendQueue::Message& message) const;
    /// What is under way or due is dealt with elsewhere, until the burst ends.
    void BeginBurst();
    /// An acknowledgement is due when a burst ends.
    void OweAck();
    /// A message has arrived in full.
    void BurstArrived(uint32_t immediate, uint64_t bytes);
    /// The oldest message that was posted has been acknowledged in full.
    void BurstFinished();
    /// Count what has been sent and received.
    void CountBurst(uint64_t packets, uint64_t acks, uint64_t bytesReceived);
    /// Go on sending packets from there.
    void EndBurst(const RdmaRequester::Progress& progress);
    /// Go on receiving packets from there, see RdmaResponder::SetProgress.
    void EndBurst(uint64_t psn, uint64_t bytes, uint32_t messages, bool ackDue);
    /// @return a data packet that a burst has sent
    Ptr<Packet> BuildDataAt(uint64_t psn, bool asks);
    /// @return an acknowledgement that a burst has sent, see RdmaResponder::FillSent
    Ptr<Packet> BuildAckAt(uint64_t psn, uint32_t messages);

  protected:
    void DoDispose() override;
    void NotifyConstructionCompleted() override;

  private:
    /// From a post to a failed queue pair to its report: a choice of this module.
    static constexpr int64_t FLUSH_TIME = 1000; // ns

    // inherited from RdmaRequester::Client
    void TakeArrivals() override;
    void DataReady() override;
    void Completed(const RdmaSendQueue::Message& message, bool delivered) override;
    void WentBack(uint64_t from, uint64_t to, bool timeout) override;

    // inherited from RdmaResponder::Client
    void AckDue() override;
    void Arrived(uint32_t immediate, uint64_t bytes) override;

    /// Go back from bursts to packets, as something changes.
    void Interrupt();

    // attributes that the requester and its timer keep
    /// A congestion control begins anew with another one.
    void SetMtu(uint32_t bytes);

    uint32_t GetMtu() const
    {
        return m_requester.GetMtu();
    }

    void SetWindow(uint32_t bytes)
    {
        Interrupt();
        m_requester.SetWindow(bytes);
    }

    uint32_t GetWindow() const
    {
        return m_requester.GetWindow();
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

    void SetTos(uint8_t tos)
    {
        Interrupt();
        m_tos = tos;
    }

    uint8_t GetTos() const
    {
        return m_tos;
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

    void SetInitialTimeout(Time timeout)
    {
        Interrupt();
        m_requester.GetTimer().SetInitialTimeout(timeout);
    }

    Time GetInitialTimeout() const
    {
        return m_requester.GetTimer().GetInitialTimeout();
    }

    void SetMinTimeout(Time timeout)
    {
        Interrupt();
        m_requester.GetTimer().SetMinTimeout(timeout);
    }

    Time GetMinTimeout() const
    {
        return m_requester.GetTimer().GetMinTimeout();
    }

    void SetMaxTimeout(Time timeout)
    {
        Interrupt();
        m_requester.GetTimer().SetMaxTimeout(timeout);
    }

    Time GetMaxTimeout() const
    {
        return m_requester.GetTimer().GetMaxTimeout();
    }

    void SetRetryLimit(uint32_t timeouts)
    {
        m_requester.SetRetryLimit(timeouts);
    }

    uint32_t GetRetryLimit() const
    {
        return m_requester.GetRetryLimit();
    }

    void SetReorderTolerance(uint32_t packets)
    {
        m_requester.SetReorderTolerance(packets);
    }

    uint32_t GetReorderTolerance() const
    {
        return m_requester.GetReorderTolerance();
    }

    /// @param recovery the same at both ends; aborts if it changes after Connect
    void SetLossRecovery(LossRecovery recovery);

    LossRecovery GetLossRecovery() const
    {
        return m_lossRecovery;
    }

    /// @param type name of a RdmaCongestionControl, or empty
    void SetCongestionControl(std::string type);
    /// @return the name
    std::string GetCongestionControlType() const;
    /// Make the congestion control that the attribute names.
    void CreateCongestionControl();
    /// Tell the timer how long a round trip will take, if the path is open.
    void EstimateRoundTrip();
    /// A marked packet has arrived.
    void Marked();

    /// Write the addresses of both ends into m_header.
    void FillAddresses();
    /// Make a packet from m_header.
    Ptr<Packet> BuildFrame() const;
    /// An ACK or NAK has arrived.
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
    bool m_pathOpen{false};
    bool m_cnpDue{false};
    bool m_flushDue{false}; //!< what has been posted after a failure will be reported
    Time m_nextCnp;         //!< when the next CNP may be sent at the earliest
    RoceHeader m_header;    //!< constant fields filled in once
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
