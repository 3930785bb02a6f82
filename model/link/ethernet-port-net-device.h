// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ETHERNET_PORT_NET_DEVICE_H
#define PHOTONIC_RAILS_ETHERNET_PORT_NET_DEVICE_H

#include "fiber-net-device.h"
#include "priority-flow-control.h"

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/fifo.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/queue.h"
#include "ns3/recurring-event.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace ns3
{

class EthernetPortNetDevice;

/**
 * @brief Interface of the NIC or switch above an EthernetPortNetDevice (the MAC client of IEEE
 * 802.3).
 *
 * A port that is free to send pulls the next frame from its client. Frames are therefore queued
 * once only, and the client chooses as late as possible. Frames begin with an Ethernet header and
 * have no FCS.
 *
 * Results do not depend on the order of events at the same simulated time: a client first processes
 * all frames that arrive at that time, in the order of its ports, and then its ports choose frames
 * to send. A port therefore lets its client process arrivals before it asks for a frame.
 */
class MacClient
{
  public:
    virtual ~MacClient() = default;

    /**
     * @param port a port that is free and lit
     * @return the frame to send now, or null; the client calls EthernetPortNetDevice::Kick when it
     * has one later
     */
    virtual Ptr<Packet> NextFrame(EthernetPortNetDevice& port) = 0;

    /**
     * @param port a port at which the last bit of a frame has arrived, or its first 64 bytes with
     * early delivery
     * @param frame the frame
     */
    virtual void Receive(EthernetPortNetDevice& port, Ptr<Packet> frame) = 0;

    /// @param port a port that has become dark or lit, or that has a new link partner
    virtual void LinkChanged(EthernetPortNetDevice& port) = 0;

    /**
     * @return true if the client also sends the packets of NetDevice::Send, which it finds in the
     * transmit queue of the port (see EthernetPortNetDevice::TakePacket), and passes frames that
     * are not its own to EthernetPortNetDevice::PassUp; false by default
     */
    virtual bool CarriesPackets() const
    {
        return false;
    }

    /**
     * @brief Process the frames that have arrived by now at all ports, in the order of the ports
     * (see EthernetPortNetDevice::DeliverDue). The default is for a client of one port.
     * @param port a port that is about to choose a frame, or at which a frame arrives
     */
    virtual void TakeArrivals(EthernetPortNetDevice& port);

    /**
     * @brief Offer the client to schedule the event of an arrival itself, as clients of many ports
     * do.
     * @param port the port at which the next frame arrives
     * @param at time of the arrival
     * @return true if the client calls EthernetPortNetDevice::DeliverAwaited at that time; false,
     * as by default, if the port schedules the event and calls TakeArrivals
     */
    virtual bool AwaitArrival(EthernetPortNetDevice& port, const Time& at);

    /**
     * @brief Ask whether a frame must be processed when it arrives. The port asks for frames in the
     * order of their arrival.
     * @param port the port to which the frame is in flight
     * @param frame the frame
     * @return true if the client may process the frame when something else takes the arrivals of
     * the port; false, as by default, if the frame needs an event
     */
    virtual bool MayWait(EthernetPortNetDevice& port, const Packet& frame);

    /**
     * @brief Offer the client to call EthernetPortNetDevice::Decide itself when the port is free
     * again and the client has a frame, as clients do that know when their next frame may leave. A
     * client that accepts needs no event for the end of a frame behind which nothing waits.
     * @param port a port that has just begun to send a frame
     * @param at end of the frame
     * @return true if the client calls Decide; false, as by default, if the port asks the client
     * for a frame at that time
     */
    virtual bool AwaitFree(EthernetPortNetDevice& port, const Time& at);

    /**
     * @brief The state of a port is about to change by something else than frames of its client. A
     * client with a fast path returns to frames.
     * @param port the port, before the change
     */
    virtual void Interrupt(EthernetPortNetDevice& port);

    /**
     * @param port a port that is not sending a frame
     * @return true if the port is busy nevertheless, with traffic that a fast path computes
     */
    virtual bool IsSendingAhead(const EthernetPortNetDevice& port) const;

    /// @param port a port whose counters a client with a fast path updates to the present
    virtual void Settle(const EthernetPortNetDevice& port);
};

class ErrorModel;

/**
 * @brief An Ethernet port with an optical transceiver, on a NIC or an electrical switch.
 *
 * The port serialises frames onto its fiber at DataRate. A frame takes the time of its bytes plus
 * FCS (4), preamble (8) and inter-frame gap (12), at least the time of a 64-byte frame. When the
 * port starts to send, it follows the light path, through an OCS if there is one, to the
 * transceiver at its end and passes the frame to this transceiver with the arrival time. A frame
 * takes at most two events per hop: one at its end, unless the client awaits that (see
 * MacClient::AwaitFree), and one on arrival, unless the frame may wait (see MacClient::MayWait).
 * Each port has one pending arrival event for any number of frames in flight.
 *
 * All ports of a client process the frames that arrive at a simulated time before any of them sends
 * at that time (see MacClient). A port that becomes free chooses the next frame immediately. An
 * idle port that is kicked chooses in an event of its own at the same simulated time.
 *
 * A dark port sends nothing. A lit port knows the MAC address of its link partner, as from LLDP
 * (IEEE 802.1AB); the exchange itself is not modelled.
 *
 * Priority-based flow control (PFC) works without the client: PFC frames precede the frames of the
 * client, and received PFC frames are not passed to the client. A client with frames of several
 * priorities queries the paused priorities, and is asked for a frame again when a pause ends.
 *
 * Without a MacClient the device is a plain NetDevice with a transmit queue. With a client that
 * carries packets (see MacClient::CarriesPackets), an IP stack and the client share the port: the
 * packets of Send wait in the transmit queue, also while the port is dark, and the client chooses
 * between them and its own frames.
 */
class EthernetPortNetDevice : public FiberNetDevice
{
  public:
    static TypeId GetTypeId();

    EthernetPortNetDevice();
    ~EthernetPortNetDevice() override;

    /// Bytes on the fiber in addition to Ethernet header and payload: FCS, preamble and gap.
    static constexpr uint32_t FRAME_OVERHEAD_BYTES = 4 + 8 + 12;
    /// Preamble and first 64 bytes of a frame, for which a cut-through switch waits.
    static constexpr uint32_t CUT_THROUGH_BYTES = 8 + 64;
    /// Smallest Ethernet frame without FCS.
    static constexpr uint32_t MIN_FRAME_BYTES = 60;

    /// The port at the other end of the light path.
    struct LinkPartner
    {
        Mac48Address address; //!< MAC address
        bool forwards{false}; //!< the link partner is a switch
    };

    /// The reason for which a frame was lost.
    enum DropReason
    {
        LIGHT_LOST, //!< cut off when a circuit went dark
        NO_LIGHT,   //!< sent into a dark port
        QUEUE_FULL, //!< the transmit queue is full
        CORRUPTED,  //!< the check sequence is wrong according to ReceiveErrorModel
        REFUSED,    //!< longer than the MTU, or sent by the port of a switch
        OTHER_HOST, //!< addressed to another device
        UNCLAIMED,  //!< no protocol of the node takes the packet
    };

    /// @param client the client, which outlives the port; null removes the client
    void SetMacClient(MacClient* client)
    {
        m_client = client;
    }

    /// The client may have a frame to send: an idle port asks for a frame later at this simulated
    /// time.
    void Kick();

    /// Ask for a frame now, unless the port is busy or dark: for events that the client schedules.
    void Decide();

    /// Pass the frames that have arrived by now to the client.
    void DeliverDue()
    {
        if (!m_arrivals.empty())
        {
            DeliverUntil(Simulator::Now());
        }
    }

    /// Pass the frames that have waited for the client: those that have arrived before now.
    void DeliverOverdue();

    /// Take arrivals when the client has not asked for them, and let no frame in flight wait.
    void DeliverOnTime();

    /**
     * @brief Pass frames to a client that has accepted MacClient::AwaitArrival, and offer the next
     * arrival.
     * @param at the time of AwaitArrival; ignored if the client awaits another time since
     */
    void DeliverAwaited(const Time& at);

    /// @return true if light arrives
    bool IsLit() const
    {
        return m_lit;
    }

    /// @return true while a frame is being sent
    bool IsSending() const
    {
        return IsBusy() || (m_client && m_client->IsSendingAhead(*this));
    }

    /**
     * @return the earliest time at which a client that has accepted MacClient::AwaitFree may call
     * Decide, which is in the past if the port is idle; Time::Max() if the port asks the client by
     * itself
     */
    Time GetFreeTime() const
    {
        return !m_sending ? Time(0) : m_unattended ? m_busyUntil : Time::Max();
    }

    /**
     * @param priority 0 to 7
     * @return true while the link partner has paused the priority (PFC, IEEE 802.1Qbb)
     */
    bool IsPaused(uint8_t priority) const
    {
        return (m_pausedPriorities >> priority) & 1;
    }

    /// @return bit mask of the paused priorities: bit 0 for priority 0, and so on
    uint8_t GetPausedPriorities() const
    {
        return m_pausedPriorities;
    }

    /// @param priorities bit mask of the priorities that the link partner has paused from now on
    void SetPausedPriorities(uint8_t priorities);

    /**
     * @brief Pause or resume a priority of the link partner. A pause is refreshed until the
     * priority is resumed.
     * @param priority 0 to 7
     * @param pause true to pause, false to resume
     */
    void SendPfc(uint8_t priority, bool pause)
    {
        Interrupt();
        GetPfc().Request(priority, pause);
    }

    /// @return PFC frames sent
    uint64_t GetPfcFramesSent() const
    {
        return m_pfc ? m_pfc->GetFramesSent() : 0;
    }

    /// @return PFC frames received
    uint64_t GetPfcFramesReceived() const
    {
        return m_pfc ? m_pfc->GetFramesReceived() : 0;
    }

    /**
     * @brief Pass frames to the client when their first 64 bytes have arrived instead of the last
     * bit, for cut-through switching. Frames that have passed an OCS may be cut off and are always
     * passed in full. Receive traces and captures have the time at which the client gets the frame.
     * Must be called before the first frame.
     * @param early true for early delivery
     */
    void SetEarlyDelivery(bool early)
    {
        m_early = early;
    }

    /**
     * @brief Only meaningful during MacClient::Receive.
     * @return time at which the frame arrived at the client, which is in the past if the frame has
     * waited (see MacClient::MayWait)
     */
    const Time& GetArrivalTime() const
    {
        return m_arrivalTime;
    }

    /**
     * @brief Only meaningful during MacClient::Receive.
     * @return time until the last bit of the frame arrives: 0 without early delivery
     */
    Time GetRestOfArrival() const
    {
        return m_restOfArrival;
    }

    /**
     * @param bytes size of a frame without FCS
     * @return time that this port takes to send the frame after its first 64 bytes
     */
    Time GetRestOfFrame(uint32_t bytes)
    {
        return GetFrameTime(bytes) - m_headerTime;
    }

    /// @return bytes sent with FCS, preamble and gap, that is rate times busy time
    uint64_t GetBytesSent() const;

    /// @return the link partner; only meaningful while the port is lit
    const LinkPartner& GetLinkPartner() const
    {
        return m_partner;
    }

    /// @return bits per second
    DataRate GetDataRate() const
    {
        return m_rate;
    }

    /// @return the MAC address of this port
    Mac48Address GetMacAddress() const
    {
        return m_address;
    }

    /// @return received frames that were dropped because of ReceiveErrorModel
    uint64_t GetFramesCorrupted() const
    {
        return m_framesCorrupted;
    }

    /// @return frames that arrived while the port had failed, were cut off or were sent without
    /// light
    uint64_t GetFramesLost() const
    {
        return m_framesLost;
    }

    /**
     * @param bytes size of a frame without FCS
     * @return time for which the frame occupies the fiber
     */
    Time GetFrameTime(uint32_t bytes);

    // --- for clients that carry packets ---

    /// @return true if packets of Send wait in the transmit queue
    bool HasPackets() const
    {
        return m_queue && !m_queue->IsEmpty();
    }

    /// @return the first packet in the transmit queue, with its Ethernet header, or null
    Ptr<const Packet> PeekPacket() const
    {
        return m_queue ? m_queue->Peek() : nullptr;
    }

    /// Remove the first packet from the transmit queue, to send it. @return the packet, or null
    Ptr<Packet> TakePacket()
    {
        return m_queue ? m_queue->Dequeue() : nullptr;
    }

    /// Pass a frame that the client has received, and that is not its own, to the node.
    void PassUp(const Ptr<Packet>& frame);

    // --- for clients with a fast path ---

    /// @return true if SetEarlyDelivery is in effect
    bool IsEarly() const
    {
        return m_early;
    }

    /// @return time for which preamble and first 64 bytes of a frame occupy the fiber
    const Time& GetHeaderTime() const
    {
        return m_headerTime;
    }

    /// @return the id of the node, for events
    uint32_t GetContext() const
    {
        return m_context;
    }

    /// @return the client, or null
    MacClient* GetMacClient() const
    {
        return m_client;
    }

    /// @return the current light path of this port
    const LightPath& GetPath();

    /// A frame in flight to this port.
    struct UnderWay
    {
        Ptr<Packet> frame;
        Time at; //!< time at which the client gets the frame
    };

    /**
     * @param epoch the circuit to this port, or null
     * @param frames receives the frames in flight to this port, in the order of arrival
     * @return false if a frame passes another circuit or has arrived already
     */
    bool GetArrivals(const Ptr<LightEpoch>& epoch, std::vector<UnderWay>& frames) const;

    /// Discard the frames in flight to this port: a fast path of the client has taken them over.
    void TakeOverArrivals();

    /// The frame that a port is sending.
    struct Transmission
    {
        Ptr<Packet> frame; //!< null for none
        Time until{-1};    //!< when the frame has been sent
    };

    /// @return the frame that this port is sending
    Transmission GetTransmission() const
    {
        return m_frameInService && IsBusy() ? Transmission{m_frameInService, m_busyUntil}
                                            : Transmission{};
    }

    /// @param sending the frame, which has been passed to Launch; none if a fast path of the client
    /// has taken over the frame that this port is sending
    void SetTransmission(const Transmission& sending);

    /// @return true if no frame trace is connected, no frame can be corrupted and no pause is in
    /// effect in either direction
    bool IsPlain() const;

    /// @return true if IsPlain() and no frame is in flight to this port
    bool IsUndisturbed() const
    {
        return m_arrivals.empty() && IsPlain();
    }

    /// @param bytes bytes that a fast path has sent, with FCS, preamble and gap
    void CountBytesSent(uint64_t bytes)
    {
        m_bytesSent += bytes;
    }

    /**
     * @brief Put a frame of this port in flight.
     * @param frame the frame
     * @param path the light path of the frame
     * @param at when the last bit of the frame arrives
     */
    void Launch(Ptr<Packet> frame, const LightPath& path, const Time& at);

    /**
     * @param bytes size of a frame without FCS
     * @return bytes of the frame on the fiber, with FCS, preamble and gap
     */
    static uint32_t GetWireBytes(uint32_t bytes)
    {
        return std::max(bytes, MIN_FRAME_BYTES) + FRAME_OVERHEAD_BYTES;
    }

    /// End the fast path of this port, because a trace source is being connected.
    void NotifyTraceConnected();

    /// Resolve the light path of this port again.
    void LightChanged();
    /// No light arrives from a circuit switch any more, which may have lit the next circuit by now.
    void LightEnded();

    /**
     * @brief Let the transceiver fail or repair it. A failed transceiver sends and receives no
     * light, and its link partner becomes dark after the delay of the path. Frames in flight to a
     * failed transceiver are lost; a frame that is being sent still arrives.
     * @param failed true to fail, false to repair
     */
    void SetFailed(bool failed);

    /// @return true while the transceiver has failed
    bool HasFailed() const
    {
        return m_failed;
    }

    /**
     * @brief Add a frame in flight to this port.
     * @param frame the frame
     * @param end when the last bit of the frame arrives
     * @param duration duration of the frame at the rate of the sender
     * @param header duration of preamble and first 64 bytes
     * @param epoch the circuit that the frame passes, or null
     */
    void Arrive(const Ptr<Packet>& frame,
                const Time& end,
                const Time& duration,
                const Time& header,
                const Ptr<LightEpoch>& epoch);

    /**
     * @brief Pass arriving frames to a callback, because another process simulates this port.
     * @param handOver called for every frame, with the time at which the first bit arrives
     */
    void SetHandOver(Callback<void, Ptr<Packet>, Time> handOver)
    {
        m_handOver = handOver;
        m_handsOver = !handOver.IsNull();
    }

    // inherited from FiberNetDevice
    void FollowLight(LightPath& path) override;

    void FarEndChanged() override
    {
        LightChanged();
    }

    void SetNode(Ptr<Node> node) override;

    bool IsLinkUp() const override
    {
        return m_lit;
    }

    bool Send(Ptr<Packet> packet, const Address& destination, uint16_t protocol) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& destination,
                  uint16_t protocol) override;

    bool NeedsArp() const override
    {
        return true;
    }

    bool SupportsSendFrom() const override
    {
        return true;
    }

    /// TracedCallback signature of a transceiver that has failed or has been repaired.
    typedef void (*FailureTracedCallback)(Ptr<const EthernetPortNetDevice> port, bool failed);

    /// TracedCallback signature of a frame that is lost, with the reason.
    typedef void (*DropTracedCallback)(Ptr<const Packet> frame, DropReason reason);

  protected:
    void DoDispose() override;

  private:
    struct Arrival
    {
        Ptr<Packet> frame;
        Time at;
        Time duration; //!< duration of the frame; with early delivery, of the rest of the frame
        Ptr<LightEpoch> epoch;
        bool waits{false}; //!< the frame needs no event, see MacClient::MayWait
    };

    /// End the fast path of the client at this port.
    void Interrupt()
    {
        if (m_client)
        {
            m_client->Interrupt(*this);
        }
    }

    /// @return true while a frame is being sent or chosen
    bool IsBusy() const
    {
        return m_sending && !(m_unattended && m_busyUntil <= Simulator::Now());
    }

    /// @param now the present
    /// @return true while the port is busy, after scheduling the end of a frame that nothing awaits
    bool AwaitEnd(const Time& now);
    /// @return true if somebody watches the frames that arrive
    bool IsWatched() const;

    /// Call the sinks of a trace source.
    void TraceFrame(const TracedCallback<Ptr<const Packet>>& source, const Ptr<Packet>& frame) const
    {
        if (m_observed)
        {
            source(frame);
        }
    }

    /// @param rate the line rate, above 0
    void SetDataRate(DataRate rate);
    /// @param model decides which frames are corrupted; null for none
    void SetReceiveErrorModel(Ptr<ErrorModel> model);

    /// @return the error model, or null
    Ptr<ErrorModel> GetReceiveErrorModel() const;

    /// @param receiver the end of the light path as this port sees the light; null in the dark
    void SetReceiver(const EthernetPortNetDevice* receiver);
    /// @return the frame to be sent next, or null
    Ptr<Packet> TakeFrame();
    /// Send the next frame, if there is one.
    /// @param now the present
    void TransmitNext(const Time& now);
    /// The fiber is free again.
    void TransmissionEnded();
    /// Let the client process the frames that arrive now.
    void TakeArrivals();
    /// Deliver the frames that are due and schedule the next arrival.
    void ArrivalDue();
    /// Schedule the first arrival.
    void AwaitArrival();
    /// Take the arrivals at a time, in addition to AwaitArrival.
    void AwaitExactly(const Time& at);
    /// Deliver all arrivals up to a time.
    void DeliverUntil(const Time& at);
    /// Pass a frame that has arrived to its receiver.
    void Deliver(const Arrival& arrival);
    /// @return true if a circuit that went dark has cut off the frame; counts the loss
    bool IsCutOff(const Arrival& arrival);
    /// @return true if the frame is a PFC frame, which has been processed
    bool TakeAsPfc(Ptr<Packet> frame);
    /// @return flow control of this port
    PriorityFlowControl& GetPfc();

    // The members that every frame needs are neighbours in memory.
    MacClient* m_client{nullptr};
    uint32_t m_context{0xffffffff}; //!< node id for the events of this port
    uint8_t m_pausedPriorities{0};  //!< bit mask
    bool m_sending{false};
    bool m_unattended{false}; //!< no event is pending for the end of the frame being sent
    bool m_lit{false};
    bool m_pathKnown{false};
    bool m_failed{false};
    bool m_urgent{false};         //!< no frame may wait any more
    bool m_early{false};          //!< see SetEarlyDelivery
    bool m_observed{false};       //!< there may be a frame trace or an error model
    bool m_handsOver{false};      //!< m_handOver is not null
    Time m_busyUntil;             //!< when m_frameInService has been sent
    Time m_awaited{Time::Max()};  //!< time of the arrival for which the client waits
    Time m_headerTime;            //!< of CUT_THROUGH_BYTES
    Time m_arrivalTime;           //!< of the frame that is being delivered
    Time m_restOfArrival;         //!< until the end of the frame that is being delivered
    Fifo<Arrival> m_arrivals;     //!< in order of arrival time
    Ptr<Packet> m_frameInService; //!< the frame that is being sent, or null
    std::unique_ptr<PriorityFlowControl> m_pfc; //!< null until it is used
    Ptr<RecurringEvent> m_transmissionEnd;
    Ptr<RecurringEvent> m_nextArrival;
    Ptr<RecurringEvent> m_decision; //!< an idle port asks for a frame
    uint64_t m_bytesSent{0};
    LightPath m_path;

    /// A cached frame time: the sizes of data, acknowledgements and message tails recur.
    struct FrameTime
    {
        uint32_t bytes{0xffffffff};
        Time time;
    };

    std::array<FrameTime, 4> m_frameTimes;
    uint32_t m_nextFrameTime{0};

    DataRate m_rate;
    bool m_forwards;
    LinkPartner m_partner;
    Callback<void, Ptr<Packet>, Time> m_handOver; //!< see SetHandOver; null in this process
    Ptr<Queue<Packet>> m_queue;
    Ptr<ErrorModel> m_receiveErrorModel;
    uint64_t m_framesCorrupted{0};
    uint64_t m_framesLost{0};

    TracedCallback<Ptr<const Packet>> m_macTxTrace;
    TracedCallback<Ptr<const Packet>, DropReason> m_macTxDropTrace;
    TracedCallback<Ptr<const Packet>> m_phyTxBeginTrace;
    TracedCallback<Ptr<const Packet>> m_phyTxEndTrace;
    TracedCallback<Ptr<const Packet>, DropReason> m_phyTxDropTrace;
    TracedCallback<Ptr<const Packet>> m_phyRxEndTrace;
    TracedCallback<Ptr<const Packet>, DropReason> m_phyRxDropTrace;
    TracedCallback<Ptr<const EthernetPortNetDevice>, bool> m_failure;
    TracedCallback<Ptr<const Packet>> m_macRxTrace;
    TracedCallback<Ptr<const Packet>, DropReason> m_macRxDropTrace;
    TracedCallback<Ptr<const Packet>> m_promiscSnifferTrace;
    TracedCallback<Ptr<const Packet>> m_pfcTxTrace;
    TracedCallback<Ptr<const Packet>> m_pfcRxTrace;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ETHERNET_PORT_NET_DEVICE_H
