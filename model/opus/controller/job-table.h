// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_TABLE_H
#define PHOTONIC_RAILS_JOB_TABLE_H

#include "ns3/address.h"
#include "ns3/circuit-fabric.h"
#include "ns3/circuit-planner.h"
#include "ns3/circuit-scheduler.h"
#include "ns3/opus-message.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Which switch carries which rail; the controller's knowledge of spare switches.
 *
 * A rail is identified by the number of its switch in the cabling plan, whichever switch carries it
 * now. Plans and circuits therefore stay valid when a spare takes over. A moved rail stays on the
 * spare until that fails; then its first switch, if it has been repaired, comes before other
 * spares.
 */
class SwitchPlaces
{
  public:
    /**
     * @brief Add a rail and its switch.
     * @param number number of both
     * @param agent address and UDP port of the agent of the switch
     */
    void AddSwitch(uint32_t number, const Address& agent)
    {
        m_switches[number].agent = agent;
        m_switchOf[number] = number;
    }

    /**
     * @brief Add a switch that can carry any rail.
     * @param number number of the switch, different from all others
     * @param agent address and UDP port of its agent
     */
    void AddSpare(uint32_t number, const Address& agent)
    {
        m_switches[number].agent = agent;
        m_switches[number].isSpare = true;
    }

    /**
     * @param rail a rail
     * @return the agent of the switch that carries the rail, or nullptr for an unknown rail
     */
    const Address* GetAgent(uint32_t rail) const;

    /**
     * @param rail a rail
     * @return the switch that carries the rail
     */
    uint32_t GetSwitch(uint32_t rail) const
    {
        return m_switchOf.at(rail);
    }

    /// @return the agents of all switches, spares included
    std::set<Address> GetAgents() const;
    /// @return the numbers of all switches, spares included
    std::set<uint32_t> GetSwitches() const;
    /// @return the rails, in order
    std::vector<uint32_t> GetRails() const;

    /**
     * @param number a switch
     * @return the rail that the switch carries, if any
     */
    std::optional<uint32_t> GetRail(uint32_t number) const;
    /**
     * @param agent an address
     * @return the switch with this agent, if any
     */
    std::optional<uint32_t> Find(const Address& agent) const;

    /**
     * @brief Record that a switch works, and is dark: it has been repaired.
     * @param number a switch
     * @param starts number of starts of its agent
     */
    void SetRepaired(uint32_t number, uint64_t starts);
    /// @param number a switch that cannot carry a rail
    void SetFailed(uint32_t number);

    /// @param number a switch @return false after SetFailed, until SetRepaired
    bool IsWorking(uint32_t number) const
    {
        return m_switches.at(number).works;
    }

    /**
     * @brief Record that a port of a switch stays dark, or works again. No rail moves to a switch
     * with such ports.
     * @param number a switch
     * @param port the port
     * @param stuck true if the port stays dark
     */
    void SetStuck(uint32_t number, uint32_t port, bool stuck);

    /**
     * @param number a switch
     * @return number of starts of its agent, as far as the controller knows
     */
    uint64_t GetStarts(uint32_t number) const
    {
        return m_switches.at(number).starts;
    }

    /**
     * @brief Record what a switch has reported to a controller that begins anew: it works, and the
     * fibers of a rail end there.
     * @param number a switch
     * @param starts number of starts of its agent
     * @param rail the rail, if any
     */
    void Learn(uint32_t number, uint64_t starts, std::optional<uint32_t> rail);

    /**
     * @brief Move a rail to another switch that works and carries none: its own switch, otherwise
     * the first spare.
     * @param rail a rail
     * @return the switch, or nothing if there is none
     */
    std::optional<uint32_t> Move(uint32_t rail);

  private:
    struct Switch
    {
        Address agent;
        bool isSpare{false};
        bool works{true};
        uint64_t starts{1};       //!< of the agent
        std::set<uint32_t> stuck; //!< ports that stay dark
    };

