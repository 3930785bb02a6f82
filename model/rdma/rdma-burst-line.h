// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_BURST_LINE_H
#define PHOTONIC_RAILS_RDMA_BURST_LINE_H

#include "rdma-burst-sender.h"

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

/**
 * @brief Two queue pairs that have the light between two ports to themselves, or the way through
 * one switch: when each of their
 * packets and acknowledgements leaves and arrives, without an event for any of them.
 *
 * What happens on such a line follows from what has been posted. Between two packets that ask for
 * an acknowledgement a port sends a run of equal packets back to back, which is one step here. When
 * an acknowledgement becomes due at a port in the midst of a run, the run is cut at the next packet
 * boundary: what it had promised beyond has not begun to leave. When the line has returned to a
 * state that it was in before (all times relative to now and all PSNs to the next one), it will do
 * so again, and all repetitions that fit are done at once.
 *
 * Rules are those of RdmaNic, RdmaRequester and RdmaResponder without congestion control and
 * losses: at an instant all that arrives is taken in before ports decide what to send;
 * acknowledgements go before data. A switch sends at the rate at which it receives, what is ready
 * first; an acknowledgement goes before data that is ready and waits behind a longer packet.
 *
 * The line is constant but for the messages; what moves is a State, a value that can be copied to
 * look ahead. Times are steps of simulated time. There is no simulator in here.
 */
class RdmaBurstLine
{
  public:
    /// No time at all: nothing will happen.
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();
    static constexpr uint32_t ENDS = 2;

    /// What an end is like.
    struct End
    {
        int64_t delay{0};     //!< from this end's port, or that of the switch, to the other
        int64_t ackTime{0};   //!< an acknowledgement occupies the fibre
        uint32_t ackBytes{0}; //!< with all that goes around it
        uint32_t window{1};   //!< packets under way
        uint32_t ackEvery{1}; //!< packets to an acknowledgement
        RdmaTimeoutBounds timeout;
        // if there is a switch on the way to the other end, of one rate with its ports
        bool hop{false};
        int64_t toHop{0};         //!< from the last bit that leaves until the switch takes it in;
                                  //!< in cut-through, from the first
        bool cutThrough{false};   //!< the switch takes frames in when their first bytes arrive
        int64_t hopLatency{0};    //!< from then until it may leave
        uint32_t outsideBytes{0}; //!< bytes around a frame that take no room in a queue
    };

    using Size = RdmaBurstSize;
    using Message = RdmaBurstMessage;

    /// A run of packets, or an acknowledgement, on its way.
    struct Flight
    {
        int64_t at{0};      //!< when the last bit of the first packet arrives
        int64_t spacing{0}; //!< from packet to packet: the time that each takes
        int64_t wait{0};    //!< of each in the switch, beyond its latency
        uint64_t psn{0};    //!< of the first packet; of an acknowledgement, one past what arrived
        uint32_t count{0};  //!< packets; 0: it is an acknowledgement
        uint32_t bytes{0};  //!< of each, with all that goes around it
        bool asks{false};   //!< for an acknowledgement
        bool ends{false};   //!< a message

        /// @return true if something happens when it arrives, but that a packet has been received
        bool Matters() const
        {
            return asks || ends || count == 0;
        }

        /// @return when the last packet arrives
        int64_t GetEnd() const
        {
            return count > 1 ? at + (count - 1) * spacing : at;
        }

        /// @return frames
        uint32_t GetFrames() const
        {
            return std::max<uint32_t>(count, 1);
        }
    };

    /// When a frame is where.
    struct Passage
    {
        int64_t leaves{0};  //!< the port of its end begins to send it
        int64_t enters{0};  //!< the switch takes it in
        int64_t ready{0};   //!< the switch may send it
        int64_t passes{0};  //!< the switch begins to send it
        int64_t arrives{0}; //!< its last bit is at the other end
    };

    /// What is on its way in one direction, in the order of arrival.
    using Flights = boost::container::small_vector<Flight, 8>;

    /// What has happened at an end so far.
    struct Totals
    {
        uint64_t packets{0};   //!< data packets sent
        uint64_t bursts{0};    //!< runs that they were sent in
        uint64_t acks{0};      //!< acknowledgements sent
        uint64_t wireBytes{0}; //!< bytes that occupied the fibre
    };

    /// One end at some time; its requester is the sender.
    struct EndState : RdmaBurstSender
    {
        // the port
        int64_t free{0};       //!< when it has sent what it is sending
        int64_t runStart{0};   //!< when the run that is being sent began
        int64_t runSpacing{0}; //!< time of a packet of it
        uint32_t runCount{0};  //!< packets of it; 0: something else is being sent, or nothing
        uint32_t runBytes{0};  //!< bytes of a packet of it
        bool queued{false};    //!< it has not been without data since it was busy without a break
        Totals totals;
        Flights flights; //!< towards the other end
        // the switch, on the way to the other end
        int64_t hopFree{0};         //!< when it has sent what has left this end
        uint64_t depth{0};          //!< bytes in the longest queue there was
        std::vector<Flight> passed; //!< what has arrived, but waited with what has not
        // the responder
        uint64_t expected{0}; //!< PSN of the other end that arrives next
        uint64_t arriving{0}; //!< number of the message of the other end that arrives next
        bool ackDue{false};
    };

    /// The state of the line at a time.
    struct State
    {
        int64_t now{0};
        std::array<EndState, ENDS> ends;
    };

