// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAULT_PLAN_H
#define PHOTONIC_RAILS_FAULT_PLAN_H

#include "ns3/nstime.h"
#include "ns3/opus-message.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class FabricNames;

/// A fault of one component.
struct Fault
{
    FaultKind kind{FaultKind::OCS}; //!< kind of fault
    uint32_t component{0}; //!< number of the switch or GPU; of a link its index in the topology
    uint32_t port{0};      //!< port of the switch or of the NIC
    Time at;               //!< start of the fault
    Time duration;         //!< time to repair; zero: never repaired
    std::string name;      //!< of a link or an electrical switch

    /// @return the component in the form of the flag, such as "0/3"
    std::string GetTarget() const;
};

/// The components that can fail.
struct FaultScope
{
    uint32_t switches{0};    //!< optical circuit switches, spares last
    uint32_t switchPorts{0}; //!< ports of each switch that have fibers
    uint32_t gpus{0};        //!< GPUs
    uint32_t nicPorts{0};    //!< ports of each NIC
    /// Switches and links of an electrical fabric, where there are no shims; null on photonic
    /// rails.
    std::shared_ptr<const FabricNames> fabric;
    /// Numbers of the ports that have fibers by optical circuit switch; if none, from 0 on.
    std::vector<std::set<uint32_t>> cabledPorts;

    /**
     * @param kind a kind of fault
     * @return number of components that can have this fault
     */
    uint64_t Count(FaultKind kind) const;
    /**
     * @param kind a kind of fault
     * @param index from 0 to below Count
     * @return a fault of the component with this index, without times
     */
    Fault Get(FaultKind kind, uint64_t index) const;
    /**
     * @param kind a kind of fault
     * @param target a component in the form of the flag
     * @return a fault of the component, without times; nothing if there is no such component
     */
    std::optional<Fault> Find(FaultKind kind, const std::string& target) const;

    /// @return the kinds, targets and ranges that can be given, in words
    std::string Describe() const;

  private:
    /// @return the numbers that the ports of a kind have on a component; null: from 0 on
    const std::set<uint32_t>* FindCabled(FaultKind kind, uint32_t component) const;
};

/**
 * @brief The faults of a run, given one by one or drawn at random. Pure.
 *
 * A fault is KIND:TARGET\@TIME or KIND:TARGET\@TIME+DURATION. The target of an ocs is its number
 * (the number of its rail; spares follow the rails). The target of a gpu or shim is the number of
 * the GPU. The target of an ocs-port or nic-port is this number and the port, such as 0/3. The
 * targets of a link and a switch, those of electrical fabrics, are names or numbers (FabricNames).
 * A shim without a duration restarts at once, and a GPU is never repaired. Times have the format of
 * all flags. A rate is KIND:RATE\@END or KIND:RATE\@END+DURATION: faults per component and second,
 * at random times before END.
 */
class FaultPlan
{
  public:
    /// Faults at random times.
    struct Rate
    {
        FaultKind kind{FaultKind::OCS}; //!< kind of fault
        double perSecond{0};            //!< faults per second and component
        Time end;                       //!< no faults after this time
        Time duration;                  //!< time to repair; zero: never repaired
    };

    /// @return the kinds with the forms of their targets: "ocs:SWITCH, ..."
    static std::string GetForms();

    /// The latest time of a fault, and the longest duration.
    static constexpr double MOST_SECONDS = 1e6;
    /// Largest allowed number of faults at one rate.
    static constexpr uint32_t MOST_DRAWN = 10000;

    /**
     * @param text faults, separated by commas; may be empty
     * @param scope the components that can fail
     * @param faults set to the faults, in the given order
     * @return an empty string, or the allowed values for the first wrong fault
     */
    static std::string Parse(const std::string& text,
                             const FaultScope& scope,
                             std::vector<Fault>& faults);

    /**
     * @param text rates, separated by commas; may be empty
     * @param rates set to the rates
     * @return an empty string, or the allowed values
     */
    static std::string ParseRates(const std::string& text, std::vector<Rate>& rates);

    /**
     * @brief Draw the faults of a rate: a Poisson process over all components.
     * @param rate the rate
     * @param scope the components that can fail
     * @param uniform source of random numbers from 0 to below 1
     * @return the faults in order of time; the first MOST_DRAWN + 1 if there are too many
     */
    static std::vector<Fault> Draw(const Rate& rate,
                                   const FaultScope& scope,
                                   const std::function<double()>& uniform);

    /**
     * @brief Find when heartbeats of switches matter: before and after each failure and repair of a
     * switch. At other times heartbeats would only say that nothing has changed.
     * @param faults some faults
     * @param detectionTime time without heartbeats after which a switch is lost
     * @return beginnings and ends, see OpusHelper::SetFaultDetection
     */
    static std::vector<std::pair<Time, Time>> GetHeartbeatSpans(const std::vector<Fault>& faults,
                                                                Time detectionTime);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAULT_PLAN_H