    /// @return true if a rail can move to a switch
    bool IsFree(uint32_t number) const;

    std::map<uint32_t, Switch> m_switches;
    std::map<uint32_t, uint32_t> m_switchOf; //!< by rail
};

/**
 * @brief The controller's knowledge of jobs: cabling and managers of the ranks, and the circuit
 * plans of groups.
 *
 * A port of a switch belongs to one rank of one job, and a group has ranks of one job, so circuits
 * of one job never use ports of another. If the manager of a rank is configured, only this manager
 * may send messages of the rank.
 *
 * Plans are made once for each list of ranks and stored. A group with ranks on several rails gets
 * the circuits of CrossRailPlanner: one plan, which CircuitScheduler leases as a whole. The ranks
 * of one manager share a scale-up domain. When a port fails, or is used again after a repair, plans
 * that use its rank are dropped, and made again when they are needed.
 */
class JobTable
{
  public:
    /// Counts since the start.
    struct Stats
    {
        uint64_t planned{0};       //!< lists of ranks that were planned, successfully or not
        uint64_t planHits{0};      //!< lists with a stored plan
        uint64_t portConflicts{0}; //!< ports claimed by a second rank
    };

    /**
     * @brief Set the fabric between the ports of the switch of a rail, and of its spares. Without a
     * fabric any matching can be up. Call before the first plan.
     * @param ocs the rail
     * @param fabric a fabric that never changes; its circuits have no meaning
     */
    void SetFabric(uint32_t ocs, Ptr<const CircuitFabric> fabric)
    {
        m_fabrics[ocs] = fabric;
    }

    /// @return the fabrics of switches, by rail
    const std::map<uint32_t, Ptr<const CircuitFabric>>& GetFabrics() const
    {
        return m_fabrics;
    }

    /// @return the switches of the rails
    SwitchPlaces& GetPlaces()
    {
        return m_places;
    }

    /// @copydoc GetPlaces
    const SwitchPlaces& GetPlaces() const
    {
        return m_places;
    }

    /**
     * @brief Add the NIC ports of a rank to the cabling plan.
     * @param job the job
     * @param rank global rank
     * @param ports one per NIC port, in the order of the NIC
     * @return an empty string, or the owner of a port that is in use; nothing has changed then
     */
    std::string AddRank(uint32_t job, uint32_t rank, const std::vector<OcsPortId>& ports);

    /**
     * @brief Add the NIC ports of a GPU to which ranks may move.
     * @param gpu number of the GPU
     * @param ports one per NIC port in the order of the NIC, by rail to which the fibers can be
     * switched
     * @param manager manager of the GPU
     */
    void AddSpareGpu(uint32_t gpu,
                     const std::map<uint32_t, std::vector<OcsPortId>>& ports,
                     const Address& manager);

    /**
     * @brief Move a rank to another GPU, and drop the plans that use the rank.
     * @param job the job
     * @param rank global rank
     * @param gpu an added GPU; with the current GPU of the rank nothing changes
     * @return an empty string, or an error; nothing has changed then
     */
    std::string Move(uint32_t job, uint32_t rank, uint32_t gpu);

    /**
     * @param job the job
     * @param rank global rank
     * @return the GPU of the rank; equal to the rank if it has never moved
     */
    uint32_t GetGpu(uint32_t job, uint32_t rank) const;

    /**
     * @brief Configure the only manager that may send messages of a rank.
     * @param job the job
     * @param rank global rank
     * @param manager address and UDP port
     */
    void SetManager(uint32_t job, uint32_t rank, const Address& manager);

    /**
     * @brief Check the sender of a message of a rank. Without a configured manager, the sender
     * becomes the manager of the rank.
     * @param job the job
     * @param rank global rank
     * @param from sender of the message
     * @return false if the rank is unknown or another manager is configured
     */
    bool BindManager(uint32_t job, uint32_t rank, const Address& from);

    /**
     * @param job the job
     * @param rank global rank
     * @return its manager, or nullptr if the manager is unknown
     */
    const Address* GetManager(uint32_t job, uint32_t rank) const;

