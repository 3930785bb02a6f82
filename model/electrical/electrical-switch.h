// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ELECTRICAL_SWITCH_H
#define PHOTONIC_RAILS_ELECTRICAL_SWITCH_H

#include "switch-arrivals.h"
#include "switch-buffer.h"
#include "switch-fast-paths.h"
#include "switch-forwarding.h"
#include "switch-queues.h"

#include "ns3/data-rate.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/fast-path.h"
#include "ns3/ipv4-address.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/recurring-event.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class UniformRandomVariable;

/**
 * @brief Properties of a generation of switch chips, named by the rate of the ports.
 *
 * The memory is the commonly quoted value for a chip with 64 ports of this rate, not from a data
 * sheet. The marking thresholds are those of the DCQCN runs of HPCC (Li et al., SIGCOMM 2019),
 * 100 kB and 400 kB for each 25 Gbit/s and Pmax of 0.2: at any rate, marking begins at a queue of
 * 32 us. The hop latency is the value presented for the first Tomahawk. The factors of the dynamic
 * thresholds are choices of this module.
 */
struct SwitchPreset
{
    std::string name;        //!< "100G" and so on
    std::string chip;        //!< the chip that the preset is modelled on
    DataRate portRate;       //!< rate of each port
    uint32_t ports{64};      //!< ports of one chip
    uint64_t bufferBytes{0}; //!< packet memory of one chip
    uint64_t kmin{0};        //!< bytes
    uint64_t kmax{0};        //!< bytes
    double pmax{0.2};        //!< at Kmax
    /// Dynamic threshold of lossless priorities at an input, which may use a ninth of the memory.
    double alpha{0.125};
    double lossyAlpha{1};              //!< dynamic threshold of lossy priorities at an output
    Time hopLatency{NanoSeconds(500)}; //!< latency of the pipeline

    /// @return all presets, by rate
    static const std::vector<SwitchPreset>& GetAll();

    /**
     * @param rate line rate of the ports
     * @return the slowest preset with at least this rate, or else the fastest preset; Kmin and Kmax
     * are scaled to the rate
     */
    static SwitchPreset Find(DataRate rate);
};

/**
 * @brief An output-queued packet switch with shared memory. Aggregated to the switch's node, whose
 * TransceiverNetDevices are its ports.
 *
 * The switch classifies a frame and chooses its output port (see SwitchForwarding), admits the
 * frame to the packet memory (see SwitchBuffer) or drops it, marks it if its queue is long (see
 * EcnMarker), and queues it. The frame may leave HopLatency later, in the order of SwitchQueues.
 * Lossless priorities pause the link partner instead of dropping frames, and obey pauses of the
 * link partner (PFC, IEEE 802.1Qbb). SwitchFastPaths holds the fast paths through the switch.
 *
 * The SwitchPreset of the port rate determines memory and thresholds that attributes do not set.
 * The memory is that of as many chips as the ports need, and at least twice the sum of reserves and
 * headroom. Memory and thresholds are fixed when the first frame arrives (see Start): later changes
 * of the attributes of memory, pauses and marks have no effect. A frame leaves the memory when its
 * transmission starts.
 *
 * At any simulated time the switch first processes the frames that arrive, in the order of its
 * ports; then the ports choose frames to send; then the switch resumes the link partners for which
 * that has freed memory. Results, including random marks, therefore do not depend on the order of
 * events at the same simulated time.
 *
 * No frame leaves within HopLatency. While the memory is so empty that frames that arrive within
 * that time pause no link partner, arrivals therefore have no events of their own: the switch
 * processes them, in order, before anything else that happens to it, and at the latest HopLatency
 * after the first of them.
 *
 * With cut-through, a frame may leave HopLatency after its first 64 bytes have arrived, if the
 * frame came over a plain fiber and the output is not faster than the sender. A frame that was
 * corrupted on the fiber to the switch is dropped, as with store-and-forward. A real cut-through
 * switch would forward the frame with a wrong check sequence, and the next receiver would drop it.
 */
class ElectricalSwitch : public Object, public MacClient, public FastPathHopOwner
{
  public:
    static TypeId GetTypeId();

    ElectricalSwitch();
    ~ElectricalSwitch() override;

    /// The earliest time to forward a frame.
    enum Forwarding
    {
        STORE_AND_FORWARD, //!< after the last bit has arrived
        CUT_THROUGH,       //!< after the header has arrived
    };

    /// The reason for which a frame is dropped.
    enum DropReason
    {
        NO_ROUTE,      //!< not IPv4, or no route covers the destination
        QUEUE_LIMIT,   //!< the queue of a lossy priority is too long
        BUFFER_FULL,   //!< the shared memory is full
        HEADROOM_FULL, //!< a lossless priority continued after a pause and filled the headroom
        LINK_DOWN,     //!< the output port is dark; queued frames would cause endless pauses
    };

