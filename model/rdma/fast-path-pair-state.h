// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAST_PATH_PAIR_STATE_H
#define PHOTONIC_RAILS_FAST_PATH_PAIR_STATE_H

#include "rdma-retransmission-timer.h"

#include "ns3/fifo.h"

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

/// The size of a frame on the fibre.
struct FastPathSize
{
    int64_t time{0};   //!< transmission time, in time steps
    uint32_t bytes{0}; //!< wire bytes, with FCS, preamble and gap
};

/// A message that a queue pair sends.
struct FastPathMessage
{
    uint64_t firstPsn{0};
    uint64_t packets{1};
    FastPathSize first;  //!< first packet of several
    FastPathSize middle; //!< each packet between the first and the last
    FastPathSize last;   //!< last or only packet
    uint64_t payloadBytes{0};
    uint32_t immediate{0};
    bool awaited{true}; //!< its completion is observable outside the fast path
};

/// The posted messages of a queue pair, numbered from the first message ever posted.
class FastPathMessages
{
  public:
    /// @param message the next message
    void Post(const FastPathMessage& message)
    {
        m_messages.push_back(message);
    }

    /// @param number number of a message that ForgetBefore has not removed
    /// @return the message
    const FastPathMessage& Get(uint64_t number) const
    {
        return m_messages[number - m_first];
    }

    /// @return number of the next message that will be posted
    uint64_t GetEnd() const
    {
        return m_first + m_messages.size();
    }

    /// Remove the messages with lower numbers.
    void ForgetBefore(uint64_t number)
    {
        while (m_first < number)
        {
            m_messages.pop_front();
            ++m_first;
        }
    }

  private:
    Fifo<FastPathMessage> m_messages;
    uint64_t m_first{0};
};

/**
 * @brief The progress of the sending side of a queue pair, with the rules of RdmaRequester without
 * congestion control and losses.
 *
 * A value type. The functions are defined in the header so that the compiler can inline them.
 */
struct FastPathSender
{
    uint64_t next{0};         //!< next PSN to send
    uint64_t unacked{0};      //!< oldest PSN without an acknowledgement
    uint64_t limit{0};        //!< one past the last posted PSN
    uint64_t ackRequested{0}; //!< one past the last PSN sent with an acknowledgement request
    uint64_t sending{0};      //!< number of the message that `next` belongs to
    uint64_t finishing{0};    //!< number of the oldest message not yet acknowledged in full
    uint64_t answered{0}; //!< one past the number of the last awaited message that is acknowledged
    RdmaTimerState timer;

    /**
     * @param window most packets in flight
     * @return true if a packet may be sent
     */
    bool HasData(uint32_t window) const
    {
        const bool awaitsAck = ackRequested > unacked;
        return next < limit && (next < unacked + window || !awaitsAck);
    }

    /// Account for a packet that is sent with an acknowledgement request.
    void Asked(uint64_t psn, int64_t now, const RdmaTimeoutBounds& timeout)
    {
        const bool awaitsAck = ackRequested > unacked;
        timer.Sent(psn, now);
        ackRequested = psn + 1;
        if (!awaitsAck)
        {
            timer.Restart(now, timeout, 0);
        }
    }

    /**
     * @brief Process an acknowledgement.
     * @param psn one past the last PSN received, above `unacked`
     * @param now the time, in time steps
     * @param timeout bounds of the retransmission timer
     * @param messages the posted messages
     * @param roundTrips the round trip is appended, if this acknowledgement measures one
     * @return true if an awaited message is finished
     */
    template <typename RoundTrips>
    bool Acknowledge(uint64_t psn,
                     int64_t now,
                     const RdmaTimeoutBounds& timeout,
                     const FastPathMessages& messages,
                     RoundTrips& roundTrips)
    {
        if (timer.Acknowledged(psn))
        {
            const int64_t roundTrip = now - timer.timedAt;
            timer.Measured(roundTrip);
            roundTrips.push_back(roundTrip);
        }
        unacked = psn;
        if (ackRequested > psn)
        {
            timer.Restart(now, timeout, 0);
        }
        else
        {
            timer.running = false;
        }
        bool finished = false;
        while (finishing < messages.GetEnd())
        {
            const FastPathMessage& message = messages.Get(finishing);
            if (message.firstPsn + message.packets > psn)
            {
                break;
            }
            ++finishing;
            if (message.awaited)
            {
                answered = finishing;
                finished = true;
            }
        }
        return finished;
    }
};

/**
 * @brief Computes when each packet and acknowledgement of two queue pairs leaves and arrives,
 * without an event for any of them. The two queue pairs have a link between two ports, or a path
 * through one switch, to themselves.
 *
 * The posted messages determine all traffic on such a line. Between two packets that request an
 * acknowledgement, a port sends a run of equal packets back to back; FastPathPairState computes a
 * run in one step. When an acknowledgement becomes due at a port during a run, Cut ends the run at
 * the next packet boundary, because the remaining packets have not begun to leave. When the line
 * returns to an earlier state (all times relative to now, all PSNs relative to the next PSN), the
 * same period follows again, and FastPathPairState computes all repetitions that fit at once.
 *
 * The rules are those of RdmaNic, RdmaRequester and RdmaResponder without congestion control and
 * losses. Arrivals at a simulated time are processed before ports decide what to send at that time.
 * Acknowledgements precede data. A switch sends at the rate at which it receives and serves the
 * frame that is ready first. An acknowledgement precedes data that is ready, and waits for a longer
 * packet that the switch is sending.
 *
 * Only messages are added to a FastPathPairState after its setup. All progress is in a State, a
 * value that can be copied to look ahead. Times are in time steps. The class does not use the
 * simulator.
 */
