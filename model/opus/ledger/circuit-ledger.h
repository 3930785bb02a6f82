// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_LEDGER_H
#define PHOTONIC_RAILS_CIRCUIT_LEDGER_H

#include "ns3/circuit-fabric.h"
#include "ns3/circuit-planner.h"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/// A communication group of a job.
struct GroupKey
{
    uint32_t job{0}; //!< the job
    uint64_t id{0};  //!< the group, unique within the job
};

inline bool
operator==(const GroupKey& x, const GroupKey& y)
{
    return x.job == y.job && x.id == y.id;
}

inline bool
operator<(const GroupKey& x, const GroupKey& y)
{
    return std::tie(x.job, x.id) < std::tie(y.job, y.id);
}

/**
 * @brief Who holds the light: the controller's book of leases, ports and waiting groups.
 *
 * A pure state machine: every input returns the actions that follow from it. It knows neither time
 * nor packets.
 *
 * - A group enters the line when all its ranks ask for it or still hold it, and at least one of
 *   them wants to send (a rank that only waits to receive consents, but is no reason to switch).
 * - A group is urgent if a rank waits to send: a request that is neither passive nor speculative.
 *   Urgent groups come before all others in line, and for them alone leases have to be given back.
 *   For what is asked for ahead of time, holders get a hint: they know whether they are about to
 *   send again, and if so, to take circuits from them for a call that is yet to come would cost a
 *   reconfiguration more than to wait for that call.
 * - The line is served in order. A group that cannot go yet keeps its ports from those behind it,
 *   so that service is first come, first served on every port, and a group gets all its ports or
 *   none. Each port has a line of its own, in the same order: a group is looked at when it is the
 *   first on all its ports and something has changed on one of them. So an input costs as much as
 *   the groups that share ports with it, however many others wait.
 * - A group that ranks hold may lose a circuit for good, with a port that breaks. What it gets
 *   instead (Replan) comes before all that are in line: those who hold it cannot go on without.
 * - Circuits are dropped only when another group needs their ports. Those of a group without
 *   holders go at will; from a group with holders the leases are recalled first.
 * - A command touches the group's ports and the far ends of the circuits that it drops. The group's
 *   ports are busy until the switch reports light; the far ends are dark and free at once, so that
 *   groups that exchange partners switch at the same time. (Commands to a switch keep their order.)
 * - A switch may have a CircuitFabric: not all circuits on free ports fit. The ledger makes all
 *   changes on a copy, in the order of the commands, so that it knows what the switch will answer.
 *   What lies in the way of a group goes as what is on its ports does: circuits that nobody holds
 *   at once, and if that is not enough, as few others as possible are recalled. For the room of a
 *   group that is not urgent nobody gets a hint: wishes would take light paths from each other in
 *   turn. Circuits that are being made, or that a group needs which is before it in line, stay.
 *   While an urgent group waits for room, those behind it make no circuits on its switches: room
 *   that becomes free is its own, even if its ports are nobody else's.
 *
 * No deadlock: a group takes its ports in one step and only when all of them are free, so no group
 * holds ports while it waits for others. What the first group of the line waits for is either a
 * switch, which reports in bounded time, or a recalled lease, which its holder gives up in bounded
 * time: it finishes the calls that every rank of the group takes part in and suspends the rest. So
 * it is with room in a fabric: the first group of the line waits for commands that are under way
 * and for recalled leases, and what it needs fits when all others are gone (AddGroup asks for
 * that). Of groups that have lost circuits, which cannot finish anything, the one behind yields.
 */
class CircuitLedger
{
  public:
    /// The limit of a recall when no rank of the group has left: finish what has begun.
    static constexpr uint64_t NO_LIMIT = std::numeric_limits<uint64_t>::max();

    /// One rank's lease of a group; the number tells a rank's leases of one group apart.
    struct Lease
    {
        uint32_t rank{0};   //!< global rank
        uint32_t number{0}; //!< as the rank numbered it when it asked
    };

    /// Tell these ranks that the group's circuits carry light.
    struct Grant
    {
        GroupKey group;            //!< the group
        std::vector<Lease> leases; //!< the ranks that had asked
        bool switched{false};      //!< false if the circuits were still up (a cache hit)
    };

