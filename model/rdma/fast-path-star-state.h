// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAST_PATH_STAR_STATE_H
#define PHOTONIC_RAILS_FAST_PATH_STAR_STATE_H

#include "fast-path-pair-state.h"
#include "rdma-retransmission-timer.h"

#include "ns3/fifo.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Computes when each packet and acknowledgement of queue pairs that share NIC ports around
 * one switch leaves and arrives.
 *
 * FastPathPairState covers two queue pairs with a path of their own; FastPathStarState covers
 * several queue pairs. It computes each frame separately, because queue pairs take turns at a port
 * and frames queue at the ports of the switch, but creates no event and no packet. The initial
 * state may contain frames in flight.
 *
 * The rules are those of RdmaNic, RdmaRequester and RdmaResponder without congestion control and
 * losses, and of an ElectricalSwitch that does not pause, mark or drop. Arrivals at a simulated
 * time are processed before ports decide what to send at that time. Acknowledgements precede data.
 * The queue pairs of a port take turns, one packet per turn. The switch receives the frames that
 * enter at the same time in the order of its ports. All ports have the same rate.
 *
 * Only messages are added to a FastPathStarState after its setup. All progress is in a State, a
 * value that can be copied to look ahead. Times are in time steps. The class does not use the
 * simulator.
 */
class FastPathStarState
{
  public:
    using Message = FastPathPairState::Message;
    using Size = FastPathPairState::Size;

    /// The time of an event that never happens.
    static constexpr int64_t NEVER = FastPathPairState::NEVER;
    static constexpr uint32_t NOBODY = 0xffffffff; //!< no queue pair, or no port

    /// The constants of a NIC port. Ports are numbered in the order of the switch ports they lead
    /// to.
    struct Port
    {
        int64_t delay{0};         //!< propagation delay from the switch to the port
        int64_t toHop{0};         //!< from the last bit sent until the switch receives the frame;
                                  //!< with cut-through, from the first bit sent
        bool cutThrough{false};   //!< the switch receives a frame when its header arrives
        int64_t hopLatency{0};    //!< from then until the switch may send the frame
        uint32_t outsideBytes{0}; //!< wire bytes of a frame that take no buffer space
        uint64_t most{0};         //!< limit of PortState::bound and of PortState::held
    };

    /// The constants of a queue pair.
    struct QueuePairEntry
    {
        uint32_t port{0};     //!< number of its port
        uint32_t peer{0};     //!< number of the peer queue pair
        Size ack;             //!< size of an acknowledgement
        uint64_t mtu{1};      //!< payload bytes of a full packet
        uint32_t window{1};   //!< most packets in flight
        uint32_t ackEvery{1}; //!< packets per acknowledgement
        uint32_t firstMsn{0}; //!< messages that arrived before message 0 of the peer
        RdmaTimeoutBounds timeout;
    };

    /// A packet or an acknowledgement in flight.
    struct Frame
    {
        int64_t at{0}; //!< when the switch may send the frame; once sent, when its last bit arrives
        int64_t time{0};      //!< transmission time
        uint64_t psn{0};      //!< in an acknowledgement, one past the last PSN received
        uint32_t qp{0};       //!< number of the queue pair that has sent the frame
        uint32_t bytes{0};    //!< wire bytes, with FCS, preamble and gap
        uint32_t messages{0}; //!< in an acknowledgement, the number of messages received
        bool ack{false};      //!< is an acknowledgement
        bool asks{false};     //!< requests an acknowledgement
        bool ends{false};     //!< ends a message
    };

    /// The frames in an output queue of the switch, and those in flight to this queue.
    struct Queue
    {
        Fifo<Frame> frames;     //!< in the order in which they enter the switch
        std::size_t entered{0}; //!< number of frames counted as having entered the switch
        uint64_t depth{0};      //!< bytes of those frames
    };