class FastPathPairState
{
  public:
    /// The time of an event that never happens.
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();
    static constexpr uint32_t ENDS = 2;

    /// The constants of an end.
    struct End
    {
        int64_t delay{0};     //!< propagation delay to the other end, from this end or the switch
        int64_t ackTime{0};   //!< transmission time of an acknowledgement
        uint32_t ackBytes{0}; //!< wire bytes of an acknowledgement, with FCS, preamble and gap
        uint32_t window{1};   //!< most packets in flight
        uint32_t ackEvery{1}; //!< packets per acknowledgement
        RdmaTimeoutBounds timeout;
        // the switch on the path to the other end; all its ports have the rate of the ends
        bool hop{false};          //!< there is a switch
        int64_t toHop{0};         //!< from the last bit sent until the switch receives the frame;
                                  //!< with cut-through, from the first bit sent
        bool cutThrough{false};   //!< the switch receives a frame when its header arrives
        int64_t hopLatency{0};    //!< from then until the switch may send the frame
        uint32_t outsideBytes{0}; //!< wire bytes of a frame that take no buffer space
    };

    using Size = FastPathSize;
    using Message = FastPathMessage;

    /// A run of packets, or an acknowledgement, in flight.
    struct Flight
    {
        int64_t at{0};      //!< when the last bit of the first packet arrives
        int64_t spacing{0}; //!< transmission time of a packet; packets follow back to back
        int64_t wait{0};    //!< queueing time of each frame in the switch
        uint64_t psn{0};    //!< first packet; in an acknowledgement, one past the last PSN received
        uint32_t count{0};  //!< number of packets; 0 for an acknowledgement
        uint32_t bytes{0};  //!< wire bytes of each frame, with FCS, preamble and gap
        bool asks{false};   //!< requests an acknowledgement
        bool ends{false};   //!< ends a message

        /// @return true if the arrival does more than advance the expected PSN
        bool Matters() const
        {
            return asks || ends || count == 0;
        }

        /// @return arrival time of the last bit of the last frame
        int64_t GetEnd() const
        {
            return count > 1 ? at + (count - 1) * spacing : at;
        }

        /// @return number of frames
        uint32_t GetFrames() const
        {
            return std::max<uint32_t>(count, 1);
        }
    };

    /// The times of a frame on its path.
    struct Passage
    {
        int64_t leaves{0};  //!< the port of the sending end begins to send the frame
        int64_t enters{0};  //!< the switch receives the frame
        int64_t ready{0};   //!< the switch may send the frame
        int64_t passes{0};  //!< the switch begins to send the frame
        int64_t arrives{0}; //!< the last bit reaches the other end
    };

    /// The flights in one direction, in order of arrival.
    using Flights = boost::container::small_vector<Flight, 8>;

    /// The counters of an end.
    struct Totals
    {
        uint64_t packets{0};   //!< data packets sent
        uint64_t bursts{0};    //!< runs of data packets sent
        uint64_t acks{0};      //!< acknowledgements sent
        uint64_t wireBytes{0}; //!< bytes that occupied the fibre
    };

    /// The state of an end; the base class is the state of its requester.
    struct EndState : FastPathSender
    {
        // the port
        int64_t free{0};       //!< when the port has sent the present run or acknowledgement
        int64_t runStart{0};   //!< when the present run began
        int64_t runSpacing{0}; //!< transmission time of a packet of the run
        uint32_t runCount{0};  //!< packets of the run; 0 if the port sends no run
        uint32_t runBytes{0};  //!< wire bytes of a packet of the run
        bool queued{false};    //!< the port has sent data and has not been idle since
        Totals totals;
        Flights flights; //!< towards the other end
        // the switch on the path to the other end
        int64_t hopFree{0};         //!< when the switch has sent all frames of this end
        uint64_t depth{0};          //!< maximum queue depth so far, in bytes
        std::vector<Flight> passed; //!< arrived flights that were queued together with later ones
        // the responder
        uint64_t expected{0}; //!< next PSN expected from the other end
        uint64_t arriving{0}; //!< number of the next message expected from the other end
        bool ackDue{false};
    };

    /// The state of the line at time `now`.
    struct State
    {
        int64_t now{0};
        std::array<EndState, ENDS> ends;
    };

