// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_FAST_PATHS_H
#define PHOTONIC_RAILS_SWITCH_FAST_PATHS_H

#include "switch-buffer.h"
#include "switch-forwarding.h"
#include "switch-queues.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/fast-path.h"
#include "ns3/nstime.h"
#include "ns3/recurring-event.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/// A port of a switch.
struct SwitchPort
{
    Ptr<EthernetPortNetDevice> device;
    Ptr<RecurringEvent> ready; //!< the first frame of a queue may leave
    Time readyAt;              //!< when `ready` is due, if pending
    uint64_t held{0};          //!< bytes in the memory that the port has received
    uint64_t slackBelow{0}; //!< limit of `held` below which frames that arrive soon cause no pause
    Ptr<FastPath> fastPath; //!< the fast path that computes the traffic of the port, or null
    bool isDown{false};     //!< the port is dark: frames for it are dropped
    EcnMarker marker;
    SwitchQueues queues;
    uint64_t longest{0};  //!< limit of the bytes in the queues while a fast path lasts
    uint64_t reserved{0}; //!< buffer space that the fast path has reserved for the port

    /**
     * @param priorities bit mask of priorities with frames, not 0
     * @return earliest time at which the first frame of one of them may leave
     */
    Time GetNextReady(uint8_t priorities) const;

    /// Let the port choose a frame at a time.
    void WakeAt(const Time& at);
};

/// The state of a switch that both frames and fast paths change.
struct SwitchDataPath : public PortLoads
{
    std::vector<SwitchPort> ports;
    uint32_t firstIfIndex{0}; //!< interface index of port 0; the others follow
    SwitchForwarding forwarding;
    std::unique_ptr<SwitchBuffer> buffer; //!< null until the memory is divided
    Time hopLatency;                      //!< from an input to an idle output

    /// @return the number of a port
    uint32_t GetNumber(const EthernetPortNetDevice& device) const
    {
        return device.GetIfIndex() - firstIfIndex;
    }

    // inherited from PortLoads
    uint64_t GetLoad(uint32_t port) const override;

    /// @return the port of a device
    SwitchPort& GetPort(const EthernetPortNetDevice& device)
    {
        return ports[GetNumber(device)];
    }
};

class ElectricalSwitch;

/**
 * @brief The fast paths through an ElectricalSwitch: passes the frames in its queues to a fast path
 * that begins and takes frames back from a fast path that ends.
 *
 * A fast path reserves buffer space for its ports, and ends when a frame arrives that could find
 * the switch in another state than with packets.
 */
class SwitchFastPaths : public FastPathHop
{
  public:
    /**
     * @param owner the switch
     * @param path the ports, routes and memory of the switch
     */
    SwitchFastPaths(const ElectricalSwitch& owner, SwitchDataPath& path)
        : m_switch(owner),
          m_path(path)
    {
    }

    /// @return true if fast paths have reserved buffer space
    bool IsActive() const
    {
        return m_reserve.bytes > 0;
    }

    /// End the fast path of a port.
    void Interrupt(const EthernetPortNetDevice& port);
    /// End all fast paths.
    void InterruptAll() const;
    /**
     * @brief End the fast paths that a frame from outside concerns.
     * @param input number of the port that receives the frame
     * @param kind priority and output port of the frame
     * @param bytes size of the frame
     */
    void InterruptFor(uint32_t input, const SwitchForwarding::Class& kind, uint32_t bytes);
    /// End the fast paths of all ports without packets, because the simulation is being destroyed.
    void Abandon();
    /// Update the counters of all ports to the present.
    void Settle() const;

    /// @return true if a fast path sends from an output port at this simulated time
    bool IsSending(const EthernetPortNetDevice& output) const;

    /// @return frames that fast paths have queued
    uint64_t GetFrames() const
    {
        return m_frames;
    }

    /// @return maximum depth of a queue of fast paths, in bytes
    uint64_t GetMaxDepth() const
    {
        return m_maxDepth;
    }

    // inherited from FastPathHop
    Way FindWay(EthernetPortNetDevice& input, const Flow& flow) override;
    void ListNeighbours(std::vector<EthernetPortNetDevice*>& ports) const override;
    bool Spare(const std::vector<EthernetPortNetDevice*>& ports,
               uint64_t longest,
               uint64_t bytes,
               bool isShared) override;
    void Join(EthernetPortNetDevice& port, const Ptr<FastPath>& ahead) override;
    void Part(EthernetPortNetDevice& port) override;
    bool Look(EthernetPortNetDevice& output, std::vector<Held>& held) const override;

    void CountBurst(uint64_t frames, uint64_t depth) override
    {
        m_frames += frames;
        m_maxDepth = std::max(m_maxDepth, depth);
    }

    void Expect(EthernetPortNetDevice& sender,
                const LightPath& path,
                Ptr<Packet> frame,
                const Time& at,
                bool now) override;
    void Hold(EthernetPortNetDevice& input,
              EthernetPortNetDevice& output,
              Ptr<Packet> frame,
              const Time& ready) override;

  private:
    /// @return the reserve with some more bytes, and queues of a length
    SwitchBuffer::Reserve Extend(uint64_t bytes, uint64_t longest) const
    {
        return {m_reserve.bytes + bytes, std::max(m_reserve.longest, longest)};
    }

    const ElectricalSwitch& m_switch;
    SwitchDataPath& m_path;
    SwitchBuffer::Reserve m_reserve; //!< for all ports of fast paths
    uint64_t m_frames{0};
    uint64_t m_maxDepth{0};
    /// Number of the port whose frame is ending fast paths, or NO_PORT.
    uint32_t m_receiving{SwitchForwarding::NO_PORT};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWITCH_FAST_PATHS_H