    /**
     * @param manager address and UDP port of a manager
     * @return the job of its ranks, if the manager has any
     */
    std::optional<uint32_t> FindJob(const Address& manager) const;

    /**
     * @param job a job
     * @param from address and UDP port of a sender
     * @return true if a rank of the job may have this manager, now or after a move
     */
    bool MayHaveManager(uint32_t job, const Address& from) const;

    /// @return the ranks of all jobs that have ports: job and rank
    std::vector<std::pair<uint32_t, uint32_t>> GetCabledRanks() const;

    /// @return all agents and all known managers, those of spare GPUs included, each once
    std::set<Address> GetPeers() const;

    /**
     * @param job the job
     * @param rank global rank
     * @return the rail of its first port; 0 without ports
     */
    uint32_t GetRail(uint32_t job, uint32_t rank) const;

    /**
     * @brief Plan the circuits of a group.
     * @param job the job
     * @param ranks ranks in ring order
     * @param isLink true for two neighbours of a longer ring: the link between them, or if broken
     * ports leave none, all circuits that they can have
     * @return the plan, or the reason why there is none. A plan is stored until a port of the ranks
     * fails or a rank moves, a reason until the next one. The plan fits the idle fabrics of the
     * switches
     */
    const CircuitPlanner::Result& Plan(uint32_t job,
                                       const std::vector<uint32_t>& ranks,
                                       bool isLink = false);

    /**
     * @param job a job
     * @param ranks a planned list of ranks
     * @param rank a rank of the job
     * @param isLink see Plan
     * @return true if the plan has circuits of the rank: as a member, or as a proxy of members
     */
    bool IsPlannedWith(uint32_t job,
                       const std::vector<uint32_t>& ranks,
                       uint32_t rank,
                       bool isLink = false) const;

    /// @return number of stored plans
    std::size_t GetPlans() const
    {
        return m_plans.size();
    }

    /// A port of a rank's NIC.
    struct NicPort
    {
        uint32_t job{0};  //!< the job
        uint32_t rank{0}; //!< global rank
        uint32_t port{0}; //!< of its NIC

        /// @return true if this port sorts first
        bool operator<(const NicPort& other) const;
    };

    /**
     * @param port a port of a switch
     * @return the NIC port that is cabled to it, or nothing
     */
    std::optional<NicPort> FindPort(const OcsPortId& port) const;

    /**
     * @brief Exclude a port from all later plans.
     * @param port port of a rank
     * @param fault what has failed: the port (NIC_PORT), or that of the switch behind it (OCS_PORT)
     * @return false if the port is unknown or already excluded
     */
    bool MarkPortFailed(const NicPort& port, FaultKind fault = FaultKind::NIC_PORT);
    /**
     * @brief Record a repair. The port stays excluded until UsePort.
     * @param port port of a rank
     * @param fault what has been repaired
     * @return true if the port is excluded and works again
     */
    bool MarkPortMended(const NicPort& port, FaultKind fault);

    /// @return the excluded ports that work again, in order
    const std::set<NicPort>& GetMendedPorts() const
    {
        return m_mended;
    }

    /// Use a port in all later plans. @param port a mended port
    void UsePort(const NicPort& port);

    /// @return true if the port of a cabled rank is excluded
    bool IsPortFailed(const NicPort& port) const;

    /// @return true if ports of the job are excluded
    bool HasFailedPorts(uint32_t job) const;

    /// @return true if ports of the job are or were excluded
    bool HadFailedPorts(uint32_t job) const
    {
        return m_hurt.count(job) > 0;
    }

    /**
     * @param job a job
     * @param rail a rail
     * @return excluded ports of ranks on the rail, in order
     */
    std::vector<NicPort> GetFailedPorts(uint32_t job, uint32_t rail) const;

    /**
     * @param ocs a switch
     * @return jobs with ports there, in order
     */
    std::vector<uint32_t> GetJobs(uint32_t ocs) const;