    /// Ask these ranks to give their leases back.
    struct Recall
    {
        GroupKey group;            //!< the group
        std::vector<Lease> leases; //!< its holders
        uint64_t limit{NO_LIMIT};  //!< they finish collectives with an index below this one
        bool speculative{false};   //!< a hint: they need not, if they are about to send
    };

    /// Change the circuits of a switch.
    struct Switch
    {
        uint64_t command{0}; //!< number to report back with
        GroupKey group;      //!< the group that it is for
        uint32_t ocs{0};     //!< the switch
        CircuitSet drop;     //!< circuits that exist
        CircuitSet make;     //!< circuits to make
    };

    /// What follows from an input. Grants are to be sent before recalls.
    struct Actions
    {
        std::vector<Switch> switches;
        std::vector<Grant> grants;
        std::vector<Recall> recalls;
    };

    /// How far a group has come; see GetState.
    enum class GroupState
    {
        UNKNOWN,   //!< it has not been added
        IDLE,      //!< nobody asks or holds
        ASKED,     //!< some ranks ask, but not all that must
        IN_LINE,   //!< all ask; it waits for its turn on its ports, or for those who hold them
        SWITCHING, //!< its circuits are being made
        HELD,      //!< ranks hold it
        RECALLED,  //!< and shall give it back
        FAILED,    //!< a switch has refused its circuits, so that it can never be served
    };

    /// Who asks for a group and has not been granted it.
    enum class Waiting
    {
        NOBODY, //!< or a group that does not exist
        SOME,   //!< not all ranks that must, or none that wants to send
        ALL,    //!< so that it is in line
    };

    CircuitLedger();
    ~CircuitLedger();
    /// Take another's book over.
    CircuitLedger& operator=(CircuitLedger&&);

    /**
     * @brief What lies between the ports of a switch. Before there are circuits on it.
     * @param ocs the switch
     * @param fabric of the ledger alone, and idle; it may be replaced by copies of itself
     */
    void SetFabric(uint32_t ocs, Ptr<CircuitFabric> fabric);

    /**
     * @param key a group
     * @return true if it was added
     */
    bool HasGroup(const GroupKey& key) const;

    /**
     * @brief Add a group. Its key must be new.
     * @param key the group
     * @param ranks its ranks
     * @param plan its circuits, a matching on every switch, which fits its fabric when that is idle
     */
    void AddGroup(const GroupKey& key, const std::vector<uint32_t>& ranks, const CircuitPlan& plan);

    /**
     * @param key a group
     * @return its ranks as they were added; empty if there is no such group
     */
    const std::vector<uint32_t>& GetRanks(const GroupKey& key) const;

    /**
     * @brief A rank asks for a group, or asks again with the same number to become active.
     * @param key the group
     * @param lease the rank and the number of the lease, higher than those it had before
     * @param completed how many collectives of the group it has completed
     * @param passive true if the rank only waits to receive
     * @param speculative true if no call of the rank needs the group yet
     * @return what follows
     */
    Actions Ask(const GroupKey& key,
                const Lease& lease,
                uint64_t completed,
                bool passive,
                bool speculative = false);

    /**
     * @brief A rank gives its lease up, or takes back what it asked for.
     * @param key the group
     * @param lease the rank and the number of the lease
     * @param completed how many collectives of the group it has completed
     * @return what follows
     */
    Actions Release(const GroupKey& key, const Lease& lease, uint64_t completed);

    /**
     * @brief A switch reports that a command's circuits carry light.
     * @param command number of the command
     * @return what follows
     */
    Actions ReportLight(uint64_t command);

    /**
     * @brief A switch refused a command: nothing changed there, and the group can never be served.
     *
     * What other switches have made for the group, or are making, is granted to nobody; it stays
     * until another group needs the ports. If the switch has a fabric, later commands to it are
     * planned again on what is there without this one, as the switch carries them out.
     * @param command number of the command
     * @param failed receives the leases that wait for the group in vain; none if a switch has
     * refused before
     * @return what follows
     */
    Actions ReportRefusal(uint64_t command, Recall& failed);

    /**
     * @brief A switch has lost all its circuits; from now on it, or another in its place, is dark.
     *
     * Commands that it has not reported on are void. Circuits of groups with holders are made
     * again: their ranks keep their leases and wait for light.
     * @param ocs the switch
     * @return what follows
     */
    Actions ReportLoss(uint32_t ocs);

