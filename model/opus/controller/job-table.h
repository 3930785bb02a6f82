// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_TABLE_H
#define PHOTONIC_RAILS_JOB_TABLE_H

#include "ns3/address.h"
#include "ns3/circuit-fabric.h"
#include "ns3/circuit-planner.h"
#include "ns3/circuit-scheduler.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Which switch carries which rail: what a controller knows of spares.
 *
 * A rail is known by the number of the switch that the cabling plan gives it, whatever switch
 * carries it at the moment; so plans and circuits stay as they are when a spare takes over. A rail
 * that has been moved does not go back: its first switch stays out of use when it is mended.
 */
class SwitchPlaces
{
  public:
    /**
     * @brief A rail with a switch of its own.
     * @param number of both
     * @param agent address and UDP port of the switch's agent
     */
    void AddSwitch(uint32_t number, const Address& agent);
    /**
     * @brief A switch to which every rail can be moved.
     * @param number differs from those of all others
     * @param agent address and UDP port of its agent
     */
    void AddSpare(uint32_t number, const Address& agent);

    /**
     * @param rail a rail
     * @return the agent of the switch that carries it, or nullptr if there is no such rail
     */
    const Address* GetAgent(uint32_t rail) const;
    /**
     * @param rail a rail
     * @return the switch that carries it
     */
    uint32_t GetSwitch(uint32_t rail) const;
    /// @return the agents of all switches, spares included
    std::set<Address> GetAgents() const;
    /// @return the rails, in order
    std::vector<uint32_t> GetRails() const;

    /**
     * @param number a switch
     * @return the rail that it carries, if any
     */
    std::optional<uint32_t> GetRail(uint32_t number) const;
    /**
     * @param agent an address
     * @return the switch whose agent is heard from there, if any
     */
    std::optional<uint32_t> Find(const Address& agent) const;

    /**
     * @param number a switch
     * @param works whether it can carry a rail
     */
    void SetWorking(uint32_t number, bool works);
    /**
     * @brief Move a rail to the first spare that works and carries none.
     * @param rail a rail
     * @return the spare, or nothing if there is none
     */
    std::optional<uint32_t> Move(uint32_t rail);

  private:
    struct Switch
    {
        Address agent;
        bool isSpare{false};
        bool works{true};
    };

    std::map<uint32_t, Switch> m_switches;
    std::map<uint32_t, uint32_t> m_switchOf; //!< by rail
};

/**
 * @brief What a controller knows of jobs: where ranks are cabled, who speaks for them, and which
 * circuits join which of them.
 *
 * A port of a switch belongs to one rank of one job, and a group has ranks of one job; so circuits
 * of one job never touch ports of another, whatever its ranks ask for. A rank whose manager is
 * known by configuration is heard through that manager alone.
 *
 * Plans are made once for a list of ranks and kept. A group whose ranks are on several rails gets a
 * ring along each rail, in the order of the group: what collectives need that go through scale-up
 * domains and rails. Its circuits are one plan, which CircuitScheduler lends as a whole. When a
 * port breaks, plans over it are forgotten and made anew without it.
 */
class JobTable
{
  public:
    /// What happened so far.
    struct Stats
    {
        uint64_t planned{0};  //!< lists of ranks for which a plan was made, or found impossible
        uint64_t planHits{0}; //!< lists that had been planned before
        uint64_t portConflicts{0}; //!< ports that were claimed by a second rank
    };

    /**
     * @brief Say where a switch is managed.
     * @param ocs the number by which the cabling plan calls it
     * @param agent address and UDP port of its agent
     */
    void AddSwitch(uint32_t ocs, const Address& agent);

    /**
     * @brief Say what lies between the ports of the switch of a rail, and of its spares. Without
     * this, any matching can be up. Before anything is planned.
     * @param ocs the rail
     * @param fabric a fabric that nobody changes; what is up on it has no meaning
     */
    void SetFabric(uint32_t ocs, Ptr<const CircuitFabric> fabric);

    /// @return the fabrics of switches, by rail
    const std::map<uint32_t, Ptr<const CircuitFabric>>& GetFabrics() const;

    /// @return which switch carries which rail
    SwitchPlaces& GetPlaces();
    /// @copydoc GetPlaces
    const SwitchPlaces& GetPlaces() const;

    /**
     * @brief Say where the NIC ports of a rank lead.
     * @param job the job
     * @param rank global rank
     * @param ports one per NIC port, in the NIC's order
     * @return an empty string, or whose port it is already; nothing has changed then
     */
    std::string AddRank(uint32_t job, uint32_t rank, const std::vector<OcsPortId>& ports);

    /**
     * @brief Say where the NIC ports of a GPU lead that a rank may move to.
     * @param gpu its number
     * @param ports by rail one per NIC port, in the NIC's order; of the rails that it can be led to
     * @param manager through whom it is heard
     */
    void AddSpareGpu(uint32_t gpu,
                     const std::map<uint32_t, std::vector<OcsPortId>>& ports,
                     const Address& manager);

    /**
     * @brief A rank is on another GPU from now on. Plans with it are forgotten.
     * @param job the job
     * @param rank global rank
     * @param gpu one that was added, or that of the same number as the rank: nothing changes then
     * @return an empty string, or why not; nothing has changed then
     */
    std::string Move(uint32_t job, uint32_t rank, uint32_t gpu);

