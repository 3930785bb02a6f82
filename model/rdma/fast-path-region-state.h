// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAST_PATH_REGION_STATE_H
#define PHOTONIC_RAILS_FAST_PATH_REGION_STATE_H

#include "fast-path-sender.h"
#include "rdma-responder.h"

#include "ns3/fifo.h"
#include "ns3/recycled.h"

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

class FastPathRepetitions;

/**
 * @brief Computes when each packet and acknowledgement of queue pairs leaves and arrives, without
 * an event or a packet for any of them.
 *
 * The queue pairs may share NIC ports and ports of switches, and have circuits or any number of
 * switches in a row between them. The initial state may contain frames in flight.
 *
 * A queue pair that has its port to itself sends a run of equal packets back to back between two
 * packets that request an acknowledgement. The run is one Frame with a count, computed in one step,
 * at its port and at the outputs of switches. When something else becomes due at a link during a
 * run, TakeBack shortens the run at the next packet boundary: the remaining packets have not begun
 * to leave, so no node has been affected. FastPathRepetitions
 * computes periods that repeat at once.
 *
 * The rules are those of RdmaNic, RdmaRequester and RdmaResponder without congestion control and
 * losses, and of an ElectricalSwitch that does not pause, mark or drop. Arrivals at a simulated
 * time are processed before ports decide what to send at that time. Acknowledgements precede data.
 * The queue pairs of a port take turns, one packet per turn. A switch receives the frames that
 * enter at the same time in the order of its inputs. All links have the same rate.
 *
 * Only messages are added to a FastPathRegionState after its setup. All progress is in a State, a
 * value that can be copied to look ahead. Times are in time steps. The class does not use the
 * simulator.
 */
class FastPathRegionState
{
  public:
    using Message = FastPathMessage;
    using Size = FastPathSize;

    /// The time of an event that never happens.
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();
    static constexpr uint32_t NOBODY = 0xffffffff; //!< no queue pair, or no link

    /// Elements of a region, without memory of their own in a region of two ports.
    template <typename T, std::size_t PER_PORT = 1>
    using Small = boost::container::small_vector<T, 2 * PER_PORT>;

    /// The numbers of the outputs of switches on a path.
    using Route = Small<uint32_t>;

    /// The constants of a link: the output port of a NIC or of a switch, and the fiber behind it.
    struct Link
    {
        int64_t delay{0};         //!< propagation delay
        int64_t toNext{0};        //!< from the last bit sent until the next switch receives the
                                  //!< frame; with cut-through, from the first bit sent
        bool cutThrough{false};   //!< the next switch receives a frame when its header arrives
        uint32_t input{0};        //!< rank of the link among the inputs of the next switch
        int64_t latency{0};       //!< of the switch that sends over this link, from the reception
                                  //!< of a frame until the switch may send the frame
        uint32_t outsideBytes{0}; //!< wire bytes of a frame that take no buffer space
    };

    /// The constants of a queue pair.
    struct QueuePairEntry
    {
        uint32_t port{0};     //!< number of its port, which is the number of its first link
        uint32_t peer{0};     //!< number of the peer queue pair
        Route route;          //!< links from switches that its frames take to the peer
        Size ack;             //!< size of an acknowledgement
        uint64_t mtu{1};      //!< payload bytes of a full packet
        uint32_t window{1};   //!< most packets in flight
        uint32_t ackEvery{1}; //!< packets per acknowledgement
        RdmaTimeoutBounds timeout;
    };

    /// A packet, a run of equal packets back to back, or an acknowledgement, in flight.
    struct Frame
    {
        int64_t at{0};     //!< when the switch may send the first packet; behind the last switch,
                           //!< when the last bit of the first packet arrives
        int64_t time{0};   //!< transmission time of a packet
        uint64_t psn{0};   //!< of the first packet; in an acknowledgement, one past the last PSN
                           //!< received
        uint32_t qp{0};    //!< number of the queue pair that has sent the frame
        uint32_t bytes{0}; //!< wire bytes of a packet, with FCS, preamble and gap
        uint32_t messages{0}; //!< in an acknowledgement, the number of messages received
        uint32_t count{1};    //!< packets; 1 unless Matters is false
        uint32_t entered{0};  //!< packets counted as having entered the switch
        uint8_t hop{0};       //!< index in the route of the link that sends the frame next
        bool ack{false};      //!< is an acknowledgement
        bool asks{false};     //!< requests an acknowledgement
        bool ends{false};     //!< ends a message

