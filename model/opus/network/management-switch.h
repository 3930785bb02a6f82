// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MANAGEMENT_SWITCH_H
#define PHOTONIC_RAILS_MANAGEMENT_SWITCH_H

#include "ns3/ipv4-address.h"
#include "ns3/net-device.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace ns3
{

class FrameQueue;

/**
 * @brief The switch in the middle of the management network.
 *
 * Aggregated to its node. It forwards IPv4 frames to the neighbour that they are addressed to, as
 * they are, in a time that does not depend on how many neighbours there are. Only the links take
 * time, unless each frame shall be kept for an extra time of its own; then they may overtake.
 */
class ManagementSwitch : public Object
{
  public:
    static TypeId GetTypeId();

    ManagementSwitch();
    ~ManagementSwitch() override;

    /**
     * @param device on the switch's node
     * @param neighbour address of the node at the other end of its link
     */
    void AddPort(Ptr<NetDevice> device, Ipv4Address neighbour);

    /**
     * @brief Keep each frame for a while of its own before it goes on.
     * @param delay in seconds; null: go on at once
     */
    void SetExtraDelay(Ptr<RandomVariableStream> delay);

    /// @return frames to nobody who is there
    uint64_t GetDropped() const;

  protected:
    void DoDispose() override;

  private:
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type);
    void Forward(uint32_t neighbour, Ptr<const Packet> packet);

    std::unordered_map<uint32_t, std::unique_ptr<FrameQueue>> m_ports; //!< by neighbour's address
    Ptr<RandomVariableStream> m_extraDelay;
    uint64_t m_dropped{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MANAGEMENT_SWITCH_H
