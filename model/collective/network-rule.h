// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_NETWORK_RULE_H
#define PHOTONIC_RAILS_NETWORK_RULE_H

#include "ns3/collective-call.h"

#include <cstdint>

namespace ns3
{

/// A network that GPUs may communicate over.
enum class CollectiveNetwork : uint8_t
{
    SCALE_UP, //!< inside a scale-up domain
    RAILS,    //!< between domains, of circuits or packet switches
    HOSTS,    //!< of the hosts of the domains, packet-switched
};

/**
 * @brief Over which network a call goes: the choice that Opus makes per type of traffic.
 *
 * What stays in a domain takes the scale-up interconnect; of the rest, small volumes take the host
 * network, for which no circuit has to be changed, and bulk takes the rails. What one of the two
 * cannot serve takes the other.
 *
 * A pure function of the group and the call, in what all ranks agree on: so they choose alike
 * without a word.
 */
struct NetworkRule
{
    /// The networks that can serve a group.
    struct Group
    {
        bool staysInside{false}; //!< all its ranks share a domain that is a network
        bool onRails{true};      //!< the rails join its ranks
        bool onHosts{false};     //!< there is a host network
    };

    uint64_t hostThreshold{0}; //!< bytes from which on a call is bulk

    /**
     * @param group of the call; at least one network serves it
     * @param call a call
     * @return the network that it takes
     */
    CollectiveNetwork Choose(const Group& group, const CollectiveCall& call) const;

    /**
     * @param call a call
     * @return its bytes as public traces count them: of the shard that goes into an AllGather, of
     * the tensor that goes into any other; of an AllToAll whose parts are not alike the most that
     * any of the ranks sends to others or gets
     */
    static uint64_t GetVolume(const CollectiveCall& call);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_NETWORK_RULE_H
