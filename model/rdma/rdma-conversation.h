// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_CONVERSATION_H
#define PHOTONIC_RAILS_RDMA_CONVERSATION_H

#include "rdma-ahead.h"
#include "rdma-burst-hop.h"
#include "rdma-burst-line.h"

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
class TransceiverNetDevice;

/**
 * @brief Two queue pairs that have the light between their ports to themselves, or a way through a
 * switch, in burst mode.
 *
 * It belongs to the light, as a Channel belongs to its devices: what each end has posted goes into
 * an RdmaBurstLine, which is run ahead to the next moment that can be seen from outside, when a
 * message has arrived, or one whose end is awaited is acknowledged in full. Only for those moments
 * there are events. What is posted meanwhile takes the line back to the present, which it has kept.
 *
 * Whatever else happens to one of the ports or queue pairs (see Leave) turns the line back into
 * packets as of that instant: those under way are built and put where they would be, and the ports,
 * queue pairs and timers are left as if there had been packets all along.
 */
class RdmaConversation : public RdmaAhead, private LightWatcher
{
  public:
    /// One of the two who talk.
    struct Party
    {
        RdmaNic* nic{nullptr};
        RdmaQueuePair* queuePair{nullptr};
        TransceiverNetDevice* port{nullptr};
        LightPath path;        //!< to the other, or to the switch
        RdmaBurstHop::Way way; //!< through the switch to the other, if there is one
    };

    /**
     * @brief Take over from packets. Both ends are undisturbed (see RdmaQueuePair::IsUndisturbed),
     * and nothing is on the light between them.
     * @param parties the two ends
     * @param hop the switch between them, or null
     */
    RdmaConversation(const std::array<Party, 2>& parties, RdmaBurstHop* hop);
    ~RdmaConversation() override;

    // inherited from RdmaAhead; ends are 0 and 1
    uint32_t GetEnd(const TransceiverNetDevice& port) const override;
    bool Has(const RdmaQueuePair& queuePair) const override;
    bool IsQuiet() const override;
    bool IsSending(uint32_t end) const override;
    bool IsPassing(const TransceiverNetDevice& output) const override;
    bool Posted(const RdmaQueuePair& queuePair) override;
    void Decide(uint32_t end) override;

    bool IsDue(const TransceiverNetDevice& port, int64_t now) override
    {
        m_takenAt[m_firstPort == &port ? 0 : 1] = now;
        return now >= m_dueAt;
    }

    void DeliverDue(uint32_t end) override;
    void Settle() override;
    void Leave() override;
    void Abandon() override;

  private:
    using Line = RdmaBurstLine;

    /// What is known of an end beside the state of the line.
    struct End : Outlook
    {
        Party party;
        bool asked{false};     //!< the port is about to decide
        bool reporting{false}; //!< messages are being reported
        int64_t arrivedAt{-1}; //!< when a message has arrived here last
        bool followed{true};   //!< something was posted here in the same instant
        bool follows{true};    //!< and when the one before it had arrived
        uint64_t reported{0};  //!< messages of the other end that have been reported
        uint64_t reportedBytes{0};
        uint64_t finished{0}; //!< messages of this end that its queue pair has taken as finished
        Line::Totals settled; //!< what the counters know of
        uint64_t settledBytes{0};  //!< of payload received
        uint32_t firstMsn{0};      //!< messages that the responder had seen before
        uint64_t settledFrames{0}; //!< that the switch has taken in
        uint64_t settledPassed{0}; //!< bytes that have left the switch
    };

    // inherited from LightWatcher
    void LightLost() override;

    /// Messages of an end before a number have been acknowledged in full.
    void Finish(uint32_t end, uint64_t number);

    /// Nobody refers to this conversation any more.
    void Detach();
    /// Fill in an end of the line, and take its messages.
    void Begin(uint32_t end);
    /// Let the line know of messages that have been posted.
    void TakeMessages(uint32_t end);
    /// Let the state catch up with the present; what arrives now is taken in.
    void CatchUp();
    /// Run ahead to what can be seen next.
    void LookAhead();
    /// @return true if an end has not been told yet of something that has been taken in
    bool HasToReport(uint32_t end) const;
    // inherited from RdmaAhead
    void Woken(uint32_t end) override;
    /// @return the state at this instant without what has not begun yet
    Line::State GetPresent() const;
    /// Bring the counters up to a state; `taken`: ends that have taken what arrives just now.
    void SettleTo(const Line::State& state, const std::array<bool, 2>& taken);
    /// @return payload bytes that an end has received
    uint64_t CountReceived(const Line::State& state, uint32_t end, bool taken) const;
    /// Leave an end as packets would have.
    void Restore(const Line::State& state, uint32_t end, bool inclusive);
    /// Put what is on its way from an end onto the light.
    void Launch(const Line::State& state, uint32_t end, bool inclusive);

    /// A frame that is on its way.
    struct UnderWay
    {
        Line::Passage passage;
        int64_t time; //!< that it takes on the fibre
        Ptr<Packet> frame;
    };

    /// Fill in what the line knows of the switch.
    void BeginHop(uint32_t end);
    /// Bring the counters of the switch up to a state.
    void SettleHop(const Line::State& state, uint32_t end);
    /// Put frames from an end onto the light to the switch, into it, and behind it.
    void LaunchByHop(uint32_t end, std::vector<UnderWay> frames);
    /// @return messages of an end that come before a PSN
    uint64_t CountMessages(uint32_t end, uint64_t from, uint64_t psn) const;

    // what is looked at most often comes first
    int64_t m_dueAt{0};                         //!< nothing is to be reported before
    std::array<int64_t, 2> m_takenAt{{-1, -1}}; //!< when arrivals were last taken in at the ends
    const TransceiverNetDevice* m_firstPort;
    RdmaBurstHop* m_hop; //!< or null
    Line m_line;
    Line::State m_state;   //!< as of some moment in the past, or now
    Line::State m_ahead;   //!< when something can be seen next
    bool m_looked{false};  //!< m_ahead follows from m_state
    bool m_visible{false}; //!< and something can be seen then
    bool m_timeOut{false}; //!< or a timer runs out
    std::array<End, 2> m_ends;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_CONVERSATION_H
