// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LEASE_CLIENT_H
#define PHOTONIC_RAILS_LEASE_CLIENT_H

#include "ns3/collective-call.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ns3
{

/**
 * @param rank the rank that makes the call
 * @param group the group of the call
 * @param call the call
 * @return the number under which the controller leases the circuits of the call: the id of the
 * group, or for a Send or Recv in a group of more than two ranks that of a link or a pair; see
 * LeaseNumber
 */
uint64_t FindLeaseGroup(uint32_t rank, const ProcessGroup& group, const CollectiveCall& call);

/**
 * @brief The groups of a rank's calls, the lease groups whose circuits the calls need, and the
 * lease groups whose members the controller knows.
 */
class LeaseGroups
{
  public:
    /**
     * @brief Record a call of the rank.
     * @param rank the rank
     * @param group the group of the call
     * @param call the call
     * @return the lease group, see FindLeaseGroup
     */
    uint64_t Record(uint32_t rank, const ProcessGroup& group, const CollectiveCall& call);

    /**
     * @param id number of a group with at least one recorded call
     * @return the group
     */
    const ProcessGroup& GetGroup(uint32_t id) const
    {
        return m_groups.at(id);
    }

    /**
     * @param lease a lease group
     * @return its ranks; empty if the controller knows them
     */
    std::vector<uint32_t> GetUnknownMembers(uint64_t lease) const;

    /**
     * @param lease a lease group that is requested
     * @return its ranks for the first request; empty for later requests, because the controller
     * then knows the ranks
     */
    std::vector<uint32_t> TakeMembers(uint64_t lease);

    /**
     * @param lease a lease group with a recorded call
     * @return its ranks
     */
    const std::vector<uint32_t>& GetMembers(uint64_t lease) const
    {
        return m_members.at(lease);
    }

    /// Send the members of every group again with the next request, because the shim has restarted,
    /// or the controller.
    void ClearKnownMembers()
    {
        m_known.clear();
    }

  private:
    std::map<uint32_t, ProcessGroup> m_groups;           //!< by id, as the rank has used them
    std::map<uint64_t, std::vector<uint32_t>> m_members; //!< by lease group
    std::set<uint64_t> m_known; //!< lease groups whose members the controller knows
};

/**
 * @brief Measures how long the calls of a rank wait for grants, and how long grants take.
 *
 * The class has no clock: inputs have times, which never decrease.
 */
class GrantTimes
{
  public:
    /// Wait of calls for a grant.
    struct Wait
    {
        Time waited;  //!< wait of the first call
        Time exposed; //!< part of the wait during which switches reconfigured for the group
    };

    /**
     * @param group group on which a call begins to wait
     * @param now the time
     */
    void StartWait(uint64_t group, Time now)
    {
        m_waitSince.emplace(group, now);
    }

    /**
     * @param group requested group; repeated requests do not count
     * @param now the time
     */
    void Request(uint64_t group, Time now)
    {
        m_requestedAt.emplace(group, now);
    }

    /// @param group group that is released, or whose request is withdrawn
    void Release(uint64_t group)
    {
        m_requestedAt.erase(group);
    }

    /**
     * @param group granted group
     * @param duration switching time for the grant; zero if the circuits were up
     * @param now the time
     * @return the wait of the calls
     */
    Wait Grant(uint64_t group, Time duration, Time now);

    /// @param group a group that has been granted @return the time of its last grant
    Time GetGranted(uint64_t group) const
    {
        return m_grantedAt.at(group);
    }

    /// @return the shortest time from a request to a grant with switching; zero if unknown
    Time GetFastest() const
    {
        return m_fastest;
    }

    /// @return the groups on which calls wait, in order; their waits end
    std::vector<uint64_t> TakeWaiting();

    /// Drop all requests that are not granted, because the shim has restarted.
    void ClearRequests()
    {
        m_requestedAt.clear();
    }

  private:
    std::map<uint64_t, Time> m_waitSince;   //!< begin of the wait of the first call, by group
    std::map<uint64_t, Time> m_requestedAt; //!< time of the first pending request, by group
    std::map<uint64_t, Time> m_grantedAt;   //!< time of the last grant, by group
    Time m_fastest;
};

/**
 * @brief A rank's side of the lease protocol: which calls may send, and when groups are requested
 * and released.
 *
 * A pure state machine without time and packets, the counterpart of CircuitScheduler. Inputs may
 * leave effects and messages, which the owner takes and carries out in order.
 *
 * - A call on a group that the rank holds proceeds at once. A run of calls on one group (a phase)
 *   therefore costs one request.
 * - A call on another group requests that group. The groups held at that time yield: each is
 *   released as soon as none of its calls sends. A group yields once for each new request; after
 *   that only a recall ends its lease, so that a long wait of a Recv does not cost a request for
 *   every pause of another group. Links of rings that share no port do not yield to each other, so
 *   a stage of a pipeline holds those to both neighbours.
 * - A Recv sends nothing and proceeds without a lease; its message may even have arrived. It still
 *   sends a passive request, by which the rank consents to the circuits that the sender needs.
 * - A speculative request recalls no lease. Ranks that hold the circuits receive a hint, and
 *   release them unless their own next call sends over them. When a call that sends needs the
 *   group, the request is repeated without the mark.
 * - A recalled lease is released when its Sends and its collectives below the limit have ended and
 *   the other collectives are suspended. The group of unfinished calls is then requested again at
 *   once. The owner may lower the limit to 0 by a recall of its own, so that a long collective
 *   takes turns with other groups.
 */
class LeaseClient
{
  public:
    /// An effect for the owner to carry out.
    struct Effect
    {
        /// Kind of effect.
        enum Type
        {
            ADMIT,   //!< the call `token` may send
            SUSPEND, //!< suspend the group's traffic, then call Drained
            RESUME,  //!< resume the group's traffic
        };

        Type type{ADMIT};
        uint64_t group{0};
        uint64_t token{0}; //!< the call, for ADMIT
    };

    /// A message for the controller.
    struct Message
    {
        bool request{false};     //!< a request; otherwise a release
        uint64_t group{0};       //!< the group
        uint32_t lease{0};       //!< number of the lease
        uint64_t completed{0};   //!< collectives of the group that this rank has completed
        bool passive{false};     //!< a request of a rank that only waits to receive
        bool speculative{false}; //!< a request that no call needs yet
        bool held{false};        //!< the rank holds the lease, see Report
    };

    /**
     * @param keep true (the default) to keep a lease for later calls; false to release it when the
     * last call on the group has ended
     */
    void SetKeep(bool keep)
    {
        m_keep = keep;
    }

    /**
     * @brief Begin a call.
     * @param group group of the call
     * @param kind kind of the call
     * @param token identifies the call in its ADMIT effect
     * @return true if the call may send now; otherwise an ADMIT effect follows
     */
    bool Begin(uint64_t group, CollectiveKind kind, uint64_t token);

    /**
     * @brief End an admitted call. Collectives of a group end in order.
     * @param group group of the call
     * @param kind kind of the call
     */
    void End(uint64_t group, CollectiveKind kind);

    /**
     * @brief Request a group speculatively, before a call needs it.
     * @param group the group
     * @param passive true if the expected call is a Recv
     */
    void Prefetch(uint64_t group, bool passive);

    /**
     * @brief Withdraw a speculative request; the group is released unless a call needs it.
     * @param group a group that was requested speculatively
     */
    void Cancel(uint64_t group);

    /**
     * @brief Handle a grant.
     * @param group the group
     * @param lease number of the lease
     * @return false if the request has been withdrawn
     */
    bool Grant(uint64_t group, uint32_t lease);

    /**
     * @brief Handle a recall. A further recall of the same lease can only lower the limit.
     * @param group the group
     * @param lease number of the lease
     * @param limit collectives with an index below the limit can still end; 0 to suspend all
     * @return false if the lease has been released
     */
    bool Recall(uint64_t group, uint32_t lease, uint64_t limit);

    /**
     * @brief Handle a hint that another rank has requested circuits of a lease speculatively; see
     * Yield.
     * @param group the group
     * @param lease number of the lease
     */
    void Hint(uint64_t group, uint32_t lease);

    /**
     * @brief Release leases for which there are hints, unless calls send on their groups.
     * @param next group on which the next call sends and whose lease is kept, or nothing
     * @return true if a lease is released
     */
    bool Yield(std::optional<uint64_t> next);

    /**
     * @brief Handle the end of a suspension: all sent data of the group is acknowledged.
     * @param group the group
     */
    void Drained(uint64_t group);

    /**
     * @brief Drop all leases and requests after a restart of the shim. Calls belong to the
     * collective library and continue or wait as before.
     *
     * The groups that calls need are requested again by the next messages.
     * @param number lower bound of the numbers of new leases; no earlier lease has a higher number
     */
    void Reset(uint32_t number);

    /**
     * @brief Describe all leases and requests to a controller that has lost its memory, in place of
     * the messages that have not been taken.
     *
     * A group that the rank has given up, and some of whose collectives have ended here, is
     * requested and given up again: others may have to resume a collective that has ended here.
     * @return leases that are held, pending requests, and such groups, in order of the groups
     */
    std::vector<Message> Report();

    /// @return groups with calls that wait or are in progress, in order
    std::vector<uint64_t> GetNeeded() const;

    /// @return the effects since the last call, oldest first; an effect may cause further effects
    std::vector<Effect> TakeEffects();

    /**
     * @brief Release groups that yield, and collect all messages. Call once after all inputs of an
     * instant, so that back-to-back calls keep their lease.
     * @return messages in the order in which the controller must receive them
     */
    std::vector<Message> TakeMessages();

    /// @return true if no call waits or is in progress and no request is pending
    bool IsIdle() const;
    /**
     * @param group a group
     * @return true if the rank holds the group
     */
    bool IsHeld(uint64_t group) const;

  private:
    enum State
    {
        IDLE,
        REQUESTED,
        HELD,
    };

    struct Waiting
    {
        uint64_t token;
        CollectiveKind kind;
    }; // never a Recv

    struct Lease
    {
        State state{IDLE};
        uint32_t number{0};
        bool passive{false};      //!< kind of the pending request
        bool speculative{false};  //!< kind of the pending request
        bool prefetched{false};   //!< requested before a call needs it
        bool yields{false};       //!< another group has been requested since the grant
        bool recalled{false};     //!< the controller has recalled it
        bool hinted{false};       //!< another rank has requested its circuits speculatively
        uint64_t limit{0};        //!< limit of the recall
        bool suspending{false};   //!< the traffic is being drained
        bool suspended{false};    //!< the traffic is suspended
        uint64_t started{0};      //!< collectives admitted so far
        uint64_t completed{0};    //!< collectives ended so far
        uint32_t sends{0};        //!< Sends in progress
        uint32_t recvs{0};        //!< Recvs in progress
        bool isUnreported{false}; //!< held when the shim failed, and not granted since then
        std::deque<Waiting> waiting;
    };

    static bool IsPassive(const Lease& lease);
    static bool HasCalls(const Lease& lease);
    static void Start(Lease& lease, CollectiveKind kind);
    void Request(uint64_t group, bool passive, bool again, bool speculative = false);
    void QueueMessage(bool request, uint64_t group);
    void ReleaseLease(uint64_t group);
    void TryRelease(uint64_t group);

    bool m_keep{true};
    uint32_t m_base{0}; //!< lower bound of the numbers of leases
    std::map<uint64_t, Lease> m_leases;
    std::vector<Effect> m_effects;
    std::vector<Message> m_releases; //!< releases of held leases
    std::vector<Message> m_messages; //!< all other messages, sent after m_releases
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LEASE_CLIENT_H