    /**
     * @brief A group is to have other circuits, as ports of those that it had are broken.
     *
     * It keeps its place in the line. If ranks hold it, they keep their leases, and what it lacks
     * is made before anybody else is served: from others who hold ports of it these are recalled.
     * @param key a group
     * @param plan its circuits, a matching on every switch
     * @return what follows
     */
    Actions Replan(const GroupKey& key, const CircuitPlan& plan);

    /**
     * @brief A rank has forgotten its leases, and asks again for those that its calls need.
     *
     * Others are given back in its name. What it held stays lent until it asks with a new number,
     * and is granted at once then.
     * @param job the job
     * @param rank the rank
     * @param needed groups that it is going to ask for
     * @return what follows
     */
    Actions Restart(uint32_t job, uint32_t rank, const std::set<uint64_t>& needed);

    /**
     * @param job a job
     * @return its groups that some rank holds or asks for, in order
     */
    std::vector<GroupKey> GetGroupsInUse(uint32_t job) const;

    /**
     * @param job a job
     * @param rank a rank
     * @return the groups of the rank, in order
     */
    std::vector<GroupKey> GetGroups(uint32_t job, uint32_t rank) const;

    /**
     * @param key a group
     * @param ocs a switch
     * @return true if it has circuits there
     */
    bool HasCircuits(const GroupKey& key, uint32_t ocs) const;

    /**
     * @param key a group
     * @return how far it has come
     */
    GroupState GetState(const GroupKey& key) const;

    /**
     * @param key a group
     * @return who asks for it
     */
    Waiting GetWaiting(const GroupKey& key) const;

    /// @return inputs that were ignored because they did not fit the state of the lease
    uint64_t GetIgnored() const;

    /**
     * @param ocs a switch
     * @return the circuits that are up or being made there, as the ledger believes
     */
    CircuitSet GetCircuits(uint32_t ocs) const;

    /**
     * @param key a group
     * @return true if all its circuits are up and not being switched
     */
    bool IsUp(const GroupKey& key) const;

    /// @return an empty string, or which internal invariant is broken (for tests; slow)
    std::string CheckInvariants() const;

  private:
    enum MemberState
    {
        AWAY,
        ASKED,
        HOLDING,
    };

    struct Member
    {
        MemberState state{AWAY};
        bool passive{false};
        bool speculative{false};
        bool forgotten{false}; //!< by the rank, which will ask again
        uint32_t lease{0};
        uint64_t completed{0};
    };

    struct Group;

    struct Port
    {
        OcsPortId id;
        Port* peer{nullptr};             //!< the other end of its circuit
        bool busy{false};                //!< its circuit is being switched
        bool relighting{false};          //!< and was lost while ranks held it
        std::map<uint64_t, Group*> line; //!< groups that wait for it, by place
    };

    struct Group
    {
        GroupKey key;
        std::vector<uint32_t> ranks;
        std::map<uint32_t, Member> members;
        std::vector<std::pair<Port*, Port*>> circuits;
        uint32_t asked{0};
        uint32_t active{0}; //!< of those that asked, how many want to send
        uint32_t urgent{0}; //!< of those, how many have a call that waits for it
        uint32_t holding{0};
        bool recalled{false};
        bool hinted{false}; //!< holders know that somebody asks ahead of time
        uint64_t recallLimit{NO_LIMIT};
        uint32_t commands{0}; //!< commands under way for this group
        bool switched{false}; //!< since the last grant
        bool failed{false};
        bool inLine{false};
        bool repair{false}; //!< ranks hold it, but not all its circuits are there
        uint64_t place{0};  //!< in the line: lower is earlier, see PATIENT
    };

    using PortPair = std::pair<Port*, Port*>;

    /// What a group needs to be up.
    struct Change
    {
        std::vector<PortPair> drop; //!< circuits that go
        std::vector<PortPair> make; //!< circuits that it lacks, or needs anew
    };

    struct Command
    {
        Group* group{nullptr};
        uint32_t ocs{0};
        Change change;
        Ptr<CircuitFabric> before; //!< what it changes; null if any matching can be up
    };

    /// What lies between the ports of a switch.
    struct Fabric
    {
        Ptr<CircuitFabric> state;           //!< when all commands have been carried out
        std::map<uint64_t, Group*> waiting; //!< groups that need room there, by place
    };

