// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ETHERNET_PORT_NET_DEVICE_H
#define PHOTONIC_RAILS_ETHERNET_PORT_NET_DEVICE_H

#include "fibre-net-device.h"
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
 * @brief Who uses a port: the NIC or switch above an EthernetPortNetDevice (IEEE 802.3 calls it the
 * MAC client).
 *
 * The port pulls frames when it is free to send, so nothing has to be queued twice and the client
 * decides at the last moment what goes next. Frames begin with an Ethernet header and carry no FCS.
 *
 * What happens does not depend on the order in which events of one instant run: at any instant a
 * client first takes in everything that arrives at that instant, in the order of its ports, and
 * only then its ports decide what to send. So a port has its client take arrivals before it asks
 * for a frame.
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
     * @param port where a frame has arrived: its last bit, or its first 64 bytes if set to be early
     * @param frame the frame
     */
    virtual void Receive(EthernetPortNetDevice& port, Ptr<Packet> frame) = 0;

    /// @param port a port that has become dark or lit, or whose link partner has changed
    virtual void LinkChanged(EthernetPortNetDevice& port) = 0;

    /**
     * @brief Take what has arrived by now at all ports, in their order: see
     * EthernetPortNetDevice::DeliverDue. By default there is one port.
     * @param port one that is about to decide what to send, or where something arrives
     */
    virtual void TakeArrivals(EthernetPortNetDevice& port);

    /**
     * @brief A client of many ports may wait for arrivals itself.
     * @param port where the next frame arrives
     * @param at when
     * @return true if it calls EthernetPortNetDevice::DeliverAwaited then; by default the port
     * waits and calls TakeArrivals
     */
    virtual bool AwaitArrival(EthernetPortNetDevice& port, const Time& at);

    /**
     * @brief Something happens to a port beside what its client sends and receives. One that
     * computes ahead what it sends goes back to frames.
     * @param port the port, as it still is
     */
    virtual void Interrupt(EthernetPortNetDevice& port);

    /**
     * @param port one that no frame is leaving
     * @return true if it is busy nevertheless, with what has been computed ahead
     */
    virtual bool IsSendingAhead(const EthernetPortNetDevice& port) const;

    /// @param port one whose counters are wanted: one that computes ahead brings them up to date
    virtual void Settle(const EthernetPortNetDevice& port);
};

class ErrorModel;

/**
 * @brief An Ethernet port with an optical transceiver, on a NIC or an electrical switch.
 *
 * It serialises frames onto its fibre at DataRate. A frame takes the time of its bytes plus FCS
 * (4), preamble (8) and inter-frame gap (12), at least those of a 64-byte frame. When it starts to
 * send it follows the light to the transceiver where it ends, through an OCS or not, and hands the
 * frame over with its arrival time; two events per frame and hop are all there is, and one arrival
 * is pending per port however many frames are under way.
 *
 * What arrives at an instant is taken in before anything is sent at that instant, at all ports of
 * the client (see MacClient). A port that becomes free decides there and then; one that is idle and
 * gets something to send decides in an event of its own at the same instant.
 *
 * A dark port sends nothing. When light comes, the port knows the MAC address of its link partner,
 * as LLDP (IEEE 802.1AB) would tell; the exchange itself is not modelled.
 *
 * Flow control by priority (PFC) works beside the client: frames that pause or resume a priority go
 * ahead of those of the client, and those of the link partner end here. A client that has frames of
 * several priorities asks which of them are paused; it is asked for a frame again when one is
 * released.
 *
 * Without a MacClient the device is a plain NetDevice with a transmit queue.
 */
class EthernetPortNetDevice : public FibreNetDevice, private PriorityFlowControl::Port
{
  public:
    static TypeId GetTypeId();

    EthernetPortNetDevice();
    ~EthernetPortNetDevice() override;

    /// Bytes that every frame takes on the fibre beyond Ethernet header and payload.
    static constexpr uint32_t FRAME_OVERHEAD_BYTES = 4 + 8 + 12;
    /// Preamble and the first bytes of a frame: what a cut-through switch waits for.
    static constexpr uint32_t CUT_THROUGH_BYTES = 8 + 64;
    /// Smallest Ethernet frame without its FCS.
    static constexpr uint32_t MIN_FRAME_BYTES = 60;

