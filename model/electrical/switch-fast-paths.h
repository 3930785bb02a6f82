// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_FAST_PATHS_H
#define PHOTONIC_RAILS_SWITCH_FAST_PATHS_H

#include "switch-data-path.h"

#include "ns3/fast-path.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{

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
    void Empty(EthernetPortNetDevice& output) override;
    void CountBurst(uint64_t frames, uint64_t depth) override;
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
    SwitchBuffer::Reserve Extend(uint64_t bytes, uint64_t longest) const;

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
