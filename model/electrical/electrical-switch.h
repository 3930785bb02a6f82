// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ELECTRICAL_SWITCH_H
#define PHOTONIC_RAILS_ELECTRICAL_SWITCH_H

#include "switch-arrivals.h"
#include "switch-buffer.h"
#include "switch-queues.h"
#include "switch-routes.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/fast-path.h"
#include "ns3/ipv4-address.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/recurring-event.h"
#include "ns3/traced-callback.h"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class EthernetPortNetDevice;
class UniformRandomVariable;
struct SwitchPreset;

/**
 * @brief An output-queued packet switch with shared memory. Aggregated to the switch's node, whose
 * TransceiverNetDevices are its ports.
 *
 * A frame is classified (IPv4 destination, flow, priority), routed to one of the equal-cost ports
 * of its destination, admitted to the memory (see SwitchBuffer) or dropped, marked if its queue is
 * long (see EcnMarker), and queued. HopLatency later it may leave, in the order of SwitchQueues.
 * The three upper bits of its DSCP are its priority; what is not IPv4 has no route. Priorities that
 * are lossless pause the link partner instead of dropping, and obey its pauses (PFC, IEEE
 * 802.1Qbb).
 *
 * Memory and thresholds are those of the SwitchPreset of the port rate unless attributes say
 * otherwise: so many chips as the ports need, and at least twice what reserves and headroom take.
 * They are fixed when the first frame arrives (see Start): what attributes of memory, pauses and
 * marks are set to later has no effect. A frame leaves the memory when it starts to be sent.
 *
 * At any instant it first takes in what arrives then, in the order of its ports, and only then the
 * ports choose what to send; last, link partners are resumed for which that has made room. So what
 * it does, random marks included, does not depend on the order in which events of one instant run.
 *
 * In cut-through, a frame may leave HopLatency after its first 64 bytes have arrived, if it came
 * over a plain fibre and the output is not faster than its sender. A frame that is corrupted on the
 * fibre to such a switch is dropped there, as in store-and-forward; a real one would notice too
 * late and send it on with a wrong check sequence, and the next receiver would drop it.
 */
class ElectricalSwitch : public Object, public MacClient, public FastPathHop
{
  public:
    static TypeId GetTypeId();

    ElectricalSwitch();
    ~ElectricalSwitch() override;

    /// When a frame may leave.
    enum Forwarding
    {
        STORE_AND_FORWARD, //!< once it has arrived in full
        CUT_THROUGH,       //!< once its header has arrived
    };

    /// Why a frame is dropped.
    enum DropReason
    {
        NO_ROUTE,      //!< not IPv4, or no route covers its destination
        QUEUE_LIMIT,   //!< the queue of a lossy priority is too long
        BUFFER_FULL,   //!< the shared memory is full
        HEADROOM_FULL, //!< a lossless priority went on after it was paused
        LINK_DOWN,     //!< the port is dark: what waits there would hold others up (PFC) for ever
    };

    static constexpr uint32_t DROP_REASONS = 5;

    /// What the switch has seen so far.
    struct Statistics
    {
        uint64_t enqueued{0};                         //!< frames put into queues
        uint64_t marked{0};                           //!< frames marked with Congestion Experienced
        uint64_t pausesSent{0};                       //!< times that a link partner was paused
        uint64_t resumesSent{0};                      //!< times that it was resumed
        uint64_t pfcFramesReceived{0};                //!< PFC frames from link partners
        uint64_t maxDepth{0};                         //!< bytes in the longest queue there was
        std::array<uint64_t, DROP_REASONS> dropped{}; //!< frames, by DropReason
    };

    /**
     * @param device a device of the same node
     * @return the port's number
     */
    uint32_t AddPort(Ptr<EthernetPortNetDevice> device);

    /**
     * @brief Send what is for an address out of a port.
     * @param destination an IPv4 address
     * @param port a port's number
     */
    void AddRoute(Ipv4Address destination, uint32_t port);

    /**
     * @brief Send what is for a range of addresses out of equal-cost ports (ECMP). A hash of IPv4
     * addresses, protocol and UDP ports, seeded with EcmpSeed, chooses one of them for each flow.
     * Aborts if the range overlaps another.
     * @param first lowest IPv4 address
     * @param last highest IPv4 address
     * @param ports numbers of the ports, at least one, each once
     */
    void AddRoute(Ipv4Address first, Ipv4Address last, const std::vector<uint32_t>& ports);