    Group* Find(const GroupKey& key) const;
    Port* GetPort(const OcsPortId& id);
    /// Give a group its circuits.
    void SetCircuits(Group& group, const CircuitPlan& plan);
    /// Added to the place of a group that is not urgent: it stands behind all that are.
    static constexpr uint64_t PATIENT = uint64_t{1} << 62;
    /// Places below are for groups that ranks hold and that lack circuits: they stand before all.
    static constexpr uint64_t URGENT = uint64_t{1} << 61;

    void SetMember(Group& group,
                   Member& member,
                   MemberState state,
                   bool passive = false,
                   bool speculative = false);
    void UpdateLine(Group& group);
    void EnterLine(Group& group, uint64_t place);
    /// Look whether a group that ranks hold lacks circuits.
    void UpdateRepair(Group& group);
    void LeaveLine(Group& group);
    /// A rank neither holds a group nor asks for it any more.
    void Withdraw(Group& group, Member& member, Actions& actions);
    void LookAt(const Port& port);
    void LookAt(const Group& group);
    /// Look at groups that wait for room on a switch, or on all on which a group has circuits.
    void LookForRoom(uint32_t ocs);
    void LookForRoom(const Group& group);
    /// @return the switches with fabrics on which there are circuits among these
    std::set<uint32_t> GetFabrics(const std::vector<PortPair>& circuits) const;
    /**
     * @brief Find room for circuits of a group; if there is none, it waits.
     * @param group a group in line
     * @param change receives circuits that have to go for it, perhaps to be made anew
     * @return true if there is room as soon as these are gone
     */
    bool FindRoom(Group& group, Change& change);
    /**
     * @brief Find room on one switch.
     * @param group a group in line
     * @param ocs the switch, which has a fabric
     * @param change what the group needs; receives what has to go
     * @param isLent becomes true if ranks hold what has to go
     * @return true if there is room
     */
    bool FindRoom(const Group& group, uint32_t ocs, Change& change, bool& isLent);
    /// @return true if a group may not have a circuit whatever is recalled, until things change
    bool IsFixed(const Group& group, const PortPair& circuit) const;
    /// @return true if ranks hold the circuits of a group so that another has to wait for them
    static bool IsHeldAgainst(const Group& user, const Group& group);
    /// Enter a command into the fabric of its switch, if it has one. Nothing changes if it does not
    /// fit, as at the switch.
    void ChangeFabric(Command& command);
    /// A command has not been carried out: enter those after it anew.
    void Undo(uint64_t number, const Command& command);
    static CircuitSet ToCircuits(const std::vector<PortPair>& pairs);
    bool IsFirst(const Group& group) const;
    void Serve(Actions& actions);
    void Try(Group& group, Actions& actions);
    void GrantAll(Group& group, Actions& actions);
    /// @return true if a circuit that a group needs gone has holders; they get a recall if the
    /// group is urgent, else a hint
    bool RecallUsers(const Group& group, const std::vector<PortPair>& drop, Actions& actions);
    void RecallGroup(Group& group, Actions& actions);
    /// Let the holders of a group know that somebody asks for circuits of it ahead of time.
    static void Hint(Group& group, Actions& actions);
    void StartSwitch(Group& group, const Change& change, Actions& actions);
    void Relight(Group& group, uint32_t ocs, Actions& actions);
    /// A rank asks again for what it has forgotten. @return true if it holds it
    bool Remember(Group& group, Member& member, const Lease& lease, Actions& actions);
    Command TakeCommand(uint64_t command);

    std::map<GroupKey, std::unique_ptr<Group>> m_groups;
    std::map<OcsPortId, Port> m_ports;
    std::map<PortPair, std::vector<Group*>> m_users; //!< groups by circuit; looked up, never walked
    std::map<uint64_t, Group*> m_changed;            //!< of the line, to be looked at; by place
    uint64_t m_lastPlace{URGENT};
    uint64_t m_lastRepair{0}; //!< place of one
    std::map<uint64_t, Command> m_commands;
    std::map<uint32_t, Fabric> m_fabrics; //!< by switch; not those on which any matching can be up
    uint64_t m_lastCommand{0};
    uint64_t m_ignored{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_LEDGER_H
