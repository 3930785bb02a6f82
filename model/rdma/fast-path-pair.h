// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAST_PATH_PAIR_H
#define PHOTONIC_RAILS_FAST_PATH_PAIR_H

#include "fast-path-pair-state.h"
#include "fast-path.h"

#include "ns3/light-path.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

class RdmaNic;
class RdmaQueuePair;
class EthernetPortNetDevice;

/**
 * @brief Fast path of two queue pairs that have the optical path between their ports, or a path
 * through one switch, to themselves.
 *
 * Both ends share one FastPathPair, as devices share a Channel. It passes the posted messages
 * to a FastPathPairState and runs a copy of the line's state ahead to the next observable event: a
 * message arrives, or an awaited message is acknowledged in full. Only observable events are
 * scheduled in the simulator. When a message is posted meanwhile, FastPathPair discards the
 * copy, advances the retained state to the present and looks ahead again.
 *
 * Any other event at one of the ports or queue pairs calls Leave, which returns to packets at that
 * simulated time. Leave builds the packets in flight and places them in fibres, queues and ports.
 * Ports, queue pairs and timers are then in the state that packets alone would have produced.
 */
class FastPathPair : public FastPath, private LightWatcher
{
  public:
    /// One of the two ends.
    struct PairEnd
    {
        RdmaNic* nic{nullptr};
        RdmaQueuePair* queuePair{nullptr};
        EthernetPortNetDevice* port{nullptr};
        LightPath path;       //!< to the other end, or to the switch
        FastPathHop::Way way; //!< through the switch to the other end, if there is a switch
    };

    /**
     * @brief Take over from packets. Both queue pairs must be undisturbed (see
     * RdmaQueuePair::IsUndisturbed), and no frame may be in flight between them.
     * @param sides the two ends
     * @param hop the switch between the ends, or null
     */
    FastPathPair(const std::array<PairEnd, 2>& sides, FastPathHop* hop);
    ~FastPathPair() override;

    // inherited from FastPath; the ends are numbered 0 and 1
    uint32_t GetEnd(const EthernetPortNetDevice& port) const override;
    bool Has(const RdmaQueuePair& queuePair) const override;
    bool IsQuiet() const override;
    bool IsSending(uint32_t end) const override;
    bool IsPassing(const EthernetPortNetDevice& output) const override;
    bool Posted(const RdmaQueuePair& queuePair) override;
    void Decide(uint32_t end) override;

    bool IsDue(const EthernetPortNetDevice& port, int64_t now) override
    {
        m_takenAt[m_firstPort == &port ? 0 : 1] = now;
        return now >= m_dueAt;
    }

    void DeliverDue(uint32_t end) override;
    void Settle() override;
    void Leave() override;
    void Abandon() override;

  private:
    using Line = FastPathPairState;

    /// The state of an end in addition to that of the line.
    struct End : Outlook
    {
        PairEnd side;
        bool asked{false};     //!< a decision of the port is pending at this time
        bool reporting{false}; //!< DeliverDue is reporting messages
        int64_t arrivedAt{-1}; //!< when the last message arrived here
        bool followed{true};   //!< a message was posted here at the time of the last arrival
        bool follows{true};    //!< a message was posted here at the time of the arrival before
        uint64_t reported{0};  //!< messages of the other end that have been reported
        uint64_t reportedBytes{0};
        uint64_t finished{0};      //!< messages of this end reported to its queue pair as finished
        Line::Totals settled;      //!< already added to the counters
        uint64_t settledBytes{0};  //!< received payload bytes already counted
        uint32_t firstMsn{0};      //!< messages that the responder had completed at the beginning
        uint64_t settledFrames{0}; //!< frames received by the switch and already counted
        uint64_t settledPassed{0}; //!< bytes sent by the switch and already counted
    };

    // inherited from LightWatcher
    void LightLost() override;

    /// Report the messages of an end with lower numbers as finished to its queue pair.
    void Finish(uint32_t end, uint64_t number);

    /// Release the switch ports and the optical paths, which refer to this object.
    void Detach();
    /// Set the constants and the initial state of an end of the line.
    void Begin(uint32_t end);
    /// Pass newly posted messages of an end to the line.
    void TakeMessages(uint32_t end);
    /// Advance m_state to the present, including the arrivals at this time.
    void CatchUp();
    /// Compute the next observable event and schedule it.
    void LookAhead();
    /// @return true if messages that arrived or finished at an end are not reported yet
    bool HasToReport(uint32_t end) const;
    // inherited from FastPath
    void Woken(uint32_t end) override;
    /// @return the state at the present, without packets that have not begun to leave
    Line::State GetPresent() const;
    /// Update the counters to a state.
    /// @param state the state at the present
    /// @param taken for each end, true if the NIC has processed the arrivals at this time
    void SettleTo(const Line::State& state, const std::array<bool, 2>& taken);
    /// @return payload bytes that an end has received; `taken` as in SettleTo
    uint64_t CountReceived(const Line::State& state, uint32_t end, bool taken) const;
    /// Set the queue pair of an end to the progress of a state.
    void Restore(const Line::State& state, uint32_t end, bool inclusive);
    /// Build the frames in flight from an end and place them on their path.
    void Launch(const Line::State& state, uint32_t end, bool inclusive);

    /// A frame in flight.
    struct UnderWay
    {
        Line::Passage passage;
        int64_t time; //!< transmission time
        Ptr<Packet> frame;
    };

    /// Set the constants of the switch for an end of the line.
    void BeginHop(uint32_t end);
    /// Update the counters of the switch to a state.
    void SettleHop(const Line::State& state, uint32_t end);
    /// Place the frames from an end on the fibre to the switch, in its queues, and on the fibre
    /// behind the switch.
    void LaunchByHop(uint32_t end, std::vector<UnderWay> frames);
    /// @return number of the first message of an end, from `from` on, that ends at a PSN or beyond
    uint64_t CountMessages(uint32_t end, uint64_t from, uint64_t psn) const;

    // the most frequently read members first
    int64_t m_dueAt{0};                         //!< no report is due before this time
    std::array<int64_t, 2> m_takenAt{{-1, -1}}; //!< when each NIC last processed arrivals
    const EthernetPortNetDevice* m_firstPort;
    FastPathHop* m_hop; //!< or null
    Line m_line;
    Line::State m_state;   //!< the state at a time in the past, or now
    Line::State m_ahead;   //!< the state at the next observable event
    bool m_looked{false};  //!< m_ahead has been computed from m_state
    bool m_visible{false}; //!< m_ahead ends with an observable event
    bool m_timeOut{false}; //!< m_ahead ends where a timer would run out
    std::array<End, 2> m_ends;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAST_PATH_PAIR_H
