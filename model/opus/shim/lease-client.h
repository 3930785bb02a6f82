// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LEASE_CLIENT_H
#define PHOTONIC_RAILS_LEASE_CLIENT_H

#include "ns3/collective-call.h"
#include "ns3/nstime.h"
#include "ns3/process-group.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ns3
{

/**
 * @param rank the rank that makes the call
 * @param group the group of the call
 * @param call a call on it
 * @return by which number the controller knows the circuits of the call: the group's id, or one
 * made of the two ranks for a Send or Recv within a group of more than two, because no other rank
 * of the group would ask for them
 */
uint64_t FindLeaseGroup(uint32_t rank, const ProcessGroup& group, const CollectiveCall& call);

/// What a rank's shim knows of groups: those of its calls, whose circuits they need, and of whom
/// the controller knows which ranks they have.
class LeaseGroups
{
  public:
    /**
     * @brief The rank makes a call.
     * @param rank the rank
     * @param group the group of the call
     * @param call the call
     * @return FindLeaseGroup
     */
    uint64_t Record(uint32_t rank, const ProcessGroup& group, const CollectiveCall& call);

    /**
     * @param id number of a group on which there has been a call
     * @return the group
     */
    const ProcessGroup& GetGroup(uint32_t id) const;

    /**
     * @param lease a lease group, which is asked for
     * @return its ranks, the first time; then none, as the controller knows them
     */
    std::vector<uint32_t> TakeMembers(uint64_t lease);

    /// Introduce groups anew: the shim does not know what it has said.
    void ClearKnownMembers();

  private:
    std::map<uint32_t, ProcessGroup> m_groups;           //!< by id, as the rank has used them
    std::map<uint64_t, std::vector<uint32_t>> m_members; //!< of what is leased
    std::set<uint64_t> m_known;                          //!< whose members the controller knows
};

/**
 * @brief How long a rank's calls wait for grants, and how long it takes to be granted a group.
 *
 * Pure but for the times that it is told, which never go back.
 */
class GrantTimes
{
  public:
    /// How long calls waited for a grant.
    struct Wait
    {
        Time waited;  //!< the first of them
        Time exposed; //!< of that, while switches were switching for them
    };

    /**
     * @param group on which a call waits from now on
     * @param now the time
     */
    void StartWait(uint64_t group, Time now);

    /**
     * @param group which is asked for; a request that is repeated does not count
     * @param now the time
     */
    void Request(uint64_t group, Time now);

    /// @param group which is given back, or asked for no more
    void Release(uint64_t group);

    /**
     * @param group which is granted
     * @param duration for how long switches were switching for it; zero if they were not
     * @param now the time
     * @return for how long calls waited
     */
    Wait Grant(uint64_t group, Time duration, Time now);

    /// @return the least time from a request to a grant that was switched for; 0: not known
    Time GetFastest() const;

    /// @return the groups on which calls wait, in order; from now on they do not
    std::vector<uint64_t> TakeWaiting();

    /// Forget what has been asked for, as the shim does.
    void ClearRequests();

  private:
    std::map<uint64_t, Time> m_waitSince;   //!< first call that waits, by group
    std::map<uint64_t, Time> m_requestedAt; //!< first request that is not granted, by group
    Time m_fastest;
};

/**
 * @brief One rank's side of the lease protocol: which calls may send, what to ask for and when to
 * give it back.
 *
 * A pure state machine, the counterpart of CircuitScheduler: it knows neither time nor packets.
 * Every input may leave effects, which the owner takes and carries out in order.
 *
 * - A call on a group that is held goes ahead at once; a run of calls on one group (a phase) thus
 *   costs one request.
 * - A call on another group asks for it, and the groups held then give way as soon as none of their
 *   calls sends. They give way once for every new wish; after that the controller decides, by
 *   recall. So a Recv that waits long does not make every pause of another group cost a request.
 * - A Recv sends nothing, so it goes ahead without a lease (its message may even have arrived). It
 *   asks all the same, passively: that is the rank's consent to the circuits that the sender needs.
 * - A wish is speculative: nobody has to give circuits up for it. Ranks that hold them get a hint,
 *   and give them back unless their own next call sends over them. When a call that sends needs the
 *   group of a wish, it is asked for once more.
 * - A recalled group is released when its Sends and its collectives below the limit have ended and
 *   those above are suspended. What is unfinished then asks again at once.
 */
class LeaseClient
{
  public:
    /// Something that the owner has to do.
    struct Effect
    {
        /// What it is.
        enum Type
        {
            ADMIT,   //!< the call `token` may send
            SUSPEND, //!< suspend the group's traffic, then call Drained
            RESUME,  //!< resume the group's traffic
        };

        Type type{ADMIT};
        uint64_t group{0};
        uint64_t token{0}; //!< of the call, for ADMIT
    };

    /// Something to tell the controller.
    struct Message
    {
        bool request{false};     //!< a request; otherwise a release
        uint64_t group{0};       //!< the group
        uint32_t lease{0};       //!< number of the lease
        uint64_t completed{0};   //!< collectives of the group that this rank has completed
        bool passive{false};     //!< a request of a rank that only waits to receive
        bool speculative{false}; //!< a request that no call needs yet
    };

    /// @param keep hold a group for the calls to come (true, the default), or give it back when the
    /// last of its calls has ended
    void SetKeep(bool keep);

    /**
     * @brief A call begins.
     * @param group its group
     * @param kind its kind
     * @param token names the call in an ADMIT effect
     * @return true if it may send now; otherwise an ADMIT follows
     */
    bool Begin(uint64_t group, CollectiveKind kind, uint64_t token);

    /**
     * @brief A call that was admitted has ended; collectives of a group end in order.
     * @param group its group
     * @param kind its kind
     */
    void End(uint64_t group, CollectiveKind kind);

    /**
     * @brief Ask for a group that no call needs yet.
     * @param group the group
     * @param passive true if the call that is expected is a Recv
     */
    void Prefetch(uint64_t group, bool passive);

    /**
     * @brief Take a wish back: release the group if no call needs it.
     * @param group a group that was wanted
     */
    void Cancel(uint64_t group);

    /**
     * @brief The controller granted a lease.
     * @param group the group
     * @param lease its number
     * @return false if the lease has been taken back in the meantime
     */
    bool Grant(uint64_t group, uint32_t lease);

    /**
     * @brief The controller wants a lease back.
     * @param group the group
     * @param lease its number
     * @param limit collectives with an index below this one can still end
     * @return false if the lease has been given back in the meantime
     */
    bool Recall(uint64_t group, uint32_t lease, uint64_t limit);

    /**
     * @brief Somebody would like to have circuits of a lease ahead of time; see Yield.
     * @param group the group
     * @param lease its number
     */
    void Hint(uint64_t group, uint32_t lease);

    /**
     * @brief Give back what somebody would like to have ahead of time, unless calls send there.
     * @param next the group on which the next call will send, which is kept; or nothing
     * @return true if something has been given back
     */
    bool Yield(std::optional<uint64_t> next);

    /**
     * @brief The traffic of a suspended group has been acknowledged.
     * @param group the group
     */
    void Drained(uint64_t group);

    /**
     * @brief Forget all leases and wishes; calls are the library's, and go on or wait as they did.
     *
     * What they need is asked for anew, in the messages to come.
     * @param number leases are numbered from above this one, which no lease had before
     */
    void Reset(uint32_t number);

    /// @return groups that calls under way or waiting need, in order
    std::vector<uint64_t> GetNeeded() const;

    /// @return the effects since the last call, oldest first; carrying one out may cause more
    std::vector<Effect> TakeEffects();

    /**
     * @brief Let idle groups give way and collect what is to be said.
     *
     * To be called when all that happens at one instant has happened, so that back-to-back calls
     * keep their lease.
     * @return messages in the order in which the controller must see them
     */
    std::vector<Message> TakeMessages();

    /// @return true if no call is under way or waiting and nothing is asked for
    bool IsIdle() const;
    /**
     * @param group a group
     * @return true if the rank holds its lease
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
        bool passive{false};     //!< of the request under way
        bool speculative{false}; //!< of the request under way
        bool prefetched{false};  //!< asked for before any call needs it
        bool yields{false};      //!< another group has been asked for since the grant
        bool recalled{false};    //!< the controller wants it back
        bool hinted{false};      //!< somebody would like to have it ahead of time
        uint64_t limit{0};       //!< of the recall
        bool suspending{false};  //!< the traffic is being drained
        bool suspended{false};   //!< the traffic stands still
        uint64_t started{0};     //!< collectives admitted so far
        uint64_t completed{0};   //!< collectives ended so far
        uint32_t sends{0};       //!< Sends under way
        uint32_t recvs{0};       //!< Recvs under way
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
    uint32_t m_base{0}; //!< leases have higher numbers
    std::map<uint64_t, Lease> m_leases;
    std::vector<Effect> m_effects;
    std::vector<Message> m_releases; //!< of leases that were held
    std::vector<Message> m_messages; //!< all others, sent after the releases
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LEASE_CLIENT_H
