// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAST_PATH_H
#define PHOTONIC_RAILS_FAST_PATH_H

#include "roce-header.h"

#include "ns3/light-path.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/recurring-event.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

class RdmaNic;
class RdmaQueuePair;
class EthernetPortNetDevice;
class MacClient;

/**
 * @brief Base class of the fast path: computes the traffic of a set of ports ahead of simulated
 * time, without an event for each packet, until these ports receive other traffic.
 *
 * The NIC ports are the ends of a FastPath and are numbered from 0. Each end, and each port of a
 * switch between the ends, holds a reference to the FastPath and queries the state of its traffic.
 */
class FastPath : public SimpleRefCount<FastPath>
{
  public:
    virtual ~FastPath() = default;

    /// @return true if the fast path computes the traffic of a queue pair
    virtual bool Has(const RdmaQueuePair& queuePair) const = 0;
    /// @return true if no frame is in flight, and nothing is due or waits to be sent
    virtual bool IsQuiet() const = 0;
    /// @return true if a port is sending: an end, or an output port of a switch between the ends
    virtual bool IsSending(const EthernetPortNetDevice& port) const = 0;

    /**
     * @brief Take over the messages that a queue pair has posted. Its port decides what to send
     * later at the same simulated time.
     * @return false if the fast path does not take the messages: the queue pair does not belong to
     * it, or the fast path has nothing else to compute and packets can take over
     */
    virtual bool Posted(const RdmaQueuePair& queuePair) = 0;
    /// Let the port of an end decide what to send at this simulated time.
    virtual void Decide(const EthernetPortNetDevice& port) = 0;
    /// The port of an end processes its arrivals: report the messages that have arrived there, and
    /// those acknowledged there, by now. May end and release the fast path.
    virtual void DeliverDue(const EthernetPortNetDevice& port) = 0;
    /// Update the counters of all ends to the present.
    virtual void Settle() = 0;
    /// End the fast path: convert all traffic in flight into packets.
    virtual void Leave() = 0;
    /// End the fast path without creating packets, because the simulation is being destroyed.
    virtual void Abandon() = 0;

  protected:
    /// The next observable event of an end, such as a message that arrives.
    struct Outlook
    {
        Ptr<RecurringEvent> wake;                               //!< calls Woken for the end
        int64_t wakeAt{0};                                      //!< when `wake` is due, if pending
        int64_t visibleAt{std::numeric_limits<int64_t>::max()}; //!< when the event happens
    };

    /// @return the present, in time steps
    static int64_t Now();
    /// @return an Outlook for an end, without a scheduled event
    Outlook MakeOutlook(uint32_t end);
    /**
     * @brief Schedule Woken for an end, in the context of the node of its port.
     * @param outlook the outlook of the end
     * @param end the number of the end
     * @param port the port of the end
     * @param at the time, in time steps
     */
    void WakeAt(Outlook& outlook, uint32_t end, const EthernetPortNetDevice& port, int64_t at);
    /**
     * @brief Process the arrivals of an end, and schedule Woken again if its observable event is
     * not due yet.
     * @param outlook the outlook of the end
     * @param end the number of the end
     * @param port the port of the end
     * @param nic the NIC of the port
     * @param ends true if the fast path cannot compute the event that is due (a time-out, for
     * example). When that event is due, the NIC interrupts the fast path instead.
     */
    void WakeUp(Outlook& outlook,
                uint32_t end,
                EthernetPortNetDevice& port,
                RdmaNic& nic,
                bool ends);

    bool m_over{false}; //!< the fast path has ended and packets have taken over

  private:
    /// Called when the observable event of an end may be due.
    virtual void Woken(uint32_t end) = 0;
};

/**
 * @brief Interface of a switch that the fast path can compute traffic through, as long as no other
 * traffic uses these ports of the switch.
 *
 * The switch ends the fast path (FastPath::Leave) when another frame reaches one of these ports,
 * and when a decision about another frame could depend on the buffer space that the fast path
 * occupies.
 */
class FastPathHop
{
  public:
    virtual ~FastPathHop() = default;

