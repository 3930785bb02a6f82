// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAULT_PLAN_H
#define PHOTONIC_RAILS_FAULT_PLAN_H

#include "ns3/fault-kind.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/// Something breaks.
struct Fault
{
    FaultKind kind{FaultKind::OCS}; //!< what it is
    uint32_t component{0};          //!< number of the switch, or of the GPU
    uint32_t port{0};               //!< of the switch or the NIC
    Time at;                        //!< when
    Time duration;                  //!< until it is mended; zero: for good

    /// @return the component in the form of the flag, such as "0/3"
    std::string GetTarget() const;
};

/// What there is that may break.
struct FaultScope
{
    uint32_t switches{0};    //!< optical circuit switches, spares last
    uint32_t switchPorts{0}; //!< of each, that fibres lead to
    uint32_t gpus{0};        //!< GPUs
    uint32_t nicPorts{0};    //!< of each

    /**
     * @param kind a kind of fault
     * @return components that it may befall
     */
    uint64_t Count(FaultKind kind) const;
    /**
     * @param kind a kind of fault
     * @param index from 0 to below Count
     * @return the component of that number; no time is set
     */
    Fault Get(FaultKind kind, uint64_t index) const;
};

/**
 * @brief Which faults befall a run: given one by one, or drawn. Pure.
 *
 * A fault is KIND:TARGET\@TIME or KIND:TARGET\@TIME+DURATION. The target of an ocs is its number
 * (that of its rail; spares come after the rails), of a gpu or shim the GPU's, of an ocs-port or
 * nic-port that and the port, such as 0/3. A shim without a duration is there again at once, and
 * a GPU never comes back. Times are as in all flags. A rate is KIND:RATE\@END or
 * KIND:RATE\@END+DURATION: faults for each component and second, at random moments before END.
 */
class FaultPlan
{
  public:
    /// Faults at random moments.
    struct Rate
    {
        FaultKind kind{FaultKind::OCS}; //!< what they are
        double perSecond{0};            //!< for each component
        Time end;                       //!< none after this time
        Time duration;                  //!< until each is mended; zero: for good
    };

    /// The latest time of a fault, and the longest duration.
    static constexpr double MOST_SECONDS = 1e6;
    /// Most faults that are drawn at one rate.
    static constexpr uint32_t MOST_DRAWN = 10000;

    /**
     * @param text faults, separated by commas; may be empty
     * @param scope what there is
     * @param faults gets them, in the order given
     * @return an empty string, or what is allowed in the place of the first that is wrong
     */
    static std::string Parse(const std::string& text,
                             const FaultScope& scope,
                             std::vector<Fault>& faults);

    /**
     * @param text rates, separated by commas; may be empty
     * @param rates gets them
     * @return an empty string, or what is allowed
     */
    static std::string ParseRates(const std::string& text, std::vector<Rate>& rates);

    /**
     * @brief Draw the faults of a rate: a Poisson process over all components.
     * @param rate the rate
     * @param scope what there is
     * @param uniform gives random numbers from 0 to below 1
     * @return the faults in the order of their times, MOST_DRAWN at most
     */
    static std::vector<Fault> Draw(const Rate& rate,
                                   const FaultScope& scope,
                                   const std::function<double()>& uniform);

    /**
     * @param faults some faults
     * @return when the last of them comes or is mended; zero without any
     */
    static Time GetEnd(const std::vector<Fault>& faults);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAULT_PLAN_H
