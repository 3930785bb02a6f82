// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAST_PATH_STAR_H
#define PHOTONIC_RAILS_FAST_PATH_STAR_H

#include "fast-path-star-state.h"
#include "fast-path.h"

#include "ns3/light-path.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

class RdmaNic;
class RdmaQueuePair;
class RoceHeader;
class EthernetPortNetDevice;

/**
 * @brief Fast path of queue pairs that share ports around one switch.
 *
 * A FastPathPair needs two ports of its own and begins when no frame is in flight. An
 * FastPathStar also covers queue pairs that take turns at a port, and a FastPathPair that was
 * interrupted, because it can begin with frames in flight. It removes these frames from fibres,
 * queues and ports, passes them to a FastPathStarState, and runs a copy of the star's state ahead
 * to the next observable event. All frames between its ports must belong to its queue pairs.
 *
 * A FastPathStar ends (see Leave) when another event happens at one of the ports or queue pairs,
 * when a queue of the switch may reach its limit, and when all queue pairs are idle. It also ends
 * when busy queue pairs no longer connect all ports in use, so that several smaller FastPathStar
 * objects can take over.
 */
class FastPathStar : public FastPath
{
  public:
    /// A port of a NIC.
    struct PortEntry
    {
        RdmaNic* nic{nullptr};
        EthernetPortNetDevice* port{nullptr};
        LightPath path;                   //!< to the switch
        FastPathHop::Way way;             //!< through the switch; the output port is not used
        LightPath onward;                 //!< from the switch to this port
        uint64_t most{0};                 //!< limit of the bytes for this port in the switch
        std::vector<RdmaQueuePair*> acks; //!< queue pairs with an acknowledgement to send
        std::vector<RdmaQueuePair*> data; //!< queue pairs with data, in order of their turns
    };

    /// A queue pair of such a port.
    struct QueuePairEntry
    {
        RdmaQueuePair* queuePair{nullptr};
        uint32_t end{0};  //!< number of its port
        uint32_t peer{0}; //!< number of the peer queue pair
    };

    /**
     * @param ports the NIC ports, in the order of the switch ports they lead to
     * @param qps all queue pairs with frames in flight or to send at these ports, and their
     * peers
     * @param hop the switch
     */
    FastPathStar(std::vector<PortEntry> ports, std::vector<QueuePairEntry> qps, FastPathHop& hop);
    ~FastPathStar() override;

    /**
     * @brief Read the progress of the queue pairs and the frames in flight, without changing them.
     * @return true if Begin may be called: all frames in flight belong to the queue pairs, are in
     * order, and none is missing
     */
    bool Read();
    /// Take over the traffic found by Read. The ports refer to this object from now on.
    void Begin();

    // inherited from FastPath
    uint32_t GetEnd(const EthernetPortNetDevice& port) const override;
    bool Has(const RdmaQueuePair& queuePair) const override;
    bool IsQuiet() const override;
    bool IsSending(uint32_t end) const override;
    bool IsPassing(const EthernetPortNetDevice& output) const override;
    bool Posted(const RdmaQueuePair& queuePair) override;
    void Decide(uint32_t end) override;
    bool IsDue(const EthernetPortNetDevice& port, int64_t now) override;
    void DeliverDue(uint32_t end) override;
    void Settle() override;
    void Leave() override;
    void Abandon() override;

  private:
    using Star = FastPathStarState;

    /// The state of an end in addition to that of the star.
    struct End : Outlook
    {
        PortEntry entry;
        int64_t takenAt{-1};       //!< when the NIC last processed arrivals of this port
        bool asked{false};         //!< a decision of the port is pending at this time
        bool reporting{false};     //!< DeliverDue is reporting messages
        uint64_t settledBytes{0};  //!< bytes sent by the NIC port and already counted
        uint64_t settledPassed{0}; //!< bytes sent by the switch port and already counted
    };

    /// The state of a queue pair in addition to that of the star.
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

    // --- beginning: fast-path-star.cc ---

    /// Add the port of an end to the star.
    void ReadPort(uint32_t end);
    /// Add a queue pair, its progress and its messages to the star.
    void ReadQueuePair(uint32_t number);
    /// Pass newly posted messages of a queue pair to the star.
    void TakeMessages(uint32_t number);
    /// Read the frames in flight from the switch to an end, and those in the queues of that port.
    /// @return false if a frame does not belong to the queue pairs or is out of order
    bool ReadPassing(uint32_t end);
    /// Read the frames in flight from an end to the switch.
    /// @return false if a frame does not belong to the queue pairs
    bool ReadComing(uint32_t end);
    /// @return true if the frames in flight are exactly the packets sent and not received, and fill
    /// at most half of the limit of each port
    bool IsComplete() const;
    /**
     * @brief Convert a packet into a frame of the star.
     * @param frame a packet in flight between the ports
     * @param result receives the frame, without `at`
     * @return false if the packet does not belong to the queue pairs, or if the star cannot
     * represent it
     */
    bool Recognise(const Ptr<Packet>& frame, Star::Frame& result) const;
    /// @return the number of the queue pair that a packet is addressed to, or NOBODY
    uint32_t Find(const RoceHeader& header) const;

    // --- ending: fast-path-star.cc ---

    /// A frame in flight to the switch.
    struct Coming
    {
        int64_t at;     //!< when the last bit arrives
        int64_t enters; //!< when the switch receives the frame
        Ptr<Packet> frame;
    };

    /// Release the switch ports, which refer to this object.
    void Detach();
    /// @return the packet for a frame of the star, identical to the packet as sent
    Ptr<Packet> Build(const Star::Frame& frame) const;
    /// Set a queue pair to its progress in the star.
    void Restore(uint32_t number);
    /// Place frames on the fibres to all ends and in the queues of the switch, and collect the
    /// frames in flight to the switch, for each end, in `coming`.
    void LaunchFromHop(std::vector<std::vector<Coming>>& coming);
    /// Restore all queue pairs and let the ports continue with packets.
    void Release();

    // --- operation: fast-path-star.cc ---

    /// @return the number of a queue pair, or NOBODY
    uint32_t GetNumber(const RdmaQueuePair& queuePair) const;
    /// Advance m_state to the present, including the arrivals at this time.
    void CatchUp();
    /// Compute the next observable event and schedule it, unless a decision of a port or a report
    /// is pending.
    void LookAhead();
    // inherited from FastPath
    void Woken(uint32_t end) override;
    /// Report the messages of a queue pair that have been acknowledged in full as finished.
    void Finish(uint32_t number);
    /// @return true if messages that arrived or finished at an end in a state are not reported yet
    bool HasNews(uint32_t end, const Star::State& state) const;
    /// @return the state at the present, without frames that have not begun to leave
    Star::State GetPresent() const;
    /// Update the counters to a state.
    /// @param state the state at the present
    /// @param inclusive true to count all packets that arrive at this time; false to count them
    /// only at ends whose NIC has processed its arrivals
    void SettleTo(Star::State& state, bool inclusive);

    FastPathHop& m_hop;
    Star m_star;
    Star::State m_state;         //!< the state at a time in the past, or now
    Star::State m_ahead;         //!< the state at the next observable event
    bool m_looked{false};        //!< m_ahead has been computed from m_state
    bool m_visible{false};       //!< m_ahead ends with an observable event
    bool m_ends{false};          //!< m_ahead ends where this fast path must end
    uint64_t m_settledFrames{0}; //!< frames received by the switch and already counted
    std::vector<End> m_ports;
    std::vector<SenderEntry> m_qps;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAST_PATH_STAR_H
