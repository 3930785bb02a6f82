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
 * @brief 1xR optical switches in the fibres of a spare GPU, which connect its NIC ports to one of R
 * rails.
 *
 * Aggregated to the node of the spare. Branch r of each 1xR switch leads to a port of the optical
 * circuit switch of rail r that is reserved for the spare. All 1xR switches select the same rail.
 * Before the first selection the NIC ports are dark. All branches have the same length. For each
 * NIC port a spare needs a transceiver, a 1xR switch, and a port of the switch of each rail;
 * without the 1xR switches it would need R times as many transceivers.
 */
class FibreSelector : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @brief Add a 1xR switch to the fibre of a NIC port, before the simulation starts.
     * @param fibre a fibre that is attached to the NIC port only
     * @param branches the ports at the ends of the branches, by rail, which have no fibre
     */
    void AddFibre(Ptr<OpticalFibreLink> fibre, const std::vector<Ptr<OcsNetDevice>>& branches);

    /**
     * @brief Connect all fibres to a rail. The fibres are dark for SelectionTime.
     *
     * A second selection during that time replaces the first one, whose callback is not called.
     * @param rail the rail
     * @param done called when the fibres are connected, immediately if they are already
     */
    void Select(uint32_t rail, Callback<void> done);

    /// TracedCallback signature of fibres that have been connected to a rail.
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
    uint32_t m_rail{NONE};   //!< the rail of the last selection
    bool m_isMoving{false};  //!< the last selection is in progress
    uint32_t m_selection{0}; //!< number of the last selection
    TracedCallback<uint32_t> m_selected;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FIBRE_SELECTOR_H