    static constexpr uint32_t DROP_REASONS = 5;

    /// Counters.
    struct Statistics
    {
        uint64_t enqueued{0};                         //!< frames put into queues
        uint64_t marked{0};                           //!< frames marked with Congestion Experienced
        uint64_t pausesSent{0};                       //!< pauses of link partners
        uint64_t resumesSent{0};                      //!< ends of these pauses
        uint64_t pfcFramesReceived{0};                //!< PFC frames from link partners
        uint64_t maxDepth{0};                         //!< maximum depth of a queue, bytes
        std::array<uint64_t, DROP_REASONS> dropped{}; //!< frames, by DropReason
    };

    /**
     * @param device a device of the same node
     * @return the number of the port
     */
    uint32_t AddPort(Ptr<EthernetPortNetDevice> device);

    /**
     * @brief Add the route to one address.
     * @param destination an IPv4 address
     * @param port number of the output port
     */
    void AddRoute(Ipv4Address destination, uint32_t port)
    {
        AddRoute(destination, destination, {port});
    }

    /**
     * @brief Add the route to a range of addresses over equal-cost ports. The attribute
     * LoadBalancing names the rule that chooses the port of each frame (see LoadBalancing), by
     * default a hash of IPv4 addresses, protocol and UDP ports, seeded with EcmpSeed (ECMP). Aborts
     * if the range overlaps another route.
     * @param first lowest IPv4 address
     * @param last highest IPv4 address
     * @param ports numbers of the output ports, at least one, without duplicates
     */
    void AddRoute(Ipv4Address first, Ipv4Address last, const std::vector<uint32_t>& ports);

    /// Remove all routes, before other routes are added.
    void RemoveRoutes();

    /// @return number of ports
    uint32_t GetNPorts() const
    {
        return static_cast<uint32_t>(m_path.ports.size());
    }

    /// @param port number of a port @return its device
    Ptr<EthernetPortNetDevice> GetPort(uint32_t port) const
    {
        return m_path.ports.at(port).device;
    }

    /// Set memory, thresholds and hop latency to the values of a preset.
    void ApplyPreset(const SwitchPreset& preset);

    /**
     * @param stream index of the random number stream for marks
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /// @return true if frames of a flow may leave by different ports and so arrive in another order
    bool MayReorder() const
    {
        return m_path.forwarding.MayReorder();
    }

    /// @return frames dropped for NO_ROUTE
    uint64_t GetUnroutable() const
    {
        m_arrivals.Take();
        return m_statistics.dropped[NO_ROUTE];
    }

    /// @return the counters
    Statistics GetStatistics() const;
    /**
     * @param port number of an output port
     * @param priority 0 to 7
     * @return bytes in the queue
     */
    uint64_t GetQueueDepth(uint32_t port, uint8_t priority) const;

    /**
     * @brief Check ports and attributes, after all fibers have been attached.
     * @return an empty string, or one line: reserves and headroom leave no shared memory, or Kmin
     * exceeds Kmax
     */
    std::string Check() const;

    /**
     * @brief Divide the memory and fix the thresholds for the present ports and attributes. The
     * first frame calls Start implicitly. Aborts if Check reports an error.
     */
    void Start();

    /// @return the packet memory; aborts before Start
    const SwitchBuffer& GetBuffer() const;

    // inherited from MacClient
    Ptr<Packet> NextFrame(EthernetPortNetDevice& port) override;
    void Receive(EthernetPortNetDevice& port, Ptr<Packet> frame) override;
    void LinkChanged(EthernetPortNetDevice& port) override;

    void TakeArrivals(EthernetPortNetDevice&) override
    {
        m_arrivals.Take();
    }

    bool AwaitArrival(EthernetPortNetDevice& device, const Time& at) override
    {
        m_arrivals.Add(at, m_path.GetNumber(device));
        return true;
    }

    bool MayWait(EthernetPortNetDevice&, const Packet&) override
    {
        return true; // as long as GetSlack says
    }

    bool AwaitFree(EthernetPortNetDevice& port, const Time& at) override;

    void Interrupt(EthernetPortNetDevice& device) override
    {
        if (m_fastPaths.IsActive())
        {
            m_fastPaths.Interrupt(device);
        }
    }

    bool IsSendingAhead(const EthernetPortNetDevice& device) const override
    {
        return m_fastPaths.IsActive() && m_fastPaths.IsSending(device);
    }

    void Settle(const EthernetPortNetDevice& port) override;

    // inherited from FastPathHopOwner
    FastPathHop& GetFastPathHop() override;

    /// @return true if a trace source is connected, so that frames need events
    bool IsTraced() const;

    /// End all fast paths, because a trace source is being connected.
    void NotifyTraceConnected();

