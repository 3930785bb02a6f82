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
 * @brief Selects the network of a call, as Opus does per type of traffic.
 *
 * A call inside a domain takes the scale-up interconnect. Between domains, a small call takes the
 * host network, which needs no circuit change, and a bulk call takes the rails. If only one of
 * these two networks serves the group, the call takes that network.
 *
 * Choose is a pure function of properties of the group and the call that are equal on all ranks, so
 * all ranks choose the same network without exchanging messages.
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
