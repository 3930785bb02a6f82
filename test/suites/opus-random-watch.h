// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_RANDOM_WATCH_H
#define PHOTONIC_RAILS_OPUS_RANDOM_WATCH_H

#include "../fair-line.h"

#include "ns3/collective-call.h"
#include "ns3/opus-helper.h"
#include "ns3/rail-cluster.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace test
{

/**
 * @brief Checks Opus against a model of its own, at every traced event.
 *
 * The events are: circuits made and dropped and light lost at switches; requests and releases that
 * the controller receives, its grants and commands; requests, grants and releases of shims; begins
 * and ends of calls. The model shares no code with Opus: it derives the circuits of a group from
 * the group's ranks, and the groups in line from the messages that the controller has received.
 *
 * The rules:
 * - There is an end, and no bit is lost at a switch.
 * - Circuits are a matching: a port has light to one other, and is part of one command.
 * - A switch does what the controller commands, in that order, and nothing else.
 * - A group is switched and granted when all its ranks ask for it or hold it, and none that was
 *   ready earlier shares a port with it; when it is granted its circuits carry light.
 * - A command drops no circuit of a group that a rank has been granted and not given back.
 * - A call but a Recv begins when its rank holds its group, and its circuits carry light; an
 *   AllToAll in rounds needs no group, but each of its rounds is a Send and a Recv of a pair.
 * - When a rank gives a group back, no Send of it is under way there.
 * - When a circuit goes dark, all that was sent over it has been acknowledged; and if a queue pair
 *   over it still has messages, one of the rank's collectives has been stopped half-way: it is on a
 *   group that uses the circuit and that the rank has given back.
 *
 * Trouble changes none of them, but these:
 * - A controller that begins anew knows nothing of what it or another has heard before: what ranks
 *   hold and ask for it hears again, before it grants or commands anything. What is held then, and
 *   has light, is not disturbed: the rules for it hold as if nothing had happened. What the former
 *   controller has commanded, and no switch has begun, may be lost.
 * - A rank whose shim has forgotten its leases still holds them where calls of it need them: they
 *   are granted again without waiting. The others it has given back when the controller hears so.
 *   A controller that begins anew meanwhile cannot know of them, as nobody does: their circuits may
 *   be taken, and what is sent there lost, and sent again.
 * - From when the circuits of a rail are gone until the controller has heard of it, bits are lost
 *   there and commands may be; light that is not there is believed in. After that, the groups that
 *   are held have no light until theirs is made again. The same holds for what uses a port that
 *   stays dark.
 */
class OpusWatch
{
  public:
    /// Number of situations in which a rule could have been broken.
    struct Counts
    {
        uint64_t heard{0};        //!< requests and releases
        uint64_t commands{0};     //!< that switches carried out
        uint64_t drops{0};        //!< circuits dropped
        uint64_t evictions{0};    //!< of those, for light paths alone and not for ports
        uint64_t stopped{0};      //!< of these, with a collective that had been stopped half-way
        uint64_t grants{0};       //!< to groups
        uint64_t spread{0};       //!< of these, with circuits on several rails
        uint64_t turns{0};        //!< decisions before which another group waited
        uint64_t mispredicted{0}; //!< predictions of shims that were wrong
        Time end;                 //!< of the last call
        uint64_t calls{0};        //!< on rails that began
        uint64_t learned{0};      //!< leases of which controllers heard again
        uint64_t remembered{0};   //!< leases that were granted again to a shim that had forgotten
        uint64_t rebuilds{0};     //!< of rails
    };

    /// @param cluster of all jobs
    explicit OpusWatch(const RailCluster& cluster);

    /**
     * @brief Watch a job; after OpusHelper::Install and CollectiveHelper::Install.
     * @param part its part of the cluster
     * @param opus has installed it
     * @param groups its groups, by id
     * @param exchange algorithm of an AllToAll, or an empty string
     * @param exchanging groups with an AllToAll
     */
    void AddJob(const RailCluster& part,
                const OpusHelper& opus,
                const std::vector<ProcessGroup>& groups,
                const std::string& exchange = "",
                const std::set<uint32_t>& exchanging = {});

    /// @param opus its controllers are watched
    void AddControllers(const OpusHelper& opus);
    /// @param decidesLater commands may wait in the controller after it has decided
    void SetWindow(bool decidesLater);
    /// @param latency of the control network, one way
    void SetLatency(Time latency);

    /// @param bytes calls of fewer take the host network
    void SetThreshold(uint64_t bytes);

    /// The shim of a rank loses its state now.
    void LoseShim(uint32_t job, uint32_t rank);
    /// @return the switch that has a rail
    uint32_t GetSwitch(uint32_t rail) const;
    /// Circuits of a rail are about to go dark.
    void LoseLight(uint32_t rail);
    /// The switch of a rail has lost all its circuits.
    void LoseCircuits(uint32_t rail);
    /// A port of the switch of a rail is about to stay dark, or has been mended.
    void Stick(uint32_t rail, uint32_t port, bool stuck);
    /// @return true if bits may have been lost on a rail
    bool HasLostLight(uint32_t rail) const;
    /// @return times of traced events, in order
    const std::vector<Time>& GetMoments() const;

    /// @param log gets a line for each event; null for none
    void SetLog(std::ostream* log);

    /// @return an empty string, or the first broken rule and its time
    const std::string& GetError() const;
    /// @return the counts of checked situations
    const Counts& GetCounts() const;
    /// Something is wrong: stop. Only the first error is kept.
    void Fail(const std::string& error);

  private:
    static constexpr uint64_t PAIR = uint64_t{1} << 63; //!< bit of two ranks within a group
    static constexpr uint64_t LINK = uint64_t{1} << 62; //!< further bit, if they are neighbours
    /// No job needs more, unless ranks take circuits from each other for ever.
    static constexpr uint64_t MOST_MESSAGES = 100000;
    static constexpr uint64_t NOT_LENT = ~uint64_t{0}; //!< no lease: it needs no circuits

    /// Where a port of a switch leads, and its state there.
    struct Port
    {
        uint32_t job{0};
        uint32_t rank{0};
        uint32_t index{0}; //!< port of the NIC
        int64_t peer{-1};  //!< port with which it has light or shall have
        bool up{false};    //!< has light
    };

    /// A command that the controller has sent.
    struct Command
    {
        CircuitSet drop;
        CircuitSet make;
        uint32_t rebuilds{0};  //!< of the rail before
        bool mayBeLost{false}; //!< of a controller that has lost its memory
    };

    /// The state of the light of a rail.
    struct Rail
    {
        uint32_t ocs{0};          //!< number of the switch that has it
        bool hurt{false};         //!< light has been lost
        bool lost{false};         //!< all of it, and the controller does not know of it
        bool moving{false};       //!< it knows, and circuits are not yet made again
        Time lostUntil;           //!< light that was on its way when a controller made it dark
        uint32_t rebuilds{0};     //!< how often
        Time heard;               //!< when a switch may have heard of the last, at the earliest
        std::set<uint32_t> stuck; //!< ports that stay dark
        std::set<GroupKey> dark;  //!< groups that were held and whose light is not there again
    };

    /// The controllers of some rails, of which one acts.
    struct Plane
    {
        uint32_t controller{0}; //!< number of the one that acts
        bool isLearning{false}; //!< it does not serve yet
        Time learned;           //!< when it last began to serve, after a crash
    };

    /// Who it is that says something.
    struct Teller
    {
        uint32_t plane{0};      //!< of controllers that act for the same rails
        uint32_t controller{0}; //!< number of the controller there
    };

    /// Requests, leases and calls of a rank.
    struct Rank
    {
        std::set<uint64_t> asked;                 //!< groups, by id of the lease
        std::set<uint64_t> held;                  //!< groups
        std::set<uint64_t> kept;                  //!< groups that its shim has forgotten to hold
        std::map<uint64_t, uint32_t> told;        //!< grants under way to it
        std::map<uint64_t, uint32_t> sends;       //!< under way
        std::map<uint64_t, uint32_t> collectives; //!< under way
        bool isUnknown{false}; //!< had leases that neither shim nor controller knew of
    };

    struct Job
    {
        RailCluster part;
        std::vector<ProcessGroup> groups;
        std::vector<Rank> ranks;
        std::string exchange;          //!< algorithm of an AllToAll, or an empty string
        std::set<uint32_t> exchanging; //!< groups with an AllToAll
    };

    // of switches
    void Start(uint32_t rail, const CircuitSet& dropped, const CircuitSet& made);
    void Up(uint32_t rail, Circuit circuit);
    void Down(uint32_t rail, Circuit circuit);
    void Lost(uint32_t ocs, uint32_t port, uint64_t bits);
    void Protected(uint32_t ocs, uint32_t rail);
    /// All ports of a rail are dark and in no circuit.
    void ForgetPorts(uint32_t rail);
    /// @return the rail that a switch has, or nothing
    std::optional<uint32_t> GetRail(uint32_t ocs) const;
    // of the controller
    /// @return whether a controller is the one that acts, and serves
    bool IsActing(const Teller& teller) const;
    void Learn(const Teller& teller, bool begins);
    /// Neither shim nor controller knows of leases that a rank may still use.
    void ForgetKept(uint32_t job, uint32_t rank);
    /// A controller that has been replaced may still be obeyed.
    void GrantedBefore(uint32_t job, uint64_t group);
    void Heard(const OpusMessage& message);
    void HeardRestart(const OpusRestart& message);
    void Rebuild(uint32_t rail);
    void Commanded(uint32_t job, uint64_t group, uint32_t ocs, const Command& command);
    void GroupGranted(uint32_t job, uint64_t group);
    // of shims and engines
    void Requested(uint32_t job, uint32_t rank, uint64_t group);
    void Granted(uint32_t job, uint32_t rank, uint64_t group);
    void Released(uint32_t job, uint32_t rank, uint64_t group);
    void Made(uint32_t job, uint32_t rank, const CollectiveCall& call);
    void Began(uint32_t job, uint32_t rank, const CollectiveCall& call);
    void Ended(uint32_t job, uint32_t rank, const CollectiveCall& call);
    void RoundBegan(uint32_t job, uint32_t rank, const CollectiveCall& call);
    void RoundEnded(uint32_t job, uint32_t rank, const CollectiveCall& call);
    void BeganOn(uint32_t job, uint32_t rank, const CollectiveCall& call, uint64_t lease);
    void EndedOn(uint32_t job, uint32_t rank, const CollectiveCall& call, uint64_t lease);

    void WatchSwitch(uint32_t ocs, Ptr<OpticalCircuitSwitch> device);
    void WatchController(const Teller& teller, Ptr<OpusController> controller);
    void WatchSpare(uint32_t ocs, Ptr<Node> node);
    void WatchRank(uint32_t job, uint32_t rank, Ptr<OpusShim> shim);

    /// @return the ranks of a leased group, in ring order
    std::vector<uint32_t> GetRanks(uint32_t job, uint64_t lease) const;
    /// @return the ranks of a leased group by rail, each in ring order: a ring for each rail
    std::map<uint32_t, std::vector<uint32_t>> GetRings(uint32_t job, uint64_t lease) const;
    /// @return true if a ring, or a link, of a job on a rail carries light
    bool HasLight(uint32_t job,
                  uint32_t rail,
                  const std::vector<uint32_t>& ring,
                  bool isLink) const;
    /// @return by which number a call's circuits are leased
    uint64_t GetLease(uint32_t job, uint32_t rank, const CollectiveCall& call) const;
    /// @return the same of a call that takes the rails
    uint64_t GetLeaseOnRails(uint32_t job, uint32_t rank, const CollectiveCall& call) const;
    /// @return the same of a round of a collective
    uint64_t GetLeaseOfRound(uint32_t job, uint32_t rank, const CollectiveCall& call) const;
    /// @return the lease of all circuits between the ranks of a Send or Recv
    static uint64_t GetPair(uint32_t rank, const CollectiveCall& call);
    /// @return true for the lease of a link of a ring
    static bool IsLink(uint64_t lease);
    /// @return true if the circuits of a group carry light, or are believed to
    bool IsLit(uint32_t job, uint64_t lease) const;
    /// @return true if the circuits of a group carry light
    bool HasLight(uint32_t job, uint64_t lease) const;
    /// @return true if a group needs the circuit between two ports
    bool Uses(uint32_t job, uint64_t lease, const Port& a, const Port& b) const;
    /// @return true if the circuits of a group may need a port of the switch
    bool MayNeed(uint32_t job, uint64_t lease, const Port& port) const;
    /// @return true if a circuit from one port leads on a ring, or between a pair, to the other
    bool Leads(const Port& from, const Port& to, bool isPair) const;
    /// Nothing is under way at one end of a circuit that has gone dark.
    void CheckQuiet(const Port& here, const Port& there);
    /// Write a line for an event, if there is a log.
    void Note(const std::string& text);
    /// @return name of a group
    static std::string Name(uint32_t job, uint64_t lease);

    RailCluster m_cluster;
    bool m_decidesLater{false};
    Time m_latency;
    std::ostream* m_log{nullptr};
    uint64_t m_threshold{0};
    std::vector<Job> m_jobs;
    std::vector<std::vector<Port>> m_ports;      //!< by switch and port
    std::vector<std::deque<Command>> m_commands; //!< by switch: on their way to it
    std::vector<Rail> m_rails;
    FairLine m_line;
    std::vector<Plane> m_planes;
    std::vector<Time> m_moments;
    std::string m_error;
    Counts m_counts;
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_RANDOM_WATCH_H