    /**
     * @param job a job
     * @return its ranks with ports or a manager, in order
     */
    std::vector<uint32_t> GetRanks(uint32_t job) const;

    /**
     * @brief Mark a job as failed; its messages are no longer served.
     * @param job the job
     * @param reason reason, in one line
     * @return false if the job had already failed
     */
    bool Fail(uint32_t job, const std::string& reason)
    {
        return m_failures.emplace(job, reason).second;
    }

    /**
     * @param job a job
     * @return the reason of its failure; empty unless it has failed
     */
    std::string GetFailure(uint32_t job) const;

    /// @return the ports of all ranks, in order
    std::vector<OcsPortId> GetPorts() const;

    /**
     * @brief Count an admitted group.
     * @param job its job
     */
    void CountGroup(uint32_t job)
    {
        ++m_groups[job];
    }

    /**
     * @param job a job
     * @return number of its admitted groups
     */
    uint32_t GetGroups(uint32_t job) const;

    /// @return counts since the start
    const Stats& GetStats() const
    {
        return m_stats;
    }

  private:
    using RankKey = std::pair<uint32_t, uint32_t>; //!< job and rank

    struct Rank
    {
        std::vector<OcsPortId> ports;

        /// Faults of the ports that circuits do not use, by index: of the port itself, or of the
        /// switch port behind it. A port without faults works again. Circuits use the port only
        /// after UsePort, because groups that hold circuits of the rank must release them first.
        std::map<uint32_t, std::set<FaultKind>> faults;
        Address manager;
        bool isFixed{false};           //!< true if the manager is configured
        bool hasManager{false};        //!< true if the manager is known
        std::optional<uint32_t> gpu{}; //!< GPU after a move
    };

    struct SpareGpu
    {
        std::map<uint32_t, std::vector<OcsPortId>> ports; //!< by rail
        Address manager;
    };

    /// Ranks by scale-up domain, which has one manager, and rail.
    using Sites = std::map<std::pair<Address, uint32_t>, uint32_t>;

    void DropPlans(uint32_t job, uint32_t rank);

    CircuitPlanner::Result MakePlan(uint32_t job, const std::vector<uint32_t>& ranks, bool isLink);
    /// @return the circuits of ranks on several rails
    CircuitPlanner::Result MakePlanAcross(uint32_t job,
                                          const std::vector<CircuitPlanner::Member>& members,
                                          bool isLink);
    /// @return the ranks of a job with a manager and ports, by domain and rail
    const Sites& GetSites(uint32_t job);
    /// @return a rank and its ports; without ports if it is unknown
    CircuitPlanner::Member GetMember(uint32_t job, uint32_t rank) const;
    /// @return an empty string, or the reason why a plan is impossible even on idle switches
    std::string CheckSwitches(const CircuitPlan& plan) const;

    SwitchPlaces m_places;
    std::map<uint32_t, Ptr<const CircuitFabric>> m_fabrics;
    std::map<RankKey, Rank> m_ranks;
    std::map<OcsPortId, RankKey> m_owners;
    /// Job, ranks, and true for a link.
    using PlanKey = std::tuple<uint32_t, std::vector<uint32_t>, bool>;
    std::map<PlanKey, CircuitPlanner::Result> m_plans;
    CircuitPlanner::Result
        m_impossible; //!< the last list without a plan: there may be any number of them
    std::map<Address, uint32_t> m_jobOf; //!< by manager
    std::map<uint32_t, Sites> m_sites;   //!< by job; made when needed, dropped when a rank changes
    std::map<uint32_t, SpareGpu> m_spareGpus;   //!< by number
    std::map<uint32_t, uint32_t> m_groups;      //!< by job
    std::map<uint32_t, std::string> m_failures; //!< by job
    std::set<NicPort> m_mended;                 //!< excluded ports that work again
    std::set<uint32_t> m_hurt;                  //!< jobs of which ports have been excluded
    Stats m_stats;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_TABLE_H
