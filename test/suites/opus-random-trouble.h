// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_RANDOM_TROUBLE_H
#define PHOTONIC_RAILS_OPUS_RANDOM_TROUBLE_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/// Something that breaks at a random moment.
struct OpusFault
{
    /// Kind of a fault.
    enum Kind
    {
        CRASH,    //!< of a controller, which begins anew without memory, or listens to its standby
        DEATH,    //!< of a controller that has a standby
        SHIM,     //!< it forgets what it knew
        NIC_PORT, //!< mended before it is believed
        OCS,      //!< of a rail, for good if there is a spare
        OCS_PORT, //!< stays dark, for good if there is a spare
        STANDBY,  //!< the node of a pair whose controller is passive crashes, and returns
    };

    Kind kind{CRASH};
    uint32_t place{0}; //!< how far the undisturbed run has come, in thousandths of what it shows
    Time after;        //!< so long after that
    uint64_t component{0}; //!< a number, modulo how many there are
    uint64_t port{0};      //!< the same
    Time duration;         //!< until it is mended or restarted; zero: for good, or for no time

    /**
     * @param moments times of traced events in the same run without trouble
     * @return when it strikes
     */
    Time GetTime(const std::vector<Time>& moments) const;
};

/// The faults of a scenario, and the losses and delays of its control plane.
struct OpusTrouble
{
    double loss{0};                //!< share of control frames
    Time delay;                    //!< control frames take up to so much more, each its own time
    bool standby{false};           //!< controllers have one
    Time heartbeat;                //!< interval of signs of life to it
    Time detection;                //!< of faults
    Time protection;               //!< of fibers that are led to a spare
    uint32_t spares{0};            //!< switches
    std::vector<OpusFault> faults; //!< in the order drawn

    /// @return true if there is any
    bool IsAny() const;
    /// @return true if frames of the control network may have to be sent again
    bool IsReliable() const;
    /// @return true if a fault of that kind is drawn
    bool Has(OpusFault::Kind kind) const;
    /// @return true if something of a switch breaks
    bool LosesSwitches() const;

    /**
     * @param seed any number
     * @param perRail each rail has a controller of its own
     * @return the trouble of that seed: none for four of five
     */
    static OpusTrouble Make(uint64_t seed, bool perRail);
    /// @return it in words
    std::string ToText() const;
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_RANDOM_TROUBLE_H