    /**
     * @param job the job
     * @param rank global rank
     * @return the GPU that it is on; its own number if it has never moved
     */
    uint32_t GetGpu(uint32_t job, uint32_t rank) const;

    /**
     * @brief Say through whom a rank is heard: no other manager may speak for it.
     * @param job the job
     * @param rank global rank
     * @param manager address and UDP port
     */
    void SetManager(uint32_t job, uint32_t rank, const Address& manager);

    /**
     * @brief May a message be from this rank? If its manager is not known, it is from now on.
     * @param job the job
     * @param rank global rank
     * @param from who sent it
     * @return false if another manager speaks for the rank
     */
    bool BindManager(uint32_t job, uint32_t rank, const Address& from);

    /**
     * @param job the job
     * @param rank global rank
     * @return its manager, or nullptr if nobody has spoken for it
     */
    const Address* GetManager(uint32_t job, uint32_t rank) const;

    /**
     * @param ocs a rail
     * @return the agent of the switch that carries it, or nullptr
     */
    const Address* GetAgent(uint32_t ocs) const;

    /// @return the rails whose switches have agents, in the order of their numbers
    std::vector<uint32_t> GetSwitches() const;

    /// @return all agents, and all managers that are known, each once
    std::set<Address> GetPeers() const;

    /**
     * @param job the job
     * @param rank global rank
     * @return the number of the rail that its first port leads to; 0 if it is not cabled
     */
    uint32_t GetRail(uint32_t job, uint32_t rank) const;

    /**
     * @brief Which circuits join ranks of a job?
     * @param job the job
     * @param ranks in ring order
     * @return the plan, or why there is none; the same as before for a list that was planned
     * before, unless a port has been lost since. It fits the fabrics of the switches when these are
     * idle.
     */
    const CircuitPlanner::Result& Plan(uint32_t job, const std::vector<uint32_t>& ranks);

    /// A port of a rank's NIC.
    struct NicPort
    {
        uint32_t job{0};  //!< the job
        uint32_t rank{0}; //!< global rank
        uint32_t port{0}; //!< of its NIC
    };

    /**
     * @param port a port of a switch
     * @return the port that is cabled there, or nothing
     */
    std::optional<NicPort> FindPort(const OcsPortId& port) const;

    /**
     * @brief From now on no plan has a circuit over a port.
     * @param port of a rank
     * @return false if that was so before, or there is no such port
     */
    bool MarkPortFailed(const NicPort& port);

    /// @return true if no plan has a circuit over that port of a rank that is cabled
    bool IsPortFailed(const NicPort& port) const;

    /// @return true if ports of the job are avoided
    bool HasFailedPorts(uint32_t job) const;

    /**
     * @param job a job
     * @param rail a rail
     * @return ports of ranks on it that no plan uses, in order
     */
    std::vector<NicPort> GetFailedPorts(uint32_t job, uint32_t rail) const;

    /**
     * @param ocs a switch
     * @return jobs with ports there, in order
     */
    std::vector<uint32_t> GetJobs(uint32_t ocs) const;

    /**
     * @param job a job
     * @return its ranks that are cabled or heard, in order
     */
    std::vector<uint32_t> GetRanks(uint32_t job) const;

    /**
     * @brief A job has failed: nothing of it is served any more.
     * @param job the job
     * @param reason why, in a line
     * @return false if it had failed before
     */
    bool Fail(uint32_t job, const std::string& reason);

    /**
     * @param job a job
     * @return why it has failed; empty if it has not
     */
    std::string GetFailure(uint32_t job) const;

    /// @return the ports of all ranks, in order
    std::vector<OcsPortId> GetPorts() const;

    /**
     * @brief A group has been admitted.
     * @param job its job
     */
    void CountGroup(uint32_t job);
    /**
     * @param job a job
     * @return groups that have been admitted
     */
    uint32_t GetGroups(uint32_t job) const;

    /// @return what happened so far
    const Stats& GetStats() const;

  private:
    using RankKey = std::pair<uint32_t, uint32_t>; //!< job and rank

    struct Rank
    {
        std::vector<OcsPortId> ports;
        std::set<uint32_t> broken; //!< those that are avoided
        Address manager;
        bool isFixed{false};           //!< the manager is known by configuration
        bool hasManager{false};        //!< there is a manager
        std::optional<uint32_t> gpu{}; //!< that it has moved to
    };

    struct SpareGpu
    {
        std::map<uint32_t, std::vector<OcsPortId>> ports; //!< by rail
        Address manager;
    };

    void DropPlans(uint32_t job, uint32_t rank);

    CircuitPlanner::Result MakePlan(uint32_t job, const std::vector<uint32_t>& ranks) const;
    /// @return an empty string, or why a plan is impossible on its switches even if they are idle
    std::string CheckSwitches(const CircuitPlan& plan) const;

    SwitchPlaces m_places;
    std::map<uint32_t, Ptr<const CircuitFabric>> m_fabrics;
    std::map<RankKey, Rank> m_ranks;
    std::map<OcsPortId, RankKey> m_owners;
    std::map<std::pair<uint32_t, std::vector<uint32_t>>, CircuitPlanner::Result> m_plans;
    std::map<uint32_t, SpareGpu> m_spareGpus;   //!< by number
    std::map<uint32_t, uint32_t> m_groups;      //!< by job
    std::map<uint32_t, std::string> m_failures; //!< by job
    Stats m_stats;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_TABLE_H
