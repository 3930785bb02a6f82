// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_BURST_STAR_H
#define PHOTONIC_RAILS_RDMA_BURST_STAR_H

#include "rdma-burst-line.h"
#include "rdma-timer-state.h"

#include "ns3/fifo.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Ports around one switch and the queue pairs that share them: when each of their packets
 * and acknowledgements leaves and arrives.
 *
 * What RdmaBurstLine is to two queue pairs alone on their way, this is to several: frame by frame,
 * as queue pairs take turns at a port and frames meet at the ports of the switch, but without an
 * event or a packet for any of them. The state may begin with frames under way.
 *
 * Rules are those of RdmaNic, RdmaRequester and RdmaResponder without congestion control and
 * losses, and of an ElectricalSwitch that neither pauses, marks nor drops: at an instant all that
 * arrives is taken in before ports decide what to send; acknowledgements go before data; queue
 * pairs of a port take turns, a packet each; the switch takes what comes in at one instant in the
 * order of its ports. All ports have the same rate.
 *
 * The star is constant but for the messages; what moves is a State, a value that can be copied to
 * look ahead. Times are steps of simulated time. There is no simulator in here.
 */
class RdmaBurstStar
{
  public:
    using Message = RdmaBurstLine::Message;
    using Size = RdmaBurstLine::Size;

    /// No time at all: nothing will happen.
    static constexpr int64_t NEVER = RdmaBurstLine::NEVER;
    static constexpr uint32_t NOBODY = 0xffffffff;

    /// What a port is like; they are in the order of the ports of the switch that they lead to.
    struct Port
    {
        int64_t delay{0};         //!< from the switch to it
        int64_t toHop{0};         //!< from the last bit that leaves until the switch takes it in;
                                  //!< in cut-through, from the first
        bool cutThrough{false};   //!< the switch takes frames in when their first bytes arrive
        int64_t hopLatency{0};    //!< from then until it may leave
        uint32_t outsideBytes{0}; //!< bytes around a frame that take no room in a queue
        uint64_t most{0}; //!< bytes that may be on their way to where the switch sends to it
    };

    /// What a queue pair is like; two of them that talk are a flow each.
    struct Talker
    {
        uint32_t port{0};
        uint32_t peer{0}; //!< number of the other
        Size ack;
        uint64_t mtu{1};      //!< payload bytes of a full packet
        uint32_t window{1};   //!< packets under way
        uint32_t ackEvery{1}; //!< packets to an acknowledgement
        uint32_t firstMsn{0}; //!< messages that had arrived before the first one that is known here
        RdmaTimeoutBounds timeout;
    };

    /// A packet or an acknowledgement on its way.
    struct Frame
    {
        int64_t at{0};      //!< when the switch may send it; after that, when its last bit arrives
        int64_t time{0};    //!< that it takes on the fibre
        uint64_t psn{0};    //!< of an acknowledgement, one past what had arrived
        uint32_t talker{0}; //!< who has sent it
        uint32_t bytes{0};  //!< with all that goes around it
        uint32_t messages{0}; //!< that had arrived, of an acknowledgement
        bool ack{false};
        bool asks{false}; //!< for an acknowledgement
        bool ends{false}; //!< a message
    };

    /// What waits to leave the switch by a port, or is on its way there.
    struct Queue
    {
        Fifo<Frame> frames;     //!< in the order in which the switch takes them in
        std::size_t entered{0}; //!< so many of them have been counted in
        uint64_t depth{0};      //!< their bytes
    };

    /// A port at some time.
    struct PortState
    {
        int64_t free{-1};            //!< when it has sent what it is sending
        int64_t passFree{-1};        //!< and that of the switch that leads to it
        Fifo<uint32_t> acks;         //!< talkers with an acknowledgement to send
        Fifo<uint32_t> data;         //!< talkers that may have data, in turn
        std::array<Queue, 2> queues; //!< data, acknowledgements
        uint64_t bound{0};           //!< bytes of all frames in them
        Fifo<Frame> arrivals;        //!< on the fibre from the switch
        Frame last;                  //!< that it has sent, or is sending
        uint64_t wireBytes{0};       //!< that have occupied its fibre
        uint64_t passedBytes{0};     //!< and that from the switch
    };

