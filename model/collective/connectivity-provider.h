// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONNECTIVITY_PROVIDER_H
#define PHOTONIC_RAILS_CONNECTIVITY_PROVIDER_H

#include "ns3/callback.h"
#include "ns3/collective-call.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

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
 * @param network a network
 * @return the name of the network in files: scale-up, rails, hosts
 */
std::string ToString(CollectiveNetwork network);

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

/**
 * @brief Interface between collectives and the fabric: grants a group the right to communicate.
 *
 * CollectiveEngine requests connectivity before the first byte of every call and reports the end of
 * the call. The engine does not depend on the fabric, and the provider does not depend on how a
 * collective works. A provider of circuits may withdraw connectivity between any two packets: the
 * provider suspends the group, is notified when this rank has no packet in flight, and resumes the
 * group when connectivity is available again.
 */
class ConnectivityProvider : public Object
{
  public:
    static TypeId GetTypeId();

    /// The engine's side of a suspension.
    struct Traffic
    {
        /// Stop sending within the group at the next packet boundary; call back when all that was
        /// sent has been acknowledged (at once if nothing is outstanding).
        Callback<void, uint32_t, Callback<void>> suspend;
        /// Go on sending within the group.
        Callback<void, uint32_t> resume;
    };

    /// The reason why a call waits.
    struct Wait
    {
        std::string text;            //!< such as "waits for circuits held by", if ranks follow
        std::vector<uint32_t> ranks; //!< without which it cannot go on
    };

    /**
     * @brief Choose the network of a call on a group that rails and host network can serve.
     *
     * A pure function of properties of the group and the call that are equal on all ranks, so that
     * all ranks choose the same network. For a call on the host network neither Request nor Release
     * is called.
     *
     * @param group the group
     * @param call a call that this rank makes
     * @return RAILS, unless the provider has a rule, or HOSTS
     */
    virtual CollectiveNetwork ChooseNetwork([[maybe_unused]] const ProcessGroup& group,
                                            [[maybe_unused]] const CollectiveCall& call) const
    {
        return CollectiveNetwork::RAILS;
    }

    /**
     * @brief Say on which terms the provider lends circuits, before groups are joined.
     *
     * The terms are the same on all ranks. If the provider lends pairs, it grants a Send or Recv of
     * any two ranks of a group the circuits between the two, and collectives may ask for these
     * round by round.
     *
     * @return the terms; by default every rank can be reached at any time, or nothing is known
     */
    virtual CircuitTerms GetTerms() const
    {
        return {};
    }

    /**
     * @brief Say that the host has issued a call, which the GPU has not come to. Calls are
     * announced in the order in which they are issued; none has to be.
     * @param group the group
     * @param call the call; isRound if Request will be called for its rounds, and not for itself
     * @param lent called once, possibly from within Announce, when the group can communicate or the
     * call is granted, whichever is first; by default at once
     */
    virtual void Announce([[maybe_unused]] const ProcessGroup& group,
                          [[maybe_unused]] const CollectiveCall& call,
                          Callback<void> lent)
    {
        lent();
    }

    /**
     * @brief Say that a call has ended for whose rounds Request was called.
     * @param group the group
     * @param call the call, as it may have been given to Announce
     */
    virtual void EndRounds([[maybe_unused]] const ProcessGroup& group,
                           [[maybe_unused]] const CollectiveCall& call)
    {
    }

    /**
     * @brief Ask for connectivity among the ranks of a group.
     * @param group the group
     * @param call the call that this rank is about to make
     * @param granted called once, possibly from within Request, when the call may send
     */
    virtual void Request(const ProcessGroup& group,
                         const CollectiveCall& call,
                         Callback<void> granted) = 0;

    /**
     * @brief Describe, after a run, why a call has not been granted. Changes nothing.
     * @param group the group
     * @param call the call, as it was given to Request
     * @return the reason; an empty text, as by default, if the provider does not know it
     */
    virtual Wait DescribeWait([[maybe_unused]] const ProcessGroup& group,
                              [[maybe_unused]] const CollectiveCall& call) const
    {
        return {};
    }

    /**
     * @brief Report that a call has ended on this rank: all it had to receive has arrived and all
     * it sent has been acknowledged.
     * @param group the group
     * @param call the call, as it was given to Request
     */
    virtual void Release(const ProcessGroup& group, const CollectiveCall& call) = 0;

    /**
     * @brief Give the provider the means to suspend and resume this rank's traffic by group id.
     * @param traffic the engine's callbacks
     */
    virtual void SetTraffic(const Traffic& traffic)
    {
        m_traffic = traffic;
    }

  protected:
    Traffic m_traffic; //!< null callbacks until an engine has registered

    void DoDispose() override;
};

/// Connectivity of a packet-switched fabric: every call may send at once.
class AlwaysConnected : public ConnectivityProvider
{
  public:
    static TypeId GetTypeId();

    CollectiveNetwork ChooseNetwork(const ProcessGroup& group,
                                    const CollectiveCall& call) const override;
    void Request(const ProcessGroup& group,
                 const CollectiveCall& call,
                 Callback<void> granted) override;
    void Release(const ProcessGroup& group, const CollectiveCall& call) override;

  private:
    uint64_t m_hostThreshold{0}; //!< of the rule
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONNECTIVITY_PROVIDER_H
