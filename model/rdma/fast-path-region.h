// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAST_PATH_REGION_H
#define PHOTONIC_RAILS_FAST_PATH_REGION_H

#include "fast-path-region-state.h"
#include "fast-path.h"

#include "ns3/light-path.h"
#include "ns3/mac48-address.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

class RdmaNic;
class RdmaPortScheduler;
class RdmaQueuePair;
class RoceHeader;
class EthernetPortNetDevice;

/**
 * @brief Fast path of queue pairs whose ports and paths no other queue pair uses: two queue pairs
 * at the ends of a circuit, or many that share ports of NICs and of switches.
 *
 * All ends share one FastPathRegion, as devices share a Channel. It removes the frames in flight
 * from fibers, queues and ports, passes them and the posted messages to a FastPathRegionState, and
 * runs a copy of the state ahead to the next observable event: a message arrives, or an awaited
 * message is acknowledged in full. Only observable events are scheduled in the simulator. When a
 * message is posted meanwhile, FastPathRegion discards the copy, advances the retained state to the
 * present and looks ahead again.
 *
 * A FastPathRegion ends (see Leave) when another event happens at one of the ports or queue pairs,
 * and when a queue of a switch may reach its limit. Leave builds the packets in flight and places
 * them in fibers, queues and ports. Ports, queue pairs and timers are then in the state that
 * packets alone would have produced. A FastPathRegion of more than two queue pairs also ends when
 * busy queue pairs no longer connect all links in use, so that several smaller FastPathRegion
 * objects can take over, and when a message is posted after all were idle.
 */
class FastPathRegion : public FastPath, public Recycled<FastPathRegion>, private LightWatcher
{
  public:
    /// A port of a NIC.
    struct PortEntry
    {
        RdmaNic* nic{nullptr};
        EthernetPortNetDevice* port{nullptr};
        LightPath path; //!< to a switch, or to the port at the far end
    };

    /// An output of a switch.
    struct OutputEntry
    {
        FastPathHop* hop{nullptr};              //!< the switch
        EthernetPortNetDevice* output{nullptr}; //!< its port
        LightPath path;                         //!< to the next switch, or to a NIC
        Time latency;                           //!< forwarding latency of the switch
    };

    /// A queue pair of such a port.
    struct QueuePairEntry
    {
        RdmaQueuePair* queuePair{nullptr};
        uint32_t end{0};                  //!< number of its port
        uint32_t peer{0};                 //!< number of the peer queue pair
        FastPathRegionState::Route route; //!< numbers of the outputs on the way to the peer
    };

    /// The ports and queue pairs of a FastPathRegion.
    struct Plan
    {
        std::vector<PortEntry> ports;
        std::vector<OutputEntry> outputs;
        /// all queue pairs with frames in flight or to send on these links, and their peers
        std::vector<QueuePairEntry> qps;
    };

    /// @param plan the ports and queue pairs
    explicit FastPathRegion(Plan plan);
    ~FastPathRegion() override;

    /**
     * @brief Read the progress of the queue pairs and the frames in flight, without changing them.
     * @return true if Begin may be called: all frames in flight belong to the queue pairs, are in
     * order, and none is missing
     */
    bool Read();

    /// @return the most bytes that the traffic found by Read has for or from a port in a switch
    uint64_t GetLongest() const
    {
        return m_region.GetLongest(*m_state);
    }

    /**
     * @brief Take over the turns of the queue pairs of a port, after Read.
     * @param end the number of the port
     * @param scheduler chooses the queue pairs of the port; is not changed
     */
    void TakeTurns(uint32_t end, const RdmaPortScheduler& scheduler);

    /**
     * @brief Take over the traffic found by Read. The ports refer to this object from now on.
     * @param limit of the bytes for and from each port in a switch
     */
    void Begin(uint64_t limit);

    // inherited from FastPath
    bool Has(const RdmaQueuePair& queuePair) const override;
    bool IsQuiet() const override;
    bool IsSending(const EthernetPortNetDevice& port) const override;
    bool Posted(const RdmaQueuePair& queuePair) override;
    void Decide(const EthernetPortNetDevice& port) override;
    void DeliverDue(const EthernetPortNetDevice& port) override;
    void Settle() override;
    void Leave() override;
    void Abandon() override;

  private:
    using Region = FastPathRegionState;

    /// The state of an end in addition to that of the region.
    struct End : Outlook
    {
        PortEntry entry;
        Region::Small<uint32_t> qps; //!< numbers of its queue pairs
        bool asked{false};           //!< a decision of the port is pending at this time
        bool reporting{false};       //!< DeliverDue is reporting messages
        int64_t arrivedAt{-1};       //!< when the last message arrived here
        bool followed{true};         //!< a message was posted here at the time of the last arrival
        bool follows{true}; //!< a message was posted here at the time of the arrival before
    };

    /// What has been added to the counters of a link and of the queues of its port.
    struct Settled
    {
        uint64_t bytes{0};  //!< bytes sent
        uint64_t frames{0}; //!< frames received for the link
    };