    /// A queue pair at some time; its requester is the sender.
    struct TalkerState : RdmaBurstSender
    {
        bool queued{false};   //!< in turn
        bool readyDue{false}; //!< comes in turn when what is acknowledged has been reported
        // the responder
        uint64_t expected{0}; //!< PSN of the peer that arrives next
        uint64_t arriving{0}; //!< number of the message of the peer that arrives next
        bool ackDue{false};
        uint64_t received{0};   //!< payload bytes
        int64_t receivedAt{-1}; //!< when the last packet came
        uint64_t lastBytes{0};  //!< its payload
        // what has been sent
        uint64_t packets{0};
        uint64_t bursts{0}; //!< runs of packets that nothing came between
        uint64_t acks{0};
    };

    /// All of it at a time.
    struct State
    {
        int64_t now{0};
        std::vector<PortState> ports;
        std::vector<TalkerState> talkers;
        std::vector<int64_t> due; //!< of each port: next arrival, departure, and that of the switch
        int64_t deadline{NEVER};  //!< no timer runs out before
        uint32_t asker{NOBODY};   //!< who has just asked for an acknowledgement amid a message
        uint64_t entered{0};      //!< frames that the switch has taken in
        uint64_t depth{0};        //!< bytes in the longest queue that they have made
    };

    /// Why Run has returned.
    enum Reason
    {
        REACHED,  //!< the time that was asked for
        VISIBLE,  //!< a message has arrived, or one that is awaited is acknowledged in full; what
                  //!< arrives is taken in
        TIME_OUT, //!< a retransmission timer would run out next
        FULL,     //!< what would be sent next may be too much for a queue of the switch
        QUIET,    //!< nothing is going to happen
    };

    /// @param port added with the next number
    void Add(const Port& port)
    {
        m_ports.push_back(port);
    }

    /// @param talker added with the next number
    void Add(const Talker& talker)
    {
        m_talkers.push_back(talker);
        m_messages.emplace_back();
    }

    /// @return what a port is like
    const Port& GetPort(uint32_t port) const
    {
        return m_ports[port];
    }

    /// @return what a queue pair is like
    const Talker& GetTalker(uint32_t talker) const
    {
        return m_talkers[talker];
    }

    /**
     * @brief A queue pair has more to send; it comes in turn by Ready.
     * @param state its limit moves
     * @param talker the queue pair
     * @param message follows what has been posted before
     */
    void Post(State& state, uint32_t talker, const Message& message)
    {
        m_messages[talker].Post(message);
        state.talkers[talker].limit = message.firstPsn + message.packets;
    }

    /// A queue pair comes in turn, if it has something that it may send and is not in turn yet.
    void Ready(State& state, uint32_t talker) const;

    /**
     * @param talker a queue pair
     * @param number of a message that it sends, counted from the first that was posted
     */
    const Message& GetMessage(uint32_t talker, uint64_t number) const
    {
        return m_messages[talker].Get(number);
    }

    /// @return number of the next message that will be posted
    uint64_t GetEndNumber(uint32_t talker) const
    {
        return m_messages[talker].GetEnd();
    }

    /// Forget messages of a queue pair that come before a number.
    void ForgetBefore(uint32_t talker, uint64_t number)
    {
        m_messages[talker].ForgetBefore(number);
    }

    /**
     * @brief Let a frame be on its way to where the switch sends to a port, or wait there.
     * @param state of the star
     * @param port where it is going to arrive
     * @param frame it
     */
    void Insert(State& state, uint32_t port, const Frame& frame) const;

    /// Work out what happens next at all ports, after the state has been filled in.
    void Prepare(State& state) const;

