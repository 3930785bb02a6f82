// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PROTECTION_SWITCH_H
#define PHOTONIC_RAILS_PROTECTION_SWITCH_H

#include "optical-circuit-switch.h"

#include "ns3/callback.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

class OpticalFibreLink;
class FibreNetDevice;

/**
 * @brief The way of rails to a spare optical circuit switch: 1x2 switches in all their fibres.
 *
 * Aggregated to the node of the spare. A NIC port's fibre leads to its rail's switch, and through
 * the other branch of a 1x2 optical switch to the spare's port of the same number, as carriers
 * protect lines (1:n linear protection, ITU-T G.873.1). One rail at a time can have the spare.
 * Both branches are taken to be as long.
 */
class ProtectionSwitch : public Object
{
  public:
    static TypeId GetTypeId();

    ProtectionSwitch();
    ~ProtectionSwitch() override;

    /**
     * @brief Lead a fibre to the spare, too.
     * @param rail the rail
     * @param ocs its switch
     * @param port where the fibre ends there; the port of the same number of the spare is its other
     * end
     */
    void AddFibre(uint32_t rail, Ptr<OpticalCircuitSwitch> ocs, uint32_t port);

    /**
     * @brief Lead all fibres of a rail to the spare: dark at once, and for ProtectionTime.
     * @param rail the rail
     * @param done called when they end at the spare; at once if they did
     * @return false, and nothing happens, if the spare has another rail or does not know this one
     */
    bool Protect(uint32_t rail, Callback<void> done);

    /// TracedCallback signature of a rail whose fibres have been led to the spare.
    typedef void (*ProtectedTracedCallback)(uint32_t rail);

  protected:
    void DoDispose() override;

  private:
    struct Fibre
    {
        Ptr<OpticalFibreLink> channel;
        Ptr<FibreNetDevice> nicPort; //!< the end that stays
        uint32_t port;               //!< of whatever switch is at the other end
    };

    void Finish(Callback<void> done);

    static constexpr uint32_t NONE = 0xffffffff;

    Time m_time;
    uint32_t m_rail{NONE}; //!< that has the spare
    bool m_isMoving{false};
    std::map<uint32_t, std::vector<Fibre>> m_fibres; //!< by rail
    TracedCallback<uint32_t> m_protected;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PROTECTION_SWITCH_H
