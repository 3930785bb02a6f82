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
 * @brief The switch at the centre of the management network.
 *
 * Aggregated to its node. The switch forwards IPv4 frames unchanged to the neighbour of their
 * destination address, in a time independent of the number of neighbours. Forwarding takes no time,
 * unless each frame has a random extra delay (SetExtraDelay); frames may then overtake each other.
 */
class ManagementSwitch : public Object
{
  public:
    static TypeId GetTypeId();

    ManagementSwitch();
    ~ManagementSwitch() override;

    /**
     * @param device device on the node of the switch
     * @param neighbour address of the node at the far end of its link
     */
    void AddPort(Ptr<NetDevice> device, Ipv4Address neighbour);

    /**
     * @brief Delay each frame by a random time before it is forwarded.
     * @param delay delay in seconds; null: no delay
     */
    void SetExtraDelay(Ptr<RandomVariableStream> delay)
    {
        m_extraDelay = delay;
    }

    /// @return number of frames to unknown destinations
    uint64_t GetDropped() const
    {
        return m_dropped;
    }

    /// @return number of frames dropped because their source is not the address of the neighbour
    /// from which they came
    uint64_t GetForged() const
    {
        return m_forged;
    }

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
    std::map<Ptr<NetDevice>, uint32_t> m_neighbours; //!< addresses, by device
    uint64_t m_dropped{0};
    uint64_t m_forged{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MANAGEMENT_SWITCH_H