    /**
     * @brief Let time pass until something can be seen from outside, at most until some time.
     * @param state moves on
     * @param until what arrives then is taken in, if `arrivals`, but nothing is sent any more
     * @param arrivals at `until` are taken in
     * @return why it has stopped; after VISIBLE, state.now says when, and nothing has been sent
     * since
     */
    Reason Run(State& state, int64_t until, bool arrivals) const;

    /// @return when a port decides what to send, if nothing happens before; NEVER
    int64_t GetDeparture(const State& state, uint32_t port) const
    {
        return state.due[port * KINDS + DEPARTURE];
    }

    /// Let a port send, if it is about to at state.now.
    void Decide(State& state, uint32_t port) const;

    /// Count in what the switch has taken in before some time.
    void Enter(State& state, int64_t before) const;

    /// @return when the switch takes in a frame that is on its way to it, or has
    int64_t GetEntry(const Frame& frame) const
    {
        return frame.at - m_ports.front().hopLatency;
    }

    /// @return true if nothing is under way, due or to be sent
    bool IsQuiet(const State& state) const;

    /// @return true if there is no way from each port that is in use to each other by queue pairs
    /// that have something to do
    bool IsSplit(const State& state) const;

  private:
    using Form = std::vector<int64_t>;

    /// A state, in the form in which it recurs, too, and what has been measured since.
    struct Checkpoint
    {
        Form form; //!< relative to now and to next PSNs
        State state;
        std::vector<std::vector<int64_t>> roundTrips; //!< of each queue pair
    };

    /// What may be due at a port.
    enum Kind : uint32_t
    {
        ARRIVAL,
        DEPARTURE,
        PASSAGE,
        KINDS,
    };

    /// @return true if a queue pair has a packet that it may send
    bool HasData(const State& state, uint32_t talker) const;
    /// @return true if it has something outstanding or to send
    static bool IsBusy(const TalkerState& talker);
    /// Something waits at a port, or at the port of the switch that leads to it.
    void Await(State& state, uint32_t port) const;
    /// Take in what arrives at a port; returns true if that can be seen.
    bool Arrive(State& state, uint32_t port, Checkpoint& last) const;
    /// Take in an acknowledgement; returns true if an awaited message is finished.
    bool Acknowledge(State& state, uint32_t talker, uint64_t psn, Checkpoint& last) const;
    /// A port sends what is next; returns false if that may be too much.
    bool Depart(State& state, uint32_t port) const;
    /// Send an acknowledgement.
    void DepartAck(State& state, uint32_t talker) const;
    /// Send a packet.
    void DepartData(State& state, uint32_t talker) const;
    /// A frame leaves a port.
    void Send(State& state, uint32_t port, Frame frame, int64_t time) const;
    /// The switch sends what is next to a port.
    void Pass(State& state, uint32_t port) const;
    /// Count in what has been taken in before some time to leave by a port.
    void Enter(State& state, uint32_t port, int64_t before) const;
    /// A timer has been started.
    static void Watch(State& state, const RdmaTimerState& timer);
    /// @return true if a timer runs out by some time
    static bool TimesOut(State& state, int64_t by);

    // --- repetitions: rdma-burst-star-repetition.cc ---

    /// @return true if a queue pair is the first of those that have something to send
    static bool IsAnchor(const State& state, uint32_t talker);
    /// Bring a state into the form in which it recurs.
    void Normalise(const State& state, Form& form) const;
    /// @return how often what has happened between two states can be repeated
    int64_t CountRepetitions(const State& state, const State& last, int64_t until) const;
    /// Move on by all repetitions that fit, as the star is in the state of the checkpoint again.
    void Repeat(State& state, int64_t until, const Checkpoint& last) const;
    /// The same round trips are measured a number of times.
    static void Measure(RdmaTimerState& timer,
                        const std::vector<int64_t>& roundTrips,
                        int64_t count);

    std::vector<Port> m_ports;
    std::vector<Talker> m_talkers;
    std::vector<RdmaBurstMessages> m_messages;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_BURST_STAR_H