    /// Set memory, thresholds and hop latency to those of a preset.
    void ApplyPreset(const SwitchPreset& preset);

    /**
     * @param stream of the random numbers that decide about marks
     * @return streams used
     */
    int64_t AssignStreams(int64_t stream);

    /// @return frames that were dropped because no route fits
    uint64_t GetUnroutable() const;
    /// @return what the switch has seen so far
    Statistics GetStatistics() const;
    /**
     * @param port a port's number
     * @param priority 0 to 7
     * @return bytes that wait to leave there
     */
    uint64_t GetQueueDepth(uint32_t port, uint8_t priority) const;

    /**
     * @brief Check whether ports and attributes fit together, once all fibres are plugged in.
     * @return an empty string, or one line that says what is wrong: reserves and headroom leave
     * nothing to share, or Kmin is above Kmax
     */
    std::string Check() const;

    /**
     * @brief Divide the memory and set the thresholds, as ports and attributes are now; they stay
     * so. Happens by itself when the first frame arrives. Aborts if Check finds something wrong.
     */
    void Start();

    /// @return the packet memory; aborts before Start
    const SwitchBuffer& GetBuffer() const;

    // inherited from MacClient
    Ptr<Packet> NextFrame(EthernetPortNetDevice& port) override;
    void Receive(EthernetPortNetDevice& port, Ptr<Packet> frame) override;
    void LinkChanged(EthernetPortNetDevice& port) override;
    void TakeArrivals(EthernetPortNetDevice& port) override;
    bool AwaitArrival(EthernetPortNetDevice& port, const Time& at) override;
    void Interrupt(EthernetPortNetDevice& port) override;
    bool IsSendingAhead(const EthernetPortNetDevice& port) const override;
    void Settle(const EthernetPortNetDevice& port) override;

    // inherited from FastPathHop
    Way FindWay(EthernetPortNetDevice& input, const Flow& flow) override;
    Way FindWayAmid(EthernetPortNetDevice& input, const Flow& flow) override;
    bool Spare(const std::vector<EthernetPortNetDevice*>& ports, uint64_t bytes) override;
    void Join(EthernetPortNetDevice& port, const Ptr<FastPath>& ahead) override;
    void Part(EthernetPortNetDevice& port) override;
    bool Look(EthernetPortNetDevice& output, std::vector<Held>& held) const override;
    void Empty(EthernetPortNetDevice& output) override;
    void CountBurst(uint64_t frames, uint64_t depth) override;
    void Expect(EthernetPortNetDevice& sender,
                const LightPath& path,
                Ptr<Packet> frame,
                const Time& at,
                bool now) override;
    void Hold(EthernetPortNetDevice& input,
              EthernetPortNetDevice& output,
              Ptr<Packet> frame,
              const Time& ready) override;

    /// Somebody begins to listen to a trace source.
    void TraceWanted();

    /// TracedCallback signature of a frame, the output port, its priority, and bytes in its queue.
    typedef void (*FrameTracedCallback)(Ptr<const Packet> frame,
                                        uint32_t port,
                                        uint8_t priority,
                                        uint64_t depth);
    /// TracedCallback signature of a dropped frame: as above and the reason. Without a route, the
    /// port is the input.
    typedef void (*DropTracedCallback)(Ptr<const Packet> frame,
                                       uint32_t port,
                                       uint8_t priority,
                                       uint64_t depth,
                                       DropReason reason);
    /// TracedCallback signature of a pause or its end: input port, priority, bytes that came in
    /// there and have not left.
    typedef void (*PauseTracedCallback)(uint32_t port, uint8_t priority, uint64_t held);

  protected:
    void DoDispose() override;

  private:
    static constexpr uint32_t NO_PORT = 0xffffffff;

    struct Port
    {
        Ptr<EthernetPortNetDevice> device;
        Ptr<RecurringEvent> ready; //!< the first in a queue may leave
        Time readyAt;              //!< when that is, while the event is pending
        SwitchQueues queues;
        bool isDown{false}; //!< no light: nothing is kept for it
        EcnMarker marker;
        SwitchRoutes::Route lastRoute; //!< of what came in here: packets come in trains
        Ptr<FastPath> fastPath;        //!< that the port belongs to, or null
        uint64_t longest{0};           //!< bytes in its queues, at most, while it does
    };

