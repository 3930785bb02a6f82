// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_REROUTER_H
#define PHOTONIC_RAILS_FABRIC_REROUTER_H

#include "electrical-switch.h"
#include "fabric-topology.h"

#include "ns3/ipv4-address.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace ns3
{

/**
 * @brief Replaces the routes of the switches of a fabric when links or switches fail or are
 * repaired.
 *
 * A port of a link that is down is dark at once: frames for it are dropped (LINK_DOWN). After
 * DetectionTime the switches at both ends no longer choose the port, if they have another
 * equal-cost port. ConvergenceTime later all switches take the shortest paths over the links that
 * were known to be up at the detection. Repairs have the same two steps. A change that is reversed
 * before the detection changes no route.
 *
 * The exchange of routing messages is not modelled: as with ns-3's global routing, routes are
 * computed from the topology. They depend on nothing else than the topology and the links that are
 * down.
 */
class FabricRerouter : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @brief Replace the routes of a switch by the shortest paths to all hosts.
     * @param device the switch; its ports are in the order of the links of its topology
     * @param number number of the switch in the topology
     * @param routing of the topology
     * @param addresses addresses of the hosts of the topology, ascending
     * @param down links that the switch does not choose if it has another equal-cost port
     */
    static void SetRoutes(ElectricalSwitch& device,
                          uint32_t number,
                          const FabricRouting& routing,
                          const std::vector<Ipv4Address>& addresses,
                          const std::set<uint32_t>& down = {});

    /**
     * @brief Serve a fabric, once.
     * @param topology the fabric
     * @param addresses addresses of the hosts of the topology, ascending
     * @param switches the switches in the order of the topology, with the routes of the intact
     * fabric; their ports are in the order of its links
     */
    void Install(const FabricTopology& topology,
                 const std::vector<Ipv4Address>& addresses,
                 const std::vector<Ptr<ElectricalSwitch>>& switches);

    /// @param rate share of the frames that is lost on each link, 0 to 1; also set as LossRate
    void SetLossRate(double rate);

    /// @return the topology from Install
    std::shared_ptr<const FabricTopology> GetTopology() const
    {
        return m_topology;
    }

    /**
     * @brief Break or repair a link between switches. Frames that arrive over a broken link are
     * lost.
     * @param link index of a link between switches
     * @param failed true to break, false to repair
     */
    void SetLinkFailed(uint32_t link, bool failed);

    /**
     * @brief Break or repair a switch: all its ports are dark, and the frames in its queues are
     * lost.
     * @param number number of the switch
     * @param failed true to break, false to repair
     */
    void SetSwitchFailed(uint32_t number, bool failed);

    /**
     * TracedCallback signature of the end of a convergence: true for a switch or false for a link,
     * its number, and whether it failed or was repaired.
     */
    typedef void (*ReroutedTracedCallback)(bool isSwitch, uint32_t number, bool failed);

  protected:
    void DoDispose() override;

  private:
    /// A link or switch that has failed or was repaired.
    struct Change
    {
        bool isSwitch;               //!< a switch, not a link
        uint32_t number;             //!< of the switch or link
        bool failed;                 //!< false: repaired
        std::vector<uint32_t> links; //!< that have it as a part
    };

    /// Make ports dark or lit, and let switches detect this later.
    void Make(const Change& change);
    /// @return true if a link or one of its switches has failed
    bool IsDown(uint32_t link) const;
    /// @return true if a switch has failed @param end a host or a switch
    bool HasFailedSwitch(uint32_t end) const;
    /// The switches at both ends of links notice that these are dark or lit.
    void Detect(Change change);
    /// All switches know which links are down.
    void Converge(Change change, std::set<uint32_t> down);
    /// Lose frames that arrive at a port, which has a stream of random numbers of its own.
    void Lose(Ptr<EthernetPortNetDevice> port, int64_t stream) const;

    /// Replace the routes of a switch by those in force. @param number its number
    void Route(uint32_t number)
    {
        SetRoutes(*m_switches[number], number, *m_routing, m_addresses, m_known);
    }

    /// @return the share of the frames that is lost
    double GetLossRate() const
    {
        return m_lossRate;
    }

    double m_lossRate{0};
    Time m_detectionTime;
    Time m_convergenceTime;
    std::shared_ptr<const FabricTopology> m_topology;
    std::vector<Ipv4Address> m_addresses;           //!< by host
    std::vector<Ptr<ElectricalSwitch>> m_switches;  //!< in the order of the topology
    std::unique_ptr<const FabricRouting> m_routing; //!< in force; null before the first fault
    std::set<uint32_t> m_failedLinks;
    std::set<uint32_t> m_failedSwitches;
    std::set<uint32_t> m_known; //!< links that their switches know to be down
    TracedCallback<bool, uint32_t, bool> m_rerouted;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_REROUTER_H