    /// Why Run has returned.
    enum Reason
    {
        REACHED,  //!< the time that was asked for
        VISIBLE,  //!< a message has arrived, or one that is awaited is acknowledged in full; what
                  //!< arrives is taken in
        TIME_OUT, //!< a retransmission timer would run out next
        QUIET,    //!< nothing is going to happen
    };

    /// @param end 0 or 1
    End& At(uint32_t end)
    {
        return m_ends[end];
    }

    /// @copydoc At
    const End& At(uint32_t end) const
    {
        return m_ends[end];
    }

    /**
     * @brief An end has more to send.
     * @param state of the line; its limit moves
     * @param end 0 or 1
     * @param message follows what has been posted before
     */
    void Post(State& state, uint32_t end, const Message& message)
    {
        m_messages[end].Post(message);
        state.ends[end].limit = message.firstPsn + message.packets;
    }

    /**
     * @param end 0 or 1
     * @param number of a message, counted from the first that was ever posted
     */
    const Message& GetMessage(uint32_t end, uint64_t number) const
    {
        return m_messages[end].Get(number);
    }

    /// @return number of the next message that will be posted
    uint64_t GetEndNumber(uint32_t end) const
    {
        return m_messages[end].GetEnd();
    }

    /// Forget messages of an end that come before a number.
    void ForgetBefore(uint32_t end, uint64_t number)
    {
        m_messages[end].ForgetBefore(number);
    }

    /**
     * @brief Let time pass until something can be seen from outside, at most until some time.
     * @param state moves on
     * @param until what arrives then is taken in, if `arrivals`, but nothing is sent any more
     * @param arrivals at `until` are taken in
     * @return why it has stopped; after VISIBLE, state.now says when, and nothing has been sent
     * since
     */
    Reason Run(State& state, int64_t until, bool arrivals) const;

    /// @return when an end sends something, if nothing happens before; NEVER
    int64_t GetDeparture(const State& state, uint32_t end) const;

    /// Let the port of an end send, if it is free at state.now.
    void Decide(State& state, uint32_t end) const;

    /**
     * @brief Take back what has not begun to leave.
     * @param state is now
     * @param end whose run is cut behind the last packet that began before state.now
     */
    void Cut(State& state, uint32_t end) const;

    /**
     * @param state is now
     * @param end 0 or 1
     * @param inclusive count what arrives just now
     * @return the PSN of the other end that this one expects, packets of a run under way included
     */
    uint64_t GetExpected(const State& state, uint32_t end, bool inclusive) const;

    /// @return true if nothing is under way, due or to be sent
    bool IsQuiet(const State& state) const;

    /**
     * @param end where it comes from
     * @param flight on its way from there
     * @param index of a frame of it
     * @return when that frame is where; without a switch it is there when it leaves
     */
    Passage GetPassage(uint32_t end, const Flight& flight, uint32_t index) const;

    /**
     * @param state is now
     * @param end whose frames are meant
     * @return bytes in the longest queue of the switch that frames have found before now, their own
     * included
     */
    uint64_t GetDepth(const State& state, uint32_t end) const;

  private:
    /// A state in the form in which it recurs, and what had happened by then.
    struct Checkpoint
    {
        boost::container::small_vector<int64_t, 96> form; //!< relative to now and to next PSNs
        int64_t now{0};
        std::array<uint64_t, ENDS> next{};
        std::array<uint64_t, ENDS> unacked{};
        std::array<Totals, ENDS> totals;
        std::array<boost::container::small_vector<int64_t, 8>, ENDS> roundTrips; //!< since then
    };

    /// Take in the next flight that matters; returns true if that can be seen.
    bool Arrive(State& state, uint32_t from, Checkpoint& last) const;
    /// Take in an acknowledgement; returns true if an awaited message is finished.
    bool Acknowledge(State& state, uint32_t end, uint64_t psn, Checkpoint& last) const;
    /// Send what is next.
    void Depart(State& state, uint32_t end) const;
    /// Send an acknowledgement.
    void DepartAck(State& state, uint32_t end) const;
    /// Send a run of packets, or one that matters.
    void DepartData(State& state, uint32_t end) const;
    /// Work out when a flight arrives that leaves now: data come behind each other.
    void Enter(State& state, uint32_t end, Flight& flight) const;
    /// Put an acknowledgement that leaves now before the data that still waits when it is ready.
    void EnterAck(State& state, uint32_t end, Flight flight) const;
    /// A flight has passed the switch, as far as it was there before some time.
    void Pass(EndState& one, uint32_t end, const Flight& flight, int64_t before) const;
    /// Forget what has passed the switch before all that is still to be looked at.
    void ForgetPassed(State& state, uint32_t end) const;
    /// Move on by all repetitions that fit, if the line is in the state of the checkpoint again.
    void Repeat(State& state, int64_t until, const Checkpoint& last) const;
    /// @return how often a period can be repeated
    int64_t CountRepetitions(const State& state, const Checkpoint& last, int64_t until) const;
    /// @return true if an end may send many packets alike: the line may return to a state
    bool MayRecur(const State& state, uint32_t end) const;
    /// Bring a state into the form in which it recurs.
    void Normalise(const State& state, Checkpoint& checkpoint) const;

    std::array<End, ENDS> m_ends;
    std::array<RdmaBurstMessages, ENDS> m_messages;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_BURST_LINE_H