    /// The state of a queue pair in addition to that of the region.
    struct SenderEntry
    {
        QueuePairEntry qp;
        uint64_t reported{0}; //!< messages of its peer that have been reported
        uint64_t finished{0}; //!< own messages reported to the queue pair as finished
        uint64_t packets{0};  //!< data packets sent and already counted
        uint64_t bursts{0};   //!< runs of data packets sent and already counted
        uint64_t acks{0};     //!< acknowledgements sent and already counted
        uint64_t received{0}; //!< payload bytes received and already counted
    };

    // --- beginning ---

    /// @return the port of a link
    EthernetPortNetDevice& GetPort(uint32_t link) const;
    /// @return the path of a link
    const LightPath& GetPath(uint32_t link) const;
    /// @return the constants of a link
    Region::Link MakeLink(uint32_t link) const;
    /// Add a queue pair to the region.
    void AddQueuePair(uint32_t number);
    /// Read the progress and the messages of a queue pair.
    void ReadQueuePair(uint32_t number);
    /// Pass newly posted messages of a queue pair to the region.
    void TakeMessages(uint32_t number);
    /// Read the frame that a port sends, and the frames on the fiber behind the port.
    /// @return false if a frame does not belong to the queue pairs
    bool ReadLink(uint32_t link);
    /// Read the frames in the queues of an output.
    /// @return false if a frame does not belong to the queue pairs or is out of order
    bool ReadQueues(uint32_t link);
    /// @return true if the frames in flight are exactly the packets sent and not received
    bool IsComplete() const;
    /**
     * @brief Convert a packet into a frame of the region.
     * @param frame a packet in flight
     * @param link the link that the packet has come over, or waits for
     * @param queued true if the packet waits for the link
     * @param result receives the frame, without `at`
     * @return false if the packet does not belong to the queue pairs, if it is on a wrong way, or
     * if the region cannot represent it
     */
    bool Recognise(const Ptr<Packet>& frame, uint32_t link, bool queued, Region::Frame& result);
    /// @return the number of the queue pair that a packet is addressed to, or NOBODY
    uint32_t Find(const RoceHeader& header);

    // --- ending ---

    /// Release the optical paths and the switch ports, which refer to this object.
    void Detach();
    /// @return the packet for a frame of the region, identical to the packet as sent
    Ptr<Packet> Build(const Region::Frame& frame) const;
    /// Set a queue pair to its progress in the region.
    void Restore(uint32_t number);
    /// Place the frames in flight on fibers and in the queues of switches.
    void Launch();
    /// Restore all queue pairs and let the ports continue with packets.
    void Release();

    // --- operation ---

    /// @return the number of the link behind a port: for a port of a NIC, the number of the end
    uint32_t GetLink(const EthernetPortNetDevice& port) const;
    /// @return the number of a queue pair, or NOBODY
    uint32_t GetNumber(const RdmaQueuePair& queuePair) const;
    /// Advance m_state to the present, without the arrivals at this time: each NIC processes those
    /// of its ports one after the other, and reports between them.
    void CatchUp();
    /// Process the arrivals of an end at this time in m_state.
    void TakeArrivals(uint32_t end);
    /// Compute the next observable event and schedule it, unless a decision of a port or a report
    /// is pending.
    void LookAhead();
    // inherited from FastPath
    void Woken(uint32_t end) override;
    // inherited from LightWatcher
    void LightLost() override;
    /// Report the messages of a queue pair that have been acknowledged in full as finished.
    void Finish(uint32_t number);
    /// @return true if messages that arrived or finished at an end in a state are not reported yet
    bool HasUnreported(uint32_t end, const Region::State& state) const;
    /// @return true if HasUnreported, or if a message arrives or finishes there now
    bool HasNews(uint32_t end, const Region::State& state) const;
    /// @return the state at the present, without frames that have not begun to leave
    /// @param arrivals true to process the frames that arrive at this time; otherwise they are
    /// processed only in so far as this object has already done so
    Region::State GetPresent(bool arrivals) const;
    /// Update the counters to a state. Packets that arrive at this time count at ends whose NIC has
    /// processed its arrivals.
    /// @param state the state at the present
    void SettleTo(Region::State& state);

    // First what DeliverDue reads of a port where nothing is due: a NIC asks all of its ports.
    bool m_looked{false};                               //!< m_ahead was computed from m_state
    bool m_visible{false};                              //!< m_ahead ends with an observable event
    bool m_ends{false};                                 //!< m_ahead ends where this must end
    bool m_mayShrink;                                   //!< one of a busy queue pair is smaller
    int64_t m_aheadAt{0};                               //!< the time of m_ahead, if m_looked
    Region::Small<EthernetPortNetDevice*, 2> m_devices; //!< by link
    Region::Small<int64_t> m_takenAt; //!< by end: when its NIC last processed its arrivals

    std::unique_ptr<Region::State> m_state; //!< the state at a time in the past, or now
    std::unique_ptr<Region::State> m_ahead; //!< the state at the next observable event
    Region::Small<End> m_ports;
    Region::Small<SenderEntry> m_qps;
    Region m_region;
    std::vector<OutputEntry> m_outputs;
    Region::Small<Settled, 2> m_settled;              //!< by link
    Region::Small<const RdmaQueuePair*> m_queuePairs; //!< those of m_qps
    /// Numbers of queue pairs by address and number; filled by Find, only while Read lasts.
    std::map<std::pair<Mac48Address, uint32_t>, uint32_t> m_addresses;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAST_PATH_REGION_H