    /// What the headers of a frame say.
    struct Class
    {
        uint32_t output{NO_PORT};
        uint8_t priority{0};
        bool ecnCapable{false}; //!< and not marked yet
    };

    /// @return the headroom of each lossless priority, for each port
    std::vector<uint64_t> GetHeadroom() const;
    /// @return how the memory is divided
    SwitchBuffer::Settings GetDivision(const std::vector<uint64_t>& headroom) const;
    /// @return Kmin and Kmax of a port
    std::pair<uint64_t, uint64_t> GetMarkRange(const Port& port) const;
    /// @return what a frame is and where it goes
    Class Classify(Port& input, const Packet& frame) const;
    /// @return one of several equal-cost ports
    uint32_t ChoosePort(const SwitchRoutes::Ports& ports, const FlowTuple& flow) const;
    /// @return where frames with such headers go, or NO_PORT
    uint32_t FindOutput(const RoceHeader& header) const;
    /// @return the frame with a mark if its queue is that long and it can be marked
    Ptr<Packet> Mark(Ptr<Packet> frame, const Class& kind);
    /// @return when the frame may leave
    Time GetReadyTime(EthernetPortNetDevice& input, const Port& output, uint32_t bytes) const;
    /// Take the first frame of a queue, and give back its memory.
    SwitchQueues::Waiting Dequeue(uint32_t number, uint8_t priority);
    /// Count and trace a frame that is dropped.
    void Drop(Ptr<const Packet> frame, uint32_t port, const Class& kind, DropReason reason);
    /// Pause or resume the link partner of an input.
    void SetPause(uint32_t input, uint8_t priority, bool pause);
    /// Resume the link partners for which there is room.
    void Resume();
    /// Look at a port's queues at some time.
    void WakeAt(Port& port, Time at);
    /// @return true if the port of a fast path has nothing else to do
    bool IsFree(Port& port) const;
    /// End all fast paths.
    void InterruptAll() const;
    /// A frame has come in that is for an output: end the fast paths that it concerns.
    void Intrude(uint32_t input, const Port& output, const Class& kind, uint32_t bytes);
    /// @param latency from the input to an idle output
    void SetHopLatency(Time latency);
    /// @return the same
    Time GetHopLatency() const;
    /// @param seed of the hash that chooses among equal-cost ports
    void SetEcmpSeed(uint64_t seed);
    /// @return the same
    uint64_t GetEcmpSeed() const;
    /// @return the number of a device's port
    uint32_t GetNumber(const EthernetPortNetDevice& device) const;

    Time m_hopLatency;
    Forwarding m_forwarding{STORE_AND_FORWARD};
    uint64_t m_ecmpSeed;
    bool m_pfc;
    bool m_ecn;
    uint64_t m_kmin;
    uint64_t m_kmax;
    double m_pmax;
    uint32_t m_maxFrameBytes;
    Time m_pfcReaction;
    uint8_t m_losslessPriorities;
    uint64_t m_bufferBytes;
    uint64_t m_reservedBytes;
    uint64_t m_resumeOffset;
    double m_alpha;
    double m_lossyAlpha;

    std::vector<Port> m_ports;
    SwitchArrivals m_arrivals;
    std::vector<std::pair<uint32_t, uint8_t>> m_resumes; //!< inputs and priorities to be resumed
    Ptr<RecurringEvent> m_resume;                        //!< at the end of this instant
    SwitchRoutes m_routes;
    std::unique_ptr<SwitchBuffer> m_buffer; //!< null until Start
    Ptr<UniformRandomVariable> m_random;
    uint32_t m_firstIfIndex{0};
    Statistics m_statistics;
    uint64_t m_burstBytes{0};      //!< in all queues of fast paths, at most
    uint32_t m_receiving{NO_PORT}; //!< where a frame comes in that ends fast paths

    TracedCallback<Ptr<const Packet>, uint32_t, uint8_t, uint64_t> m_enqueueTrace;
    TracedCallback<Ptr<const Packet>, uint32_t, uint8_t, uint64_t> m_dequeueTrace;
    TracedCallback<Ptr<const Packet>, uint32_t, uint8_t, uint64_t> m_markTrace;
    TracedCallback<Ptr<const Packet>, uint32_t, uint8_t, uint64_t, DropReason> m_dropTrace;
    TracedCallback<uint32_t, uint8_t, uint64_t> m_pauseTrace;
    TracedCallback<uint32_t, uint8_t, uint64_t> m_resumeTrace;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ELECTRICAL_SWITCH_H