    /// The state of a NIC port and of the switch port that leads to it.
    struct PortState
    {
        int64_t free{-1};            //!< when the NIC port has sent the present frame
        int64_t passFree{-1};        //!< when the switch port has sent the present frame
        Fifo<uint32_t> acks;         //!< queue pairs with an acknowledgement to send
        Fifo<uint32_t> data;         //!< queue pairs that may have data, in order of their turns
        std::array<Queue, 2> queues; //!< data, acknowledgements
        /// bytes of all frames in `queues`, those in flight to the switch included
        uint64_t bound{0};
        uint64_t held{0};        //!< bytes of all frames of the NIC port in queues of any port
        Fifo<Frame> arrivals;    //!< frames on the fibre from the switch
        Frame last;              //!< the last frame that the NIC port has begun to send
        uint64_t wireBytes{0};   //!< wire bytes sent by the NIC port
        uint64_t passedBytes{0}; //!< wire bytes sent by the switch port
    };

    /// The state of a queue pair; the base class is the state of its requester.
    struct QueuePairState : FastPathSender
    {
        bool queued{false};   //!< is in PortState::data
        bool readyDue{false}; //!< Ready follows the report of the acknowledged messages
        // the responder
        uint64_t expected{0}; //!< next PSN expected from the peer
        uint64_t arriving{0}; //!< number of the next message expected from the peer
        bool ackDue{false};
        uint64_t received{0};   //!< payload bytes received
        int64_t receivedAt{-1}; //!< when the last packet arrived
        uint64_t lastBytes{0};  //!< payload bytes of the last packet
        // counters
        uint64_t packets{0}; //!< data packets sent
        uint64_t bursts{0};  //!< runs of data packets sent back to back
        uint64_t acks{0};    //!< acknowledgements sent
    };

    /// The state of the star at time `now`.
    struct State
    {
        int64_t now{0};
        std::vector<PortState> ports;
        std::vector<QueuePairState> qps;
        std::vector<int64_t> due; //!< for each port, the times of the events of Kind
        int64_t deadline{NEVER};  //!< lower bound of the deadlines of all timers
        uint32_t asker{NOBODY};   //!< lowest queue pair that has just requested an acknowledgement
                                  //!< within a message
        uint64_t entered{0};      //!< frames that have entered the switch
        uint64_t depth{0};        //!< maximum depth of a switch queue so far, in bytes
    };

    /// Why Run has returned.
    enum Reason
    {
        REACHED,  //!< the time limit is reached
        VISIBLE,  //!< a message has arrived, or an awaited message is acknowledged in full; all
                  //!< arrivals at that time are processed
        TIME_OUT, //!< the next event is the expiry of a retransmission timer
        FULL,     //!< the next frame might exceed Port::most
        QUIET,    //!< no event is left
    };

    /// @param port the port to add; receives the next number
    void Add(const Port& port)
    {
        m_ports.push_back(port);
    }

    /// @param qp the queue pair to add; receives the next number
    void Add(const QueuePairEntry& qp)
    {
        m_qps.push_back(qp);
        m_messages.emplace_back();
    }

    /// @return the constants of a port
    const Port& GetPort(uint32_t port) const
    {
        return m_ports[port];
    }

    /// @return the constants of a queue pair
    const QueuePairEntry& GetQueuePair(uint32_t qp) const
    {
        return m_qps[qp];
    }

    /**
     * @brief Add a message that a queue pair sends. Call Ready to give the queue pair a turn.
     * @param state the state; the PSN limit of the queue pair advances
     * @param qp the queue pair
     * @param message the message; its PSNs follow those of the message posted before
     */
    void Post(State& state, uint32_t qp, const Message& message)
    {
        m_messages[qp].Post(message);
        state.qps[qp].limit = message.firstPsn + message.packets;
    }

    /// Append a queue pair to PortState::data if it may send a packet and is not there yet.
    void Ready(State& state, uint32_t qp) const;

    /**
     * @param qp a queue pair
     * @param number number of a message that the queue pair sends; the first message posted is 0
     * @return the message
     */
    const Message& GetMessage(uint32_t qp, uint64_t number) const
    {
        return m_messages[qp].Get(number);
    }

    /// @return number of the next message that will be posted
    uint64_t GetEndNumber(uint32_t qp) const
    {
        return m_messages[qp].GetEnd();
    }

    /// Remove the messages of a queue pair with lower numbers.
    void ForgetBefore(uint32_t qp, uint64_t number)
    {
        m_messages[qp].ForgetBefore(number);
    }

