// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FIBRE_SELECTOR_H
#define PHOTONIC_RAILS_FIBRE_SELECTOR_H

#include "ns3/callback.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class OpticalFibreLink;
class FibreNetDevice;
class OcsNetDevice;

/**
 * @brief The way of a spare GPU to any rail: a 1xR optical switch in the fibre of each NIC port.
 *
 * Aggregated to the spare's node. R is the number of rails; branch r of each switch leads to a port
 * of the optical circuit switch of rail r that is kept for this spare. All switches are set alike.
 * Before the first selection they lead nowhere, so the ports are dark. All branches are taken to be
 * as long. A spare needs one transceiver a port, one 1xR switch a port, and a port of every rail's
 * switch a port; without selectors it would need R times as many transceivers.
 */
class FibreSelector : public Object
{
  public:
    static TypeId GetTypeId();

    FibreSelector();
    ~FibreSelector() override;

    /**
     * @brief Put a switch into the fibre of a NIC port. At set-up.
     * @param fibre plugged in at the NIC port, the other end free
     * @param branches the ports at the ends of its branches, by rail, none of them with a fibre
     */
    void AddFibre(Ptr<OpticalFibreLink> fibre, const std::vector<Ptr<OcsNetDevice>>& branches);

    /**
     * @brief Lead all fibres to a rail: dark at once, and for SelectionTime.
     *
     * A selection that another one follows before it is done is never done.
     * @param rail the rail
     * @param done called when they end there; at once if they did
     */
    void Select(uint32_t rail, Callback<void> done);

    /// TracedCallback signature of fibres that have been led to a rail.
    typedef void (*SelectedTracedCallback)(uint32_t rail);

  protected:
    void DoDispose() override;

  private:
    struct Fibre
    {
        Ptr<OpticalFibreLink> channel;
        std::vector<Ptr<OcsNetDevice>> branches;
    };

    void Finish(uint32_t selection, Callback<void> done);

    static constexpr uint32_t NONE = 0xffffffff;

    Time m_time;
    std::vector<Fibre> m_fibres;
    uint32_t m_rail{NONE};   //!< to which the fibres lead, or will when they have been moved
    bool m_isMoving{false};  //!< and are dark meanwhile
    uint32_t m_selection{0}; //!< number of the last one
    TracedCallback<uint32_t> m_selected;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FIBRE_SELECTOR_H
