// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPTICAL_FIBER_LINK_H
#define PHOTONIC_RAILS_OPTICAL_FIBER_LINK_H

#include "ns3/channel.h"
#include "ns3/nstime.h"

#include <array>

namespace ns3
{

class FiberNetDevice;

/**
 * @brief A fiber pair between two ports, with a propagation delay in both directions.
 *
 * The channel does not transport packets. A sender resolves its light path across the channel (see
 * FiberNetDevice::FollowLight) and passes frames to the transceiver at the end of the path.
 */
class OpticalFiberLink : public Channel
{
  public:
    static TypeId GetTypeId();

    /**
     * @brief Attach a device to a free end. Aborts if both ends are attached.
     * @param device a transceiver or a port of an OCS
     */
    void Attach(Ptr<FiberNetDevice> device);

    /**
     * @brief Attach one end to another device. The previous device must not send or receive light.
     * @param from the previous device at that end, or null
     * @param to the new device, which has no fiber yet; null to leave the end open
     */
    void Replace(Ptr<FiberNetDevice> from, Ptr<FiberNetDevice> to);

    /**
     * @param device the device at one end
     * @return the device at the other end, or null
     */
    FiberNetDevice* GetFarEnd(const FiberNetDevice* device) const;

    /// @return the propagation delay
    Time GetDelay() const
    {
        return m_delay;
    }

    // inherited from Channel

    std::size_t GetNDevices() const override
    {
        return (m_ends[0] ? 1 : 0) + (m_ends[1] ? 1 : 0);
    }

    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  protected:
    void DoDispose() override;

  private:
    Time m_delay;
    std::array<Ptr<FiberNetDevice>, 2> m_ends;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPTICAL_FIBER_LINK_H
