// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PROTECTION_SWITCH_H
#define PHOTONIC_RAILS_PROTECTION_SWITCH_H

#include "optical-circuit-switch.h"

#include "ns3/callback.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ns3
{

class OpticalFibreLink;
class FibreNetDevice;
class OcsNetDevice;

/**
 * @brief 1x2 optical switches in the fibres of rails, which connect one rail to an optical circuit
 * switch.
 *
 * Aggregated to the node of a spare, with the fibres of all rails, and to the node of the switch of
 * each rail, with its own fibres, which can return. The fibre of a NIC port leads to the switch of
 * its rail, and over the other branch of a 1x2 optical switch to the port of the same number of the
 * spare, as in 1:n linear protection (ITU-T G.873.1). One rail at a time can use a spare. Both
 * branches have the same length.
 */
class ProtectionSwitch : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @brief Add a 1x2 switch to a fibre.
     * @param rail the rail of the fibre
     * @param ocs the switch of the rail
     * @param port number of the port of the fibre on this switch and on the spare
     */
    void AddFibre(uint32_t rail, Ptr<OpticalCircuitSwitch> ocs, uint32_t port);

    /**
     * @brief Connect all fibres of a rail to this switch. The fibres are dark for ProtectionTime.
     * @param rail the rail
     * @param done called when the fibres are connected, immediately if they are already
     * @return false, without effect, if another rail uses the switch or the rail has no fibres here
     */
    bool Protect(uint32_t rail, Callback<void> done);

    /// TracedCallback signature of a rail whose fibres have been connected to this switch.
    typedef void (*ProtectedTracedCallback)(uint32_t rail);

  protected:
    void DoDispose() override;

  private:
    struct Fibre
    {
        Ptr<OpticalFibreLink> channel;
        Ptr<FibreNetDevice> nicPort; //!< the device at the fixed end
        uint32_t port;               //!< port number at the switched end
    };

    void Finish(Callback<void> done);
    /// @return the switched end of a fibre; null while the fibre is being switched
    static Ptr<OcsNetDevice> GetEnd(const Fibre& fibre);
    /// @return the rail with fibres that end at this switch; nothing if there is none
    std::optional<uint32_t> FindRail() const;

    Time m_time;
    std::optional<uint32_t> m_moving;                //!< the rail whose fibres are being switched
    std::map<uint32_t, std::vector<Fibre>> m_fibres; //!< by rail
    TracedCallback<uint32_t> m_protected;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PROTECTION_SWITCH_H