    /// What the port knows of the other end of its light.
    struct LinkPartner
    {
        Mac48Address address; //!< its MAC address
        bool forwards{false}; //!< it is a switch, which reaches others
    };

    /// Why a frame did not arrive.
    enum DropReason
    {
        LIGHT_LOST, //!< cut off when a circuit went dark
        NO_LIGHT,   //!< sent into a dark port
        QUEUE_FULL, //!< the transmit queue of the plain device is full
        CORRUPTED,  //!< ReceiveErrorModel says that its check sequence is wrong
    };

    /// @param client who uses the port; outlives it or is cleared with null
    void SetMacClient(MacClient* client);

    /// The client has something to send, or may send again: an idle port decides later in this
    /// instant.
    void Kick();

    /// Decide what to send, unless the port is busy or dark: for an event of the client's own that
    /// belongs to this port.
    void Decide();

    /// Hand the client what has arrived by now.
    void DeliverDue()
    {
        if (!m_arrivals.empty())
        {
            DeliverUntil(Simulator::Now());
        }
    }

    /**
     * @brief Hand the client what it has been waiting for, see MacClient::AwaitArrival, and let it
     * wait for the next.
     * @param at the time it has been told; nothing happens if an earlier one came in between
     */
    void DeliverAwaited(const Time& at);

    /// @return true if light arrives
    bool IsLit() const;

    /// @return true while a frame is being sent
    bool IsSending() const
    {
        return m_sending || (m_client && m_client->IsSendingAhead(*this));
    }

    /**
     * @param priority 0 to 7
     * @return true while the link partner does not want frames of that priority (PFC, IEEE
     * 802.1Qbb)
     */
    bool IsPaused(uint8_t priority) const
    {
        return (m_pausedPriorities >> priority) & 1;
    }

    /// @return the priorities that are paused: bit 0 for priority 0, and so on
    uint8_t GetPausedPriorities() const
    {
        return m_pausedPriorities;
    }

    /**
     * @brief Ask the link partner to pause or to resume a priority; it stays paused until it is
     * resumed.
     * @param priority 0 to 7
     * @param pause true to stop it
     */
    void SendPfc(uint8_t priority, bool pause);

    /// @return PFC frames sent
    uint64_t GetPfcFramesSent() const;
    /// @return PFC frames received
    uint64_t GetPfcFramesReceived() const;

    /**
     * @brief Hand frames to the client when their first 64 bytes are here instead of the last bit,
     * as cut-through switching needs it. Frames that have passed an OCS are handed over in full,
     * since they may be cut off. Traces and captures of what is received carry the time of the
     * handover. To be set before the first frame.
     * @param early true to do so
     */
    void SetEarlyDelivery(bool early);

    /**
     * @brief For the client while it receives a frame.
     * @return how long it takes from now until the last bit is here: 0 unless it came early
     */
    Time GetRestOfArrival() const
    {
        return m_restOfArrival;
    }

    /**
     * @param bytes size of a frame without FCS
     * @return how long it takes this port to send it after its first 64 bytes
     */
    Time GetRestOfFrame(uint32_t bytes);

    /// @return propagation delay to the link partner; up to the first dark port if there is none
    Time GetPathDelay();

    /// @return bytes that have been sent, with FCS, preamble and gap: rate x time while it is busy
    uint64_t GetBytesSent() const;

    /// @return who is at the other end; only meaningful while lit
    const LinkPartner& GetLinkPartner() const;
    /// @return bits per second
    DataRate GetDataRate() const;
    /// @return this port's MAC address
    Mac48Address GetMacAddress() const;
    /// @return frames that ReceiveErrorModel has made this port drop
    uint64_t GetFramesCorrupted() const;

    /**
     * @param bytes size of a frame without FCS
     * @return how long it occupies the fibre
     */
    Time GetFrameTime(uint32_t bytes);

    // --- for a client that computes ahead what it sends ---

    /// @return true if frames are handed to the client early, see SetEarlyDelivery
    bool IsEarly() const
    {
        return m_early;
    }

    /// @return who uses the port, or null
    MacClient* GetMacClient() const
    {
        return m_client;
    }