        /// @return true if the arrival does more than advance the expected PSN
        bool Matters() const
        {
            return ack || asks || ends;
        }

        /**
         * @brief Remove the packets of a run from an index on.
         * @param kept the index
         * @return the run of the removed packets
         */
        Frame Split(uint32_t kept);
    };

    /// The frames in an output queue of a switch, and those in flight to this queue.
    struct Queue
    {
        Fifo<Frame, 4> frames;  //!< in the order in which they enter the switch
        std::size_t entered{0}; //!< all packets of so many frames have entered, or of more frames
        uint64_t depth{0};      //!< bytes that have entered and have not begun to leave
    };

    /// The state of a link.
    struct LinkState
    {
        int64_t free{-1};      //!< when the port has sent the present frame
        uint64_t wireBytes{0}; //!< wire bytes sent
        uint64_t held{0};      //!< bytes of frames, sent over this link, that the next switch holds
        Frame last; //!< the last frame that the port has begun to send; at a switch, `at` is when
                    //!< its first packet was ready

        /// @return when the port began to send the last frame
        int64_t GetStart() const
        {
            return free - last.count * last.time;
        }
    };

    /// The state of an output of a switch in addition to that of its link.
    struct Output
    {
        std::array<Queue, 2> queues; //!< data, acknowledgements
        /// bytes of all frames in `queues`, those in flight to the switch included, and of `last`
        uint64_t bound{0};
        uint64_t entered{0};  //!< frames that have entered the queues
        uint64_t maxDepth{0}; //!< maximum depth of a queue so far, in bytes
        uint32_t begun{1};    //!< packets of LinkState::last that no longer count in `bound`
    };

    /// The state of a NIC port in addition to that of its link.
    struct PortState
    {
        Fifo<uint32_t, 4> acks;  //!< queue pairs with an acknowledgement to send
        Fifo<uint32_t, 4> data;  //!< queue pairs that may have data, in order of their turns
        Fifo<Frame, 4> arrivals; //!< frames on the last link of their way to the port
    };

    /// The state of a queue pair; the base classes are the states of its requester and responder.
    struct QueuePairState : FastPathSender, RdmaReceiverState
    {
        bool queued{false};   //!< is in PortState::data
        bool readyDue{false}; //!< Ready follows the report of the acknowledged messages
        // the responder
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

    /// The state of the region at time `now`.
    struct State : Recycled<State>
    {
        // Not defaulted: std::make_unique would set all bytes to 0 first.
        State()
        {
        }

        int64_t now{0};
        Small<LinkState, 2> links; //!< those of NIC ports first
        Small<PortState> ports;
        std::vector<Output> outputs; //!< of the links behind those of NIC ports
        Small<QueuePairState> qps;
        Small<int64_t, 2> sends;    //!< for each link, when its port decides what to send
        Small<int64_t, 2> arrivals; //!< for each NIC port, when the next frame that matters arrives
        int64_t deadline{NEVER};    //!< lower bound of the deadlines of all timers
        uint32_t asker{NOBODY};     //!< lowest queue pair that has just requested an
                                    //!< acknowledgement within a message
    };

    /// Why Run has returned.
    enum Reason
    {
        REACHED,  //!< the time limit is reached
        VISIBLE,  //!< a message arrives, or an awaited message is acknowledged in full
        TIME_OUT, //!< the next event is the expiry of a retransmission timer
        FULL,     //!< the next frame might exceed the limit of the queues
        QUIET,    //!< no event is left
    };

    /// @param link the link of a NIC port to add; receives the next number. All ports come before
    /// all outputs.
    void AddPort(const Link& link)
    {
        m_links.push_back(link);
        ++m_ports;
    }

    /// @param link the link of an output of a switch to add; receives the next number
    void AddOutput(const Link& link)
    {
        m_links.push_back(link);
    }

    /// @param qp the queue pair to add; receives the next number
    void Add(const QueuePairEntry& qp)
    {
        m_qps.push_back(qp);
        m_messages.emplace_back();
    }

    /// @param bytes limit of LinkState::held and of Output::bound, for all links
    void SetLimit(uint64_t bytes)
    {
        m_limit = bytes;
    }

    /// @return the largest LinkState::held or Output::bound of a state
    uint64_t GetLongest(const State& state) const;

