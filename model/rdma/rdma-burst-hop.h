// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_BURST_HOP_H
#define PHOTONIC_RAILS_RDMA_BURST_HOP_H

#include "roce-header.h"

#include "ns3/light-path.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class RdmaAhead;
class TransceiverNetDevice;

/**
 * @brief A switch that two queue pairs may send through in bursts, as long as they have their ports
 * of it to themselves.
 *
 * It ends the conversation when anything else comes to one of the two ports, or could be decided
 * otherwise because of what the conversation keeps in its memory.
 */
class RdmaBurstHop
{
  public:
    virtual ~RdmaBurstHop() = default;

    /// What a flow sends through the switch.
    struct Flow
    {
        RoceHeader header;          //!< addresses and UDP ports
        uint8_t dataPriority{0};    //!< 0 to 7
        uint8_t controlPriority{0}; //!< 0 to 7
        uint32_t frameBytes{0};     //!< the largest frame, with all that goes around it
    };

    /// How a flow passes the switch.
    struct Way
    {
        TransceiverNetDevice* output{nullptr}; //!< where it leaves; null: not in bursts
        LightPath onward;                      //!< from there to the receiver
        Time latency;                          //!< of the switch
        bool cutThrough{false};                //!< it begins at the first bytes of a frame
    };

    /**
     * @param input port where the flow comes in
     * @param flow what it sends
     * @return its way, if nothing else is at these ports, acknowledgements go before data, and no
     * queue can become long enough to matter
     */
    virtual Way FindWay(TransceiverNetDevice& input, const Flow& flow) = 0;

    /**
     * @param input port where the flow comes in
     * @param flow what it sends
     * @return the same, whatever there is at these ports and however long queues become
     */
    virtual Way FindWayAmid(TransceiverNetDevice& input, const Flow& flow) = 0;

    /**
     * @brief Set apart what waits to leave by some ports, at most.
     * @param ports of the switch; their queues may be in use
     * @param bytes for each
     * @return false if that could matter
     */
    virtual bool Spare(const std::vector<TransceiverNetDevice*>& ports, uint64_t bytes) = 0;

    /// A port belongs to traffic that is computed ahead from now on.
    virtual void Join(TransceiverNetDevice& port, const Ptr<RdmaAhead>& ahead) = 0;

    /// It does not any more.
    virtual void Part(TransceiverNetDevice& port) = 0;

    /// A frame that waits to leave.
    struct Held
    {
        Ptr<Packet> frame;
        Time ready; //!< when it may
    };

    /**
     * @param output a port
     * @param held gets the frames that wait to leave there, each queue in its order
     * @return false if a turn of one of the queues has been begun
     */
    virtual bool Look(TransceiverNetDevice& output, std::vector<Held>& held) const = 0;

    /// Frames that wait to leave by a port are dealt with elsewhere.
    virtual void Empty(TransceiverNetDevice& output) = 0;

    /**
     * @brief Count frames that have been taken in, in a burst.
     * @param frames how many
     * @param depth bytes in the longest queue that they have made
     */
    virtual void CountBurst(uint64_t frames, uint64_t depth) = 0;

    /**
     * @brief A frame is on its way to the switch, or arrives just now.
     * @param sender the port at the other end of its fibre
     * @param path from there
     * @param frame the frame
     * @param at when its last bit arrives
     * @param now it is taken in at this very instant
     */
    virtual void Expect(TransceiverNetDevice& sender,
                        const LightPath& path,
                        Ptr<Packet> frame,
                        const Time& at,
                        bool now) = 0;

    /**
     * @brief A frame has been taken in and has not left; frames come in the order of their queue.
     * @param input where it came in
     * @param output where it will leave
     * @param frame the frame
     * @param ready when it may
     */
    virtual void Hold(TransceiverNetDevice& input,
                      TransceiverNetDevice& output,
                      Ptr<Packet> frame,
                      const Time& ready) = 0;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_BURST_HOP_H
