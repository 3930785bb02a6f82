// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_GATHERING_H
#define PHOTONIC_RAILS_RDMA_GATHERING_H

#include "rdma-ahead.h"
#include "rdma-burst-hop.h"
#include "rdma-burst-star.h"

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
class TransceiverNetDevice;

/**
 * @brief Queue pairs that share ports around one switch, in burst mode.
 *
 * An RdmaConversation needs two ports of its own and begins when nothing is under way. Where it has
 * been interrupted, or where queue pairs take turns at a port, this goes on from packets as they
 * are: frames under way are taken off fibres, queues and ports and put into an RdmaBurstStar, which
 * is run ahead to the next moment that can be seen from outside. It takes part in everything that
 * is between these ports, so nothing else may be.
 *
 * It ends (see Leave) when anything else happens to one of the ports or queue pairs, when a queue
 * of the switch may become long enough to matter, when nothing is left to do and when the ports do
 * not depend on each other any more: smaller ones may begin in its place.
 */
class RdmaGathering : public RdmaAhead
{
  public:
    /// A port of a NIC.
    struct Party
    {
        RdmaNic* nic{nullptr};
        TransceiverNetDevice* port{nullptr};
        LightPath path;                   //!< to the switch
        RdmaBurstHop::Way way;            //!< of what it sends; the output is of no matter
        LightPath onward;                 //!< from the switch to it
        uint64_t most{0};                 //!< bytes that may be for it in the switch
        std::vector<RdmaQueuePair*> acks; //!< with an acknowledgement to send
        std::vector<RdmaQueuePair*> data; //!< in turn
    };

    /// A queue pair of such a port.
    struct Talker
    {
        RdmaQueuePair* queuePair{nullptr};
        uint32_t end{0};  //!< number of its port
        uint32_t peer{0}; //!< number of the queue pair that it talks to
    };

    /**
     * @param parties in the order of the ports of the switch
     * @param talkers all that have something under way or to send at these ports, and their peers
     * @param hop the switch
     */
    RdmaGathering(std::vector<Party> parties, std::vector<Talker> talkers, RdmaBurstHop& hop);
    ~RdmaGathering() override;

    /**
     * @brief Look at what is under way.
     * @return true if it can be taken over: there is nothing but what the queue pairs have sent,
     * in order
     */
    bool Read();
    /// Take over from packets what has been read. The ports refer to this gathering from now on.
    void Begin();

    // inherited from RdmaAhead
    uint32_t GetEnd(const TransceiverNetDevice& port) const override;
    bool Has(const RdmaQueuePair& queuePair) const override;
    bool IsQuiet() const override;
    bool IsSending(uint32_t end) const override;
    bool IsPassing(const TransceiverNetDevice& output) const override;
    bool Posted(const RdmaQueuePair& queuePair) override;
    void Decide(uint32_t end) override;
    bool IsDue(const TransceiverNetDevice& port, int64_t now) override;
    void DeliverDue(uint32_t end) override;
    void Settle() override;
    void Leave() override;
    void Abandon() override;

  private:
    using Star = RdmaBurstStar;

    /// What is known of an end beside the state of the star.
    struct End : Outlook
    {
        Party party;
        int64_t takenAt{-1};   //!< when arrivals were last taken in here
        bool asked{false};     //!< the port is about to decide
        bool reporting{false}; //!< messages are being reported
        uint64_t settledBytes{0};
        uint64_t settledPassed{0};
    };

    /// What is known of a queue pair beside the state of the star.
    struct Speaker
    {
        Talker talker;
        uint64_t reported{0}; //!< messages of its peer that have been reported
        uint64_t finished{0}; //!< messages of its own that it has taken as finished
        uint64_t packets{0};  //!< what the counters know of
        uint64_t bursts{0};
        uint64_t acks{0};
        uint64_t received{0};
    };

    // --- beginning: rdma-gathering-begin.cc ---

    /// Fill in what an end is like.
    void ReadPort(uint32_t end);
    /// Fill in how far a queue pair has come, and its messages.
    void ReadTalker(uint32_t number);
    /// Let the star know of messages that have been posted.
    void TakeMessages(uint32_t number);
    /// Fill in frames from the switch to an end, and those that wait there; returns false if one
    /// has no place here.
    bool ReadPassing(uint32_t end);
    /// Fill in frames from an end to the switch; returns false if one has no place here.
    bool ReadComing(uint32_t end);
    /// @return true if what is under way is what has been sent and not arrived, and not much
    bool IsComplete() const;
    /**
     * @brief Say what a frame is.
     * @param frame under way between the ports
     * @param result gets all but the time
     * @return false if it has no place here
     */
    bool Recognise(const Ptr<Packet>& frame, Star::Frame& result) const;
    /// @return the queue pair of an address and a number, or NOBODY
    uint32_t Find(const RoceHeader& header) const;

    // --- ending: rdma-gathering-leave.cc ---

    /// A frame on its way to the switch.
    struct Coming
    {
        int64_t at; //!< when its last bit arrives
        int64_t enters;
        Ptr<Packet> frame;
    };

    /// Nobody refers to this gathering any more.
    void Detach();
    /// @return a packet as it was sent
    Ptr<Packet> Build(const Star::Frame& frame) const;
    /// Leave a queue pair as packets would have.
    void Restore(uint32_t number);
    /// Put frames back onto the fibres to all ends, and into the queues of the switch.
    void LaunchFromHop(std::vector<std::vector<Coming>>& coming);
    /// Have ports go on with packets.
    void Release();

    // --- meanwhile ---

    /// @return the number of a queue pair, or NOBODY
    uint32_t GetNumber(const RdmaQueuePair& queuePair) const;
    /// Let the state catch up with the present; what arrives now is taken in.
    void CatchUp();
    /// Run ahead to what can be seen next, unless a port is about to decide.
    void LookAhead();
    // inherited from RdmaAhead
    void Woken(uint32_t end) override;
    /// Messages of a queue pair have been acknowledged in full.
    void Finish(uint32_t number);
    /// @return true if something has to be reported at an end
    bool HasNews(uint32_t end, const Star::State& state) const;
    /// @return the state at this instant without what has not begun yet
    Star::State GetPresent() const;
    /// Bring the counters up to a state; what arrives just now counts, or only where it was taken.
    void SettleTo(Star::State& state, bool inclusive);

    RdmaBurstHop& m_hop;
    Star m_star;
    Star::State m_state;   //!< as of some moment in the past, or now
    Star::State m_ahead;   //!< when something can be seen next
    bool m_looked{false};  //!< m_ahead follows from m_state
    bool m_visible{false}; //!< and something can be seen then
    bool m_ends{false};    //!< or this gathering does
    uint64_t m_settledFrames{0};
    std::vector<End> m_parties;
    std::vector<Speaker> m_talkers;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_GATHERING_H