    /// @return the constants of a link
    const Link& GetLink(uint32_t link) const
    {
        return m_links[link];
    }

    /// @return the number of NIC ports, whose links come first
    uint32_t GetNPorts() const
    {
        return m_ports;
    }

    /// @return the number of queue pairs
    uint32_t GetNQueuePairs() const
    {
        return static_cast<uint32_t>(m_qps.size());
    }

    /// @return the constants of a queue pair
    const QueuePairEntry& GetQueuePair(uint32_t qp) const
    {
        return m_qps[qp];
    }

    /// @return a state without frames
    State MakeState() const;

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

    /// @return the state of the output that is link `link`
    Output& GetOutput(State& state, uint32_t link) const
    {
        return state.outputs[link - m_ports];
    }

    /// @return the link over which a frame in a queue of a switch has come, or comes, to the switch
    uint32_t GetInput(const Frame& frame) const
    {
        const QueuePairEntry& qp = m_qps[frame.qp];
        return frame.hop == 0 ? qp.port : qp.route[frame.hop - 1];
    }

    /// @return the link over which the frames of a queue pair reach the port of its peer
    uint32_t GetLastLink(uint32_t qp) const
    {
        return m_qps[qp].route.empty() ? m_qps[qp].port : m_qps[qp].route.back();
    }

    /**
     * @brief Insert a frame into the queue of a switch that frame.hop selects. The frame may wait
     * in the queue or be in flight to the switch.
     * @param state the state of the region
     * @param frame the frame; `at` is when the switch may send it
     */
    void Insert(State& state, const Frame& frame) const;

    /// Compute State::sends and State::arrivals after the state has been filled in.
    void Prepare(State& state) const;

    /**
     * @brief Advance a state to the next observable event, at most to a time limit. Observable
     * events are those of VISIBLE.
     * @param state the state to advance
     * @param until the time limit; nothing is sent at this time
     * @param arrivals true to process the arrivals at the time at which Run stops; false to leave
     * them to TakeArrivals
     * @return the reason for stopping. After VISIBLE, state.now is the time of the event, and
     * nothing has been sent at that time
     */
    Reason Run(State& state, int64_t until, bool arrivals) const;

    /// @return when a NIC port decides what to send if nothing arrives before, or NEVER
    int64_t GetDeparture(const State& state, uint32_t port) const
    {
        return state.sends[port];
    }

    /// @return true if a frame arrives at a NIC port at state.now whose arrival is observable
    bool IsVisible(const State& state, uint32_t port) const
    {
        return state.arrivals[port] == state.now && IsNextVisible(state, port);
    }

    /// Process the frames that arrive at a NIC port at state.now.
    void TakeArrivals(State& state, uint32_t port) const
    {
        if (state.arrivals[port] == state.now)
        {
            ArriveNow(state, port);
        }
    }

    /// Let a NIC port send, if its next departure is at state.now.
    void Decide(State& state, uint32_t port) const;

    /// Count the frames that have entered the switches before a time.
    void Enter(State& state, int64_t before) const;

    /**
     * @brief Process the packets of runs that have arrived at a NIC port.
     * @param state the state at the present
     * @param port the port
     * @param until the time, inclusive
     */
    void Absorb(State& state, uint32_t port, int64_t until) const;

    /// Shorten the runs that all links are sending to the packets that began before state.now, and
    /// to at least one packet.
    void Cut(State& state) const;

    /// @return when a frame enters, or has entered, the switch of a queue
    int64_t GetEntry(const Frame& frame) const
    {
        return frame.at - m_links[m_qps[frame.qp].route[frame.hop]].latency;
    }

    /// @return true if no frame is in flight, and nothing is due or waits to be sent
    bool IsQuiet(const State& state) const;

    /// @return true if the links in use form several groups that no busy queue pairs connect
    bool IsSplit(const State& state) const;

  private:
    // The functions of each step are inline: a shared library could otherwise not inline them. A
    // frame that is built and copied at once has to stay in registers.

