// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FIBER_SWITCHES_H
#define PHOTONIC_RAILS_FIBER_SWITCHES_H

#include "optical-circuit-switch.h"

#include "ns3/callback.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ns3
{

class OpticalFiberLink;
class FiberNetDevice;
class OcsNetDevice;

/**
 * @brief 1xR optical switches in the fibers of a spare GPU, which connect its NIC ports to one of R
 * rails.
 *
 * Aggregated to the node of the spare. Branch r of each 1xR switch leads to a port of the optical
 * circuit switch of rail r that is reserved for the spare. All 1xR switches select the same rail.
 * Before the first selection the NIC ports are dark. All branches have the same length. For each
 * NIC port a spare needs a transceiver, a 1xR switch, and a port of the switch of each rail;
 * without the 1xR switches it would need R times as many transceivers.
 */
class FiberSelector : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @brief Add a 1xR switch to the fiber of a NIC port, before the simulation starts.
     * @param fiber a fiber that is attached to the NIC port only
     * @param branches the ports at the ends of the branches, by rail, which have no fiber
     */
    void AddFiber(Ptr<OpticalFiberLink> fiber, const std::vector<Ptr<OcsNetDevice>>& branches);

    /**
     * @brief Connect all fibers to a rail. The fibers are dark for SelectionTime.
     *
     * A second selection during that time replaces the first one, whose callback is not called.
     * @param rail the rail
     * @param done called when the fibers are connected, immediately if they are already
     */
    void Select(uint32_t rail, Callback<void> done);

    /// TracedCallback signature of fibers that have been connected to a rail.
    typedef void (*SelectedTracedCallback)(uint32_t rail);

  protected:
    void DoDispose() override;

  private:
    struct Fiber
    {
        Ptr<OpticalFiberLink> channel;
        std::vector<Ptr<OcsNetDevice>> branches;
    };

    void Finish(uint32_t selection, Callback<void> done);

    static constexpr uint32_t NONE = 0xffffffff;

    Time m_time;
    std::vector<Fiber> m_fibers;
    uint32_t m_rail{NONE};   //!< the rail of the last selection
    bool m_isMoving{false};  //!< the last selection is in progress
    uint32_t m_selection{0}; //!< number of the last selection
    TracedCallback<uint32_t> m_selected;
};

/**
 * @brief 1x2 optical switches in the fibers of rails, which connect one rail to an optical circuit
 * switch.
 *
 * Aggregated to the node of a spare, with the fibers of all rails, and to the node of the switch of
 * each rail, with its own fibers, which can return. The fiber of a NIC port leads to the switch of
 * its rail, and over the other branch of a 1x2 optical switch to the port of the same number of the
 * spare, as in 1:n linear protection (ITU-T G.873.1). One rail at a time can use a spare. Both
 * branches have the same length.
 */
class ProtectionSwitch : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @brief Add a 1x2 switch to a fiber.
     * @param rail the rail of the fiber
     * @param ocs the switch of the rail
     * @param port number of the port of the fiber on this switch and on the spare
     */
    void AddFiber(uint32_t rail, Ptr<OpticalCircuitSwitch> ocs, uint32_t port);

    /**
     * @brief Connect all fibers of a rail to this switch. The fibers are dark for ProtectionTime.
     * @param rail the rail
     * @param done called when the fibers are connected, immediately if they are already
     * @return false, without effect, if another rail uses the switch or the rail has no fibers here
     */
    bool Protect(uint32_t rail, Callback<void> done);

    /// @return the rail whose fibers end at this switch, or are being switched to it; nothing if
    /// there is none
    std::optional<uint32_t> FindRail() const;

    /// TracedCallback signature of a rail whose fibers have been connected to this switch.
    typedef void (*ProtectedTracedCallback)(uint32_t rail);

  protected:
    void DoDispose() override;

  private:
    struct Fiber
    {
        Ptr<OpticalFiberLink> channel;
        Ptr<FiberNetDevice> nicPort; //!< the device at the fixed end
        uint32_t port;               //!< port number at the switched end
    };

    void Finish(Callback<void> done);
    /// @return the switched end of a fiber; null while the fiber is being switched
    static Ptr<OcsNetDevice> GetEnd(const Fiber& fiber);

    Time m_time;
    std::optional<uint32_t> m_moving;                //!< the rail whose fibers are being switched
    std::map<uint32_t, std::vector<Fiber>> m_fibers; //!< by rail
    TracedCallback<uint32_t> m_protected;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FIBER_SWITCHES_H