    /// @return where the light of this port leads
    const LightPath& GetPath()
    {
        return ResolvePath();
    }

    /// A frame on its way to this port.
    struct UnderWay
    {
        Ptr<Packet> frame;
        Time at; //!< when it is handed to the client
    };

    /**
     * @param frames gets those on their way to this port, in the order of arrival
     * @return false if one passes a circuit
     */
    bool GetArrivals(std::vector<UnderWay>& frames) const;

    /// @return the frame that is being sent, or null
    Ptr<Packet> GetFrameInService() const
    {
        return m_frameInService;
    }

    /// @return when it has been sent, or a time before now
    Time GetBusyUntil() const
    {
        return m_frameInService ? m_busyUntil : Time(-1);
    }

    /// What is on its way to this port, or is being sent, is dealt with by the client.
    void TakeOver();

    /// @return true if nobody traces frames, none can be corrupted and flow control has never been
    /// used
    bool IsPlain() const;

    /// @return true if nobody traces frames, none is on its way to this port, none can be corrupted
    /// and flow control has never been used
    bool IsUndisturbed() const;

    /// @param bytes that the client has sent without frames, with FCS, preamble and gap
    void CountBytesSent(uint64_t bytes)
    {
        m_bytesSent += bytes;
    }

    /**
     * @brief A frame has been sent by this port and is on its way.
     * @param frame the frame
     * @param path the light it travels by
     * @param at when its last bit arrives
     */
    void Launch(Ptr<Packet> frame, const LightPath& path, const Time& at);
    /**
     * @brief The port is sending a frame that has been launched.
     * @param frame the frame
     * @param rest how long that takes from now on
     */
    void Occupy(Ptr<Packet> frame, const Time& rest);

    /**
     * @param bytes size of a frame without FCS
     * @return bytes that it takes on the fibre, with all that goes around it
     */
    static uint32_t GetWireBytes(uint32_t bytes)
    {
        return std::max(bytes, MIN_FRAME_BYTES) + FRAME_OVERHEAD_BYTES;
    }

    /// Somebody begins to listen to a trace source.
    void TraceWanted();

    /// Look again where the light of this port leads.
    void LightChanged();

    /**
     * @brief The transceiver fails: it sends no light and sees none, so that its link partner, too,
     * sees none after the delay of the path. What is on its way to it is lost; a frame that it has
     * begun to send still gets out.
     * @param failed false: it is repaired
     */
    void SetFailed(bool failed);

    /// @return true while it has failed
    bool HasFailed() const
    {
        return m_failed;
    }

    /**
     * @brief A frame is on its way to this port.
     * @param frame the frame
     * @param at when its last bit arrives
     * @param duration how long it lasts, at the rate of its sender
     * @param header how long its first 64 bytes do
     * @param epoch the circuit it passes, or null
     */
    void Arrive(Ptr<Packet> frame,
                Time at,
                Time duration,
                Time header,
                const Ptr<LightEpoch>& epoch);

    /**
     * @brief Another process simulates this port: do not let frames arrive but hand them over.
     * @param handOver called for every frame, with the time at which its first bit arrives
     */
    void SetHandOver(Callback<void, Ptr<Packet>, Time> handOver);