    /// Why Run has returned.
    enum Reason
    {
        REACHED,  //!< the time limit is reached
        VISIBLE,  //!< a message has arrived, or an awaited message is acknowledged in full; all
                  //!< arrivals at that time are processed
        TIME_OUT, //!< the next event is the expiry of a retransmission timer
        QUIET,    //!< no event is left
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
     * @brief Add a message that an end sends.
     * @param state state of the line; the PSN limit of the end advances
     * @param end 0 or 1
     * @param message the message; its PSNs follow those of the message posted before
     */
    void Post(State& state, uint32_t end, const Message& message)
    {
        m_messages[end].Post(message);
        state.ends[end].limit = message.firstPsn + message.packets;
    }

    /**
     * @param end 0 or 1
     * @param number number of a message of that end; the first message ever posted is 0
     * @return the message
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

    /// Remove the messages of an end with lower numbers.
    void ForgetBefore(uint32_t end, uint64_t number)
    {
        m_messages[end].ForgetBefore(number);
    }

    /**
     * @brief Advance a state to the next observable event, at most to a time limit. Observable
     * events are those of VISIBLE.
     * @param state the state to advance
     * @param until the time limit; nothing is sent at this time
     * @param arrivals true to process the arrivals at `until`
     * @return the reason for stopping. After VISIBLE, state.now is the time of the event, and
     * nothing has been sent at that time
     */
    Reason Run(State& state, int64_t until, bool arrivals) const;

    /// @return when an end sends next if nothing arrives before, or NEVER
    int64_t GetDeparture(const State& state, uint32_t end) const;

    /// Let the port of an end send, if its next departure is at state.now.
    void Decide(State& state, uint32_t end) const;

    /**
     * @brief Truncate the run that an end is sending after the last packet that began to leave
     * before state.now.
     * @param state the state at the present
     * @param end 0 or 1
     */
    void Cut(State& state, uint32_t end) const;

    /**
     * @param state the state at the present
     * @param end 0 or 1
     * @param inclusive true to count packets that arrive at state.now
     * @return the next PSN that this end expects; includes the packets of a run in flight that have
     * arrived
     */
    uint64_t GetExpected(const State& state, uint32_t end, bool inclusive) const;

    /// @return true if no frame is in flight, and nothing is due or waits to be sent
    bool IsQuiet(const State& state) const;

    /**
     * @param end the sending end
     * @param flight a flight from that end
     * @param index index of a frame of the flight
     * @return the times of the frame; without a switch, those at the switch are when the frame
     * leaves
     */
    Passage GetPassage(uint32_t end, const Flight& flight, uint32_t index) const;

    /**
     * @param state the state at the present
     * @param end the end whose frames pass the switch
     * @return maximum depth in bytes of a queue of the switch when a frame has entered before now,
     * that frame included
     */
    uint64_t GetDepth(const State& state, uint32_t end) const;

  private:
    /// A normalised state for the detection of recurrence, and the counters at that time.
    struct Checkpoint
    {
        boost::container::small_vector<int64_t, 96>
            form; //!< times relative to `now`, PSNs to `next`
        int64_t now{0};
        std::array<uint64_t, ENDS> next{};
        std::array<uint64_t, ENDS> unacked{};
        std::array<Totals, ENDS> totals;
        std::array<boost::container::small_vector<int64_t, 8>, ENDS> roundTrips; //!< measured since
    };

    /// Process the arrival of the next flight for which Matters holds, and of those before.
    /// @return true if the arrival is observable
    bool Arrive(State& state, uint32_t from, Checkpoint& last) const;
    /// Process an acknowledgement.
    /// @return true if an awaited message is finished
    bool Acknowledge(State& state, uint32_t end, uint64_t psn, Checkpoint& last) const;
    /// Send the next run or acknowledgement.
    void Depart(State& state, uint32_t end) const;
    /// Send an acknowledgement.
    void DepartAck(State& state, uint32_t end) const;
    /// Send a run of packets, or one packet that is not part of a run.
    void DepartData(State& state, uint32_t end) const;
    /// Compute the arrival of a flight that leaves now behind all earlier flights.
    void Enter(State& state, uint32_t end, Flight& flight) const;
    /// Insert an acknowledgement that leaves now before the data that still waits in the switch
    /// when the acknowledgement is ready.
    void EnterAck(State& state, uint32_t end, Flight flight) const;
    /// Count the queue depth that a flight causes, as far as its frames enter the switch before a
    /// time.
    void Pass(EndState& one, uint32_t end, const Flight& flight, int64_t before) const;
    /// Remove passed flights that cannot share a queue with any flight still to be counted.
    void ForgetPassed(State& state, uint32_t end) const;
    /// Advance by all repetitions that fit. The normalised state must equal that of the checkpoint.
    void Repeat(State& state, int64_t until, const Checkpoint& last) const;
    /// @return how often the period since the checkpoint can be repeated
    int64_t CountRepetitions(const State& state, const Checkpoint& last, int64_t until) const;
    /// @return true if an end has enough equal packets left for the line to return to a state
    bool MayRecur(const State& state, uint32_t end) const;
    /// Fill a checkpoint with the normalised form of a state.
    void Normalise(const State& state, Checkpoint& checkpoint) const;

    std::array<End, ENDS> m_ends;
    std::array<FastPathMessages, ENDS> m_messages;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAST_PATH_PAIR_STATE_H
