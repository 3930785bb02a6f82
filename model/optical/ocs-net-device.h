// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OCS_NET_DEVICE_H
#define PHOTONIC_RAILS_OCS_NET_DEVICE_H

#include "ns3/fibre-net-device.h"

namespace ns3
{

class OpticalCircuitSwitch;

/**
 * @brief A passive port of an optical circuit switch, which passes light on.
 */
class OcsNetDevice : public FibreNetDevice
{
  public:
    static TypeId GetTypeId();

    /**
     * @param ocs the switch of this port
     * @param port number of this port on the switch
     */
    void SetSwitch(OpticalCircuitSwitch* ocs, uint32_t port);

    /// @return the number of this port on its switch
    uint32_t GetPort() const
    {
        return m_port;
    }

    /**
     * @brief Set whether light enters the switch at this port. The transceiver at the other end of
     * the fibre is notified after the delay of the fibre.
     * @param lit true if the port is lit
     */
    void SetLight(bool lit);

    /// Drop the circuit of this port, because its fibre is attached elsewhere.
    void Unplug();

    void FollowLight(LightPath& path) override;
    void FarEndChanged() override;

    bool IsLinkUp() const override
    {
        return m_lit;
    }

  protected:
    void DoDispose() override;

  private:
    /// Notify the transceiver at the other end of a change after the delay of the fibre.
    void NotifyTransceiver();

    OpticalCircuitSwitch* m_switch{nullptr}; //!< aggregated to the same node
    uint32_t m_port{0};
    bool m_lit{false};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OCS_NET_DEVICE_H