    /// The frames of a flow through the switch.
    struct Flow
    {
        RoceHeader header;          //!< addresses and UDP ports
        uint8_t dataPriority{0};    //!< 0 to 7
        uint8_t controlPriority{0}; //!< 0 to 7
        /// Wire bytes of the largest frame, with FCS, preamble and gap.
        uint32_t frameBytes{0};
    };

    /// The path of a flow through the switch.
    struct Way
    {
        EthernetPortNetDevice* output{nullptr}; //!< output port; null: no fast path
        LightPath onward;                       //!< from the output port to the receiver
        Time latency;                           //!< forwarding latency of the switch
        bool cutThrough{false};                 //!< forwarding begins with the header of a frame
    };

    /**
     * @brief Find the path of a flow.
     * @param input the input port
     * @param flow the frames of the flow
     * @return the path; `output` is null if acknowledgements do not precede data, or if the switch
     * is observed or has no path for the flow
     */
    virtual Way FindWay(EthernetPortNetDevice& input, const Flow& flow) = 0;

    /// Append the ports at the far ends of the fibers of all ports.
    virtual void ListNeighbours(std::vector<EthernetPortNetDevice*>& ports) const = 0;

    /**
     * @brief Reserve buffer space for the frames from and to some ports of the switch.
     * @param ports ports of the switch; their queues may hold frames
     * @param longest most bytes from each port, and most bytes for each port
     * @param bytes most bytes of all these frames
     * @param isShared true if the buffer must suffice for as many bytes at every port of the switch
     * @return false if the buffer is too small
     */
    virtual bool Spare(const std::vector<EthernetPortNetDevice*>& ports,
                       uint64_t longest,
                       uint64_t bytes,
                       bool isShared) = 0;

    /// Assign a port to a fast path, which computes its traffic from now on, also that of the
    /// frames in its output queues.
    virtual void Join(EthernetPortNetDevice& port, const Ptr<FastPath>& ahead) = 0;

    /// Release a port that was assigned by Join.
    virtual void Part(EthernetPortNetDevice& port) = 0;

    /// A frame in an output queue.
    struct Held
    {
        Ptr<Packet> frame;
        Time ready; //!< earliest time to send it
    };

    /**
     * @brief List the frames in the output queues of a port.
     * @param output the port
     * @param held receives the frames, queue by queue, each queue in order
     * @return false if the scheduler is in the middle of the turn of a queue
     */
    virtual bool Look(EthernetPortNetDevice& output, std::vector<Held>& held) const = 0;

    /**
     * @brief Add frames that the switch has received on the fast path to its counters.
     * @param frames number of frames
     * @param depth maximum depth of a queue that these frames caused, in bytes
     */
    virtual void CountBurst(uint64_t frames, uint64_t depth) = 0;

    /**
     * @brief Put a frame onto the fiber to the switch when the fast path ends.
     * @param sender the port at the far end of the fiber
     * @param path the path from the sender to the switch
     * @param frame the frame
     * @param at when the last bit of the frame arrives
     * @param now true if the switch receives the frame at this simulated time
     */
    virtual void Expect(EthernetPortNetDevice& sender,
                        const LightPath& path,
                        Ptr<Packet> frame,
                        const Time& at,
                        bool now) = 0;

    /**
     * @brief Put a frame into an output queue when the fast path ends. Frames of a queue are passed
     * in the order of the queue.
     * @param input the port that has received the frame
     * @param output the port that will send the frame
     * @param frame the frame
     * @param ready earliest time to send the frame
     */
    virtual void Hold(EthernetPortNetDevice& input,
                      EthernetPortNetDevice& output,
                      Ptr<Packet> frame,
                      const Time& ready) = 0;
};

/// Interface of a MAC client that fast paths can pass through.
class FastPathHopOwner
{
  public:
    virtual ~FastPathHopOwner() = default;

    /// @return the fast paths through this MAC client
    virtual FastPathHop& GetFastPathHop() = 0;

    /// @return the fast paths through a MAC client, or null if fast paths end there
    static FastPathHop* Find(MacClient* client);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAST_PATH_H