    /// @return true if a queue pair may send a packet
    inline bool HasData(const State& state, uint32_t qp) const;
    /// @return true if a queue pair has packets outstanding, or data or an acknowledgement to send
    static bool IsBusy(const QueuePairState& qp);
    /// Update the time at which an output of a switch sends.
    inline void Await(State& state, uint32_t link) const;
    /// @return the next frame that matters among those in flight to a NIC port, or null
    static inline const Frame* FindMattering(const State& state, uint32_t port);
    /// Update the time at which the next frame that matters arrives at a NIC port.
    inline void AwaitArrival(State& state, uint32_t port) const;
    /// @return the time at which a NIC port sends
    inline int64_t FindDeparture(const State& state, uint32_t port) const;
    /// @return true if the next arrival at a port is observable
    bool IsNextVisible(const State& state, uint32_t port) const;
    /// Process the arrivals at a port at state.now.
    void ArriveNow(State& state, uint32_t port) const;
    /// Process the next arrival at a port.
    /// @return true if the arrival is observable
    inline bool Arrive(State& state, uint32_t port, FastPathRepetitions& repetitions) const;
    /// Process an acknowledgement.
    /// @return true if an awaited message is finished
    inline bool Acknowledge(State& state,
                            uint32_t qp,
                            uint64_t psn,
                            FastPathRepetitions& repetitions) const;
    /// Let a NIC port send its next frame.
    /// @return false if the frame might exceed the limit; nothing is sent then
    inline bool Depart(State& state, uint32_t port) const;
    /// @return an acknowledgement that a queue pair sends now
    [[gnu::always_inline]] inline Frame DepartAck(State& state, uint32_t qp) const;
    /// @return a packet that a queue pair sends now, or a run if the queue pair is alone
    [[gnu::always_inline]] inline Frame DepartData(State& state, uint32_t qp, bool alone) const;
    /// Let a switch send its next frame over a link.
    /// @return false if the frame might exceed the limit; nothing is sent then
    inline bool Pass(State& state, uint32_t link) const;

    /// @return true if queues cannot grow: two queue pairs without others never queue more than the
    /// pipeline of a switch and a few packets, because all links have the same rate
    bool IsLone() const
    {
        return m_qps.size() == 2;
    }

    /// @param state the state of the region
    /// @param link the link
    /// @param frame the frame; `hop` selects the output
    /// @return for how many packets of a frame a link, and the output to which it leads, have room
    inline uint32_t CountRoom(State& state, uint32_t link, const Frame& frame) const;
    /// Send a frame over a link, to the queue that frame.hop selects or to the port of its peer.
    [[gnu::always_inline]] inline void Send(State& state, uint32_t link, Frame& frame) const;
    /// Append a frame, or lengthen the run before it that the frame continues.
    template <typename Frames>
    [[gnu::always_inline]] static inline void Append(Frames& frames, const Frame& frame);
    /// Count the packets that have entered the queues of an output before a time.
    void Enter(State& state, uint32_t link, int64_t before) const;
    /// Count packets of a frame that have entered the queue of an output before a time.
    /// @return true if all packets have entered
    inline bool Enter(State& state, uint32_t link, Frame& frame, int64_t before) const;
    /// Release the memory of the packets of LinkState::last that have begun before a time.
    inline void Release(State& state, uint32_t link, int64_t before) const;
    /// @return the number of packets of a frame in a queue that precede a packet
    inline uint32_t CountBefore(const Frame& frame, const Frame& packet) const;

    // --- shorter runs ---

    /// Shorten the run that a link is sending to the packets that begin before a time, and to at
    /// least one packet.
    /// @return the other packets, possibly none
    inline Frame TakeBack(State& state, uint32_t link, int64_t from) const;
    /// Shorten the run that a link is sending.
    /// @return the packets from index `kept` on
    Frame Shorten(State& state, uint32_t link, uint32_t kept) const;
    /// Shorten the run of a NIC port to the packets that began before state.now.
    inline void CutPort(State& state, uint32_t port) const;
    /// Put packets that an output has taken back first into its queue.
    void PutBack(State& state, uint32_t link, Frame frame) const;
    /// Remove the packets of a queue pair from a PSN on.
    /// @return their number
    template <typename Frames>
    static uint32_t Remove(Frames& frames, const Frame& from);

    /// Lower State::deadline to the deadline of a timer that has been started.
    static inline void Watch(State& state, const RdmaTimerState& timer);
    /// @return true if a timer runs out by a time, inclusive
    static inline bool TimesOut(State& state, int64_t by);

    uint32_t m_ports{0}; //!< number of NIC ports, whose links come first
    uint64_t m_limit{0};
    Small<Link, 2> m_links;
    Small<QueuePairEntry> m_qps;
    Small<FastPathMessages> m_messages;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAST_PATH_REGION_STATE_H