    /// TracedCallback signature of a frame, the output port, its priority, and bytes in its queue.
    typedef void (*FrameTracedCallback)(Ptr<const Packet> frame,
                                        uint32_t port,
                                        uint8_t priority,
                                        uint64_t depth);
    /// TracedCallback signature of a dropped frame: the same arguments, and the reason. The port of
    /// a frame without a route is its input port.
    typedef void (*DropTracedCallback)(Ptr<const Packet> frame,
                                       uint32_t port,
                                       uint8_t priority,
                                       uint64_t depth,
                                       DropReason reason);
    /// TracedCallback signature of a pause or its end: input port, priority, bytes of both in the
    /// memory.
    typedef void (*PauseTracedCallback)(uint32_t port, uint8_t priority, uint64_t held);

  protected:
    void DoDispose() override;

  private:
    using Class = SwitchForwarding::Class;

    /// @return the headroom for a lossless priority of each port, in bytes
    std::vector<uint64_t> GetHeadroom() const;
    /// @return the division of the memory
    SwitchBuffer::Settings GetDivision(const std::vector<uint64_t>& headroom) const;
    /// @return Kmin and Kmax of a port
    std::pair<uint64_t, uint64_t> GetMarkRange(const SwitchPort& port) const;
    /// @return the frame, or a marked copy with the probability for the depth of its queue
    Ptr<Packet> Mark(Ptr<Packet> frame, const Class& kind);
    /// @return the time for which the next arrival may wait
    Time GetSlack();
    /// Count the bytes in the memory, and find the limits up to which arrivals may wait.
    void FindSlackLimits();
    /// Count bytes of an input in the memory, or discount them.
    void Hold(uint32_t input, int64_t bytes);
    /// Process arrivals and end the fast paths before something changes or is read.
    void CatchUp();
    /// @return earliest time to send the frame
    Time GetReadyTime(EthernetPortNetDevice& input, const SwitchPort& output, uint32_t bytes) const;
    /// Remove the first frame of a queue and release its memory.
    SwitchQueues::Waiting Dequeue(uint32_t number, uint8_t priority);
    /// Count and trace a frame that is dropped.
    void Drop(Ptr<const Packet> frame, uint32_t port, const Class& kind, DropReason reason);
    /// Pause or resume the link partner of an input.
    void SetPause(uint32_t input, uint8_t priority, bool pause);
    /// Resume the link partners in m_resumes.
    void Resume();
    /// @param latency latency from an input to an idle output
    void SetHopLatency(Time latency);

    /// @return the latency from SetHopLatency
    Time GetHopLatency() const
    {
        return m_path.hopLatency;
    }

    /// @param name name of the LoadBalancing; Check reports a name that is unknown
    void SetLoadBalancing(std::string name);

    /// @return the name from SetLoadBalancing
    std::string GetLoadBalancing() const
    {
        return m_loadBalancing;
    }

    /// @param seed seed of the choice among equal-cost ports
    void SetEcmpSeed(uint64_t seed);

    /// @return the seed from SetEcmpSeed
    uint64_t GetEcmpSeed() const
    {
        return m_path.forwarding.GetSeed();
    }

    Forwarding m_forwarding{STORE_AND_FORWARD};
    std::string m_loadBalancing;
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

    SwitchDataPath m_path;
    SwitchFastPaths m_fastPaths;
    mutable SwitchArrivals m_arrivals;
    bool m_traced{false};      //!< a trace source has been connected
    bool m_isLossless{false};  //!< some priority pauses link partners
    uint64_t m_shareOfHalf{0}; //!< bytes of an input that are admitted to a half-empty memory
    bool m_slackKnown{false};  //!< the next two members, and SwitchPort::held, are valid
    uint32_t m_fullInputs{0};  //!< inputs with SwitchPort::slackBelow bytes or more in the memory
    uint64_t m_slackShared{0}; //!< bytes in the shared part from which on arrivals may not wait
    std::vector<std::pair<uint32_t, uint8_t>> m_resumes; //!< inputs and priorities to resume
    Ptr<RecurringEvent> m_resume; //!< calls Resume after all other events of this time
    Ptr<UniformRandomVariable> m_random;
    Statistics m_statistics;

    TracedCallback<Ptr<const Packet>, uint32_t, uint8_t, uint64_t> m_enqueueTrace;
    TracedCallback<Ptr<const Packet>, uint32_t, uint8_t, uint64_t> m_dequeueTrace;
    TracedCallback<Ptr<const Packet>, uint32_t, uint8_t, uint64_t> m_markTrace;
    TracedCallback<Ptr<const Packet>, uint32_t, uint8_t, uint64_t, DropReason> m_dropTrace;
    TracedCallback<uint32_t, uint8_t, uint64_t> m_pauseTrace;
    TracedCallback<uint32_t, uint8_t, uint64_t> m_resumeTrace;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ELECTRICAL_SWITCH_H