    /**
     * @brief Insert a frame into the switch queue of a port. The frame may wait in the queue or be
     * in flight to the switch.
     * @param state the state of the star
     * @param port the destination port of the frame
     * @param frame the frame; `at` is when the switch may send it
     */
    void Insert(State& state, uint32_t port, const Frame& frame) const;

    /// Compute State::due of all ports after the state has been filled in.
    void Prepare(State& state) const;

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

    /// @return when a port decides what to send if nothing arrives before, or NEVER
    int64_t GetDeparture(const State& state, uint32_t port) const
    {
        return state.due[port * KINDS + DEPARTURE];
    }

    /// Let a port send, if its next departure is at state.now.
    void Decide(State& state, uint32_t port) const;

    /// Count the frames that have entered the switch before a time.
    void Enter(State& state, int64_t before) const;

    /// @return when a frame enters, or has entered, the switch
    int64_t GetEntry(const Frame& frame) const
    {
        return frame.at - m_ports.front().hopLatency;
    }

    /// @return true if no frame is in flight, and nothing is due or waits to be sent
    bool IsQuiet(const State& state) const;

    /// @return true if the ports in use form several groups that no busy queue pairs connect
    bool IsSplit(const State& state) const;

  private:
    using Form = std::vector<int64_t>;

    /// A state, its normalised form for the detection of recurrence, and the round trips since.
    struct Checkpoint
    {
        Form form; //!< times relative to now, PSNs relative to the next PSN
        State state;
        std::vector<std::vector<int64_t>> roundTrips; //!< measured since, by queue pair
    };

    /// The events of a port.
    enum Kind : uint32_t
    {
        ARRIVAL,   //!< a frame arrives at the NIC port
        DEPARTURE, //!< the NIC port sends a frame
        PASSAGE,   //!< the switch port sends a frame
        KINDS,
    };

    /// @return true if a queue pair may send a packet
    bool HasData(const State& state, uint32_t qp) const;
    /// @return true if a queue pair has packets outstanding, or data or an acknowledgement to send
    static bool IsBusy(const QueuePairState& qp);
    /// Update the PASSAGE event of a port.
    void Await(State& state, uint32_t port) const;
    /// Process the next arrival at a port.
    /// @return true if the arrival is observable
    bool Arrive(State& state, uint32_t port, Checkpoint& last) const;
    /// Process an acknowledgement.
    /// @return true if an awaited message is finished
    bool Acknowledge(State& state, uint32_t qp, uint64_t psn, Checkpoint& last) const;
    /// Let a port send its next frame.
    /// @return false if the frame might exceed Port::most of its destination; nothing is sent then
    bool Depart(State& state, uint32_t port) const;
    /// Send an acknowledgement.
    void DepartAck(State& state, uint32_t qp) const;
    /// Send a packet.
    void DepartData(State& state, uint32_t qp) const;
    /// Send a frame from a port.
    void Send(State& state, uint32_t port, Frame frame, int64_t time) const;
    /// Let the switch send the next frame to a port.
    void Pass(State& state, uint32_t port) const;
    /// Count the frames that have entered the switch queues of a port before a time.
    void Enter(State& state, uint32_t port, int64_t before) const;
    /// Lower State::deadline to the deadline of a timer that has been started.
    static void Watch(State& state, const RdmaTimerState& timer);
    /// @return true if a timer runs out by a time, inclusive
    static bool TimesOut(State& state, int64_t by);

    // --- repetitions: fast-path-star-state.cc ---

    /// @return true if no queue pair with a lower number has data to send
    static bool IsAnchor(const State& state, uint32_t qp);
    /// Compute the normalised form of a state.
    void Normalise(const State& state, Form& form) const;
    /// @return how often the period between two states can be repeated
    int64_t CountRepetitions(const State& state, const State& last, int64_t until) const;
    /// Advance by all repetitions that fit. The normalised state must equal that of the checkpoint.
    void Repeat(State& state, int64_t until, const Checkpoint& last) const;
    /// Update a timer with the round trips of a period, `count` times.
    static void Measure(RdmaTimerState& timer,
                        const std::vector<int64_t>& roundTrips,
                        int64_t count);

    std::vector<Port> m_ports;
    std::vector<QueuePairEntry> m_qps;
    std::vector<FastPathMessages> m_messages;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAST_PATH_STAR_STATE_H
