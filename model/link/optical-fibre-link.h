// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPTICAL_FIBRE_LINK_H
#define PHOTONIC_RAILS_OPTICAL_FIBRE_LINK_H

#include "ns3/channel.h"
#include "ns3/nstime.h"

#include <array>

namespace ns3
{

class FibreNetDevice;

/**
 * @brief A fibre between two ports: light goes both ways, with a propagation delay.
 *
 * The channel moves no packets itself; a sender follows the light across it (see
 * FibreNetDevice::FollowLight) and hands its frames to the transceiver where the light ends.
 */
class OpticalFibreLink : public Channel
{
  public:
    static TypeId GetTypeId();

    /**
     * @brief Plug in a device. Aborts if both ends are taken.
     * @param device a transceiver or a port of an OCS
     */
    void Attach(Ptr<FibreNetDevice> device);

    /**
     * @brief Lead one end to another device. The light of the old one has gone before.
     * @param from one of the two ends; null for one that leads nowhere
     * @param to the device in its place, which has no fibre; null for nowhere
     */
    void Replace(Ptr<FibreNetDevice> from, Ptr<FibreNetDevice> to);

    /**
     * @param device one of the two ends
     * @return the other end, or null if there is none yet
     */
    FibreNetDevice* GetFarEnd(const FibreNetDevice* device) const;

    /// @return the propagation delay
    Time GetDelay() const;

    // inherited from Channel
    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  protected:
    void DoDispose() override;

  private:
    Time m_delay;
    std::array<Ptr<FibreNetDevice>, 2> m_ends;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPTICAL_FIBRE_LINK_H