    // inherited from FibreNetDevice
    void FollowLight(LightPath& path) override;
    void FarEndChanged() override;
    void SetNode(Ptr<Node> node) override;
    bool IsLinkUp() const override;
    bool Send(Ptr<Packet> packet, const Address& destination, uint16_t protocol) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& destination,
                  uint16_t protocol) override;
    bool NeedsArp() const override;
    bool SupportsSendFrom() const override;

    /// TracedCallback signature of a transceiver that fails or is repaired.
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
        Time duration; //!< of the frame; if it is handed over early, of what comes after that
        Ptr<LightEpoch> epoch;
    };

    /// Something happens to the port beside what the client sends and receives.
    void Interrupt();
    /// @param rate the line rate, above 0
    void SetDataRate(DataRate rate);
    /// @param model says which frames are corrupted, or null
    void SetReceiveErrorModel(Ptr<ErrorModel> model);
    /// @return the same
    Ptr<ErrorModel> GetReceiveErrorModel() const;
    /// @return the frame to be sent next, or null
    Ptr<Packet> TakeFrame();
    /// Send the next frame, if there is one.
    void TransmitNext();
    /// The fibre is free again.
    void TransmissionEnded();
    /// Have the client take what arrives now.
    void TakeArrivals();
    /// Take what is due and wait for the next arrival.
    void ArrivalDue();
    /// Wait for the first arrival.
    void AwaitArrival();
    /// Deliver all arrivals up to now.
    void DeliverUntil(const Time& now);
    /// @param arrival one whose last bit is here
    void Deliver(const Arrival& arrival);
    /// @return true if the arrival was cut off; the loss has been counted then
    bool IsCutOff(const Arrival& arrival);
    /// @return true if the frame is one of flow control, which ends here
    bool TakeAsPfc(Ptr<Packet> frame);
    /// @return flow control of this port
    PriorityFlowControl& GetPfc();
    // inherited from PriorityFlowControl::Port
    void PfcFrameDue() override;
    void PausedPrioritiesChanged(uint8_t priorities) override;
    /// Hand a frame to the upper layer of a plain NetDevice.
    void ReceiveAsNetDevice(Ptr<Packet> frame);
    /// @return the path of this port's light at this moment
    const LightPath& ResolvePath();

    MacClient* m_client{nullptr};
    Ptr<Queue<Packet>> m_queue;
    Ptr<ErrorModel> m_receiveErrorModel;
    uint64_t m_framesCorrupted{0};
    DataRate m_rate;
    bool m_forwards;

    bool m_sending{false};
    bool m_lit{false};
    bool m_pathKnown{false};
    bool m_failed{false};
    bool m_early{false};           //!< frames are delivered when their first bytes are here
    Time m_restOfArrival;          //!< of the frame that is being delivered
    uint8_t m_pausedPriorities{0}; //!< bit mask
    std::unique_ptr<PriorityFlowControl> m_pfc; //!< null until it is used
    uint64_t m_bytesSent{0};
    LightPath m_path;
    LinkPartner m_partner;
    uint32_t m_context{0xffffffff}; //!< node id, under which this port's events run

    /// Frame times already worked out: data, ACK and message tails recur all the time.
    struct FrameTime
    {
        uint32_t bytes{0xffffffff};
        Time time;
    };

    std::array<FrameTime, 4> m_frameTimes;
    uint32_t m_nextFrameTime{0};
    Time m_headerTime; //!< of CUT_THROUGH_BYTES

    Ptr<Packet> m_frameInService; //!< while there is one; kept for the end-of-transmission trace
    Time m_busyUntil;             //!< when it has been sent
    Callback<void, Ptr<Packet>, Time> m_handOver; //!< null unless the port is another process's
    Fifo<Arrival> m_arrivals;                     //!< in order of arrival time
    Ptr<RecurringEvent> m_transmissionEnd;
    Ptr<RecurringEvent> m_nextArrival;
    Ptr<RecurringEvent> m_decision; //!< of an idle port
    Time m_awaited{Time::Max()};    //!< the arrival that the client waits for, if it does

    TracedCallback<Ptr<const Packet>> m_macTxTrace;
    TracedCallback<Ptr<const Packet>, DropReason> m_macTxDropTrace;
    TracedCallback<Ptr<const Packet>> m_phyTxBeginTrace;
    TracedCallback<Ptr<const Packet>> m_phyTxEndTrace;
    TracedCallback<Ptr<const Packet>, DropReason> m_phyTxDropTrace;
    TracedCallback<Ptr<const Packet>> m_phyRxEndTrace;
    TracedCallback<Ptr<const Packet>, DropReason> m_phyRxDropTrace;
    TracedCallback<Ptr<const EthernetPortNetDevice>, bool> m_failure;
    TracedCallback<Ptr<const Packet>> m_macRxTrace;
    TracedCallback<Ptr<const Packet>> m_promiscSnifferTrace;
    TracedCallback<Ptr<const Packet>> m_pfcTxTrace;
    TracedCallback<Ptr<const Packet>> m_pfcRxTrace;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ETHERNET_PORT_NET_DEVICE_H
