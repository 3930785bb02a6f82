// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_BURST_HOP_H
#define PHOTONIC_RAILS_RDMA_BURST_HOP_H

#include "roce-header.h"

#include "ns3/light-path.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>

namespace ns3
{

class RdmaConversation;
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

    /// Two ports belong to a conversation from now on.
    virtual void Join(TransceiverNetDevice& one,
                      TransceiverNetDevice& other,
                      const Ptr<RdmaConversation>& conversation) = 0;

    /// They do not any more.
    virtual void Part(TransceiverNetDevice& one, TransceiverNetDevice& other) = 0;

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
