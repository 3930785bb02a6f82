// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OCS_NET_DEVICE_H
#define PHOTONIC_RAILS_OCS_NET_DEVICE_H

#include "ns3/fibre-net-device.h"

namespace ns3
{

class OpticalCircuitSwitch;

/**
 * @brief A port of an optical circuit switch. It passes light on and sends nothing of its own.
 */
class OcsNetDevice : public FibreNetDevice
{
  public:
    static TypeId GetTypeId();

    /**
     * @param ocs the switch of this port
     * @param port its number there
     */
    void SetSwitch(OpticalCircuitSwitch* ocs, uint32_t port);

    /// @return the number of this port on its switch
    uint32_t GetPort() const;

    /**
     * @brief Light has come or gone at the entry side of this port; the transceiver at the other
     * end of the fibre sees it after the fibre's delay.
     * @param lit whether there is light
     */
    void SetLight(bool lit);

    /// The fibre is led elsewhere: drop the circuit of this port.
    void Unplug();

    void FollowLight(LightPath& path) override;
    void FarEndChanged() override;
    bool IsLinkUp() const override;

  protected:
    void DoDispose() override;

  private:
    /// Have the transceiver at the other end look where its light leads, when it sees the change.
    void TellTransceiver();

    OpticalCircuitSwitch* m_switch{nullptr}; //!< aggregated to the same node
    uint32_t m_port{0};
    bool m_lit{false};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OCS_NET_DEVICE_H
