// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_SETTINGS_H
#define PHOTONIC_RAILS_TRAINING_SETTINGS_H

#include "fabric-settings.h"
#include "fault-settings.h"
#include "output-settings.h"
#include "workload-settings.h"

#include "ns3/circuit-policy.h"
#include "ns3/job-description.h"
#include "ns3/job-ranks.h"
#include "ns3/option-group.h"
#include "ns3/training-job-helper.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The memory that the simulation of a job takes at least: a bound, so that no job is refused
 * that would fit. Jobs take up to four times as much (doc/speed.rst).
 */
class SimulationMemory
{
  public:
    static constexpr double PROGRAM_BYTES = 20e6; //!< without any GPU
    static constexpr double GPU_BYTES = 50e3;     //!< of a GPU, its NIC and its queue pairs

    /// @param gpus number of simulated GPUs @return bytes that the process takes at least
    static double Estimate(uint64_t gpus)
    {
        return PROGRAM_BYTES + GPU_BYTES * static_cast<double>(gpus);
    }

    /// @return bytes that a process can have: the memory of the machine, or the limit of the
    /// process
    static double GetLimit();

    /**
     * @param gpus number of simulated GPUs
     * @param limit bytes that a process can have
     * @return an empty string, or one line with both figures if the GPUs do not fit
     */
    static std::string Check(uint64_t gpus, double limit = GetLimit());
};

/// Checks whether a job fits a fabric; job and fabric have passed their own checks.
struct JobFit
{
    const JobRanks& ranks;         //!< ranks of the job, whose parts of an AllToAll are equal
    const FabricSettings& fabric;  //!< hosts, NICs and fabric
    Variant<CircuitPolicy> policy; //!< circuit policy, used on photonic rails only
    Time slotTime;                 //!< time for which circuits of a rotor carry light; 0 if not set

    /// @return the number of scale-up domains of the job
    uint32_t GetDomains() const
    {
        return ranks.GetWorldSize() / fabric.gpusPerDomain.Get();
    }

    /// @return an empty string, or one line with the reason why the job does not fit
    std::string Check() const;

    /**
     * @brief List all reasons why a job that is only described does not fit. Builds nothing.
     * @param description of the job
     * @return one line for each reason
     */
    std::vector<std::string> MakeRemarks(const JobDescription& description) const;

  private:
    /// @return an error if the ranks do not fill whole domains
    std::string CheckWorld() const;
    /// @return an error if the cluster cannot be built
    std::string CheckCluster() const;
    /// @return an error if the circuits of the policy are not possible
    std::string CheckPolicy() const;
    /// @return an error if the fabric cannot join the ranks of a group
    std::string CheckGroups() const;
};

/// The differences between ranks in computation time.
class VariationSettings : public OptionGroup
{
  public:
    using OptionGroup::OptionGroup;

    /**
     * @brief Check ranks and factors, after each option has passed its own check.
     * @param ranks of the job
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check(uint64_t ranks);

    /// @param job gets slowdowns and jitter, after Check
    void Apply(TrainingJobHelper& job) const;

    /// @return true if all ranks compute alike, after Check
    bool IsEven() const
    {
        return m_slowdowns.empty() && m_jitter.Get() == 0;
    }

  private:
    OptionHeading m_heading{this, "variation"};
    TextOption m_slowdown{this,
                          "slowdown",
                          "",
                          "ranks that compute slower, RANK:FACTOR,RANK:FACTOR, with factors from "
                          "0.1 to 100"};
    NumberOption m_jitter{this,
                          "jitter",
                          "0",
                          {0, 10},
                          "how computations vary: standard deviation over mean, 0 to 10"};
    std::map<uint32_t, double> m_slowdowns; //!< by rank
};

/**
 * @brief The settings of one training job on one fabric.
 *
 * The defaults are the job of the Opus papers (WorkloadSettings) on four servers of four A100 GPUs
 * with one NIC of 200 Gbit/s each (two ports, so that a circuit can lead to each neighbour on a
 * ring).
 */
class TrainingSettings : public OptionGroup
{
  public:
    /// @param parent the group that has this one as a member, if there is one
    explicit TrainingSettings(OptionGroup* parent = nullptr);

    /// Remove the flags of the fabric and of output files: the program runs several fabrics in
    /// turn.
    void FixFabric();

    /**
     * @brief Omit the options for files, views and faults, which belong to a single run.
     * @param names of further options to omit
     */
    void OmitSingleRun(const std::set<std::string>& names);

    /**
     * @brief Check all settings and derive the results of the getters below.
     *
     * With --describe the job need not fit the fabric.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /// @return one line that describes the run
    std::string Describe() const;
    /// @return FabricSettings::DescribeTiers for the domains of the job
    std::string DescribeTiers() const;
    /// @return the part of Describe without the fabric
    std::string DescribeJob() const;
    /// @return technology, reconfiguration delay and policy of the circuits
    std::string DescribeCircuits() const;

    /// @return the description of the job, with a remark for each reason why the job does not fit
    /// the fabric
    JobDescription MakeDescription() const;

    /// @return a helper that builds the cluster
    RailClusterHelper MakeClusterHelper() const;

    /// @return model, parallelism and rules of the job
    const WorkloadSpec& GetWorkload() const
    {
        return workload.Get();
    }

    /// @return the ranks that are simulated, after Check
    std::shared_ptr<const JobRanks> GetRanks() const
    {
        return m_ranks;
    }

    /// @return all ranks of the job, after Check
    const JobRanks& GetAllRanks() const
    {
        return *m_all;
    }

    /// @return all ranks, whose parts of an AllToAll are equal: for plans and checks of
    /// groups and pairs; after Check
    const JobRanks& GetPlannedRanks() const
    {
        return *m_planned;
    }

    /// @return tokens and FLOPs of a step, after Check
    StepWork GetWork() const;

    /// @return remarks on a job that may run all the same, for people
    std::vector<std::string> GetRemarks() const;

    /// @return the circuit policy
    Variant<CircuitPolicy> GetPolicy() const
    {
        return policy.GetText();
    }

    /// @return true if controllers lend circuits
    bool IsLending() const
    {
        return fabric.IsPhotonic() && GetPolicy()->IsLending();
    }

    /// @return time for which circuits of a rotor carry light; zero: a multiple of the switching
    /// time, see RotorHelper
    Time GetSlotTime() const
    {
        return slotTime.IsSet() ? slotTime.Get() : Time();
    }

    /// @return true if one set of rails is simulated, which stands for all, after Check
    bool IsOneSet() const
    {
        return m_isOneSet;
    }

    /// @return number of sets of rails that no group joins, see JobGroups; after Check
    uint32_t GetRailSets() const
    {
        return m_railSets;
    }

    /// @return number of controllers of the rails that are simulated, after Check
    uint32_t GetControllers() const;

    /// @return one line with the reason why a run is slower than necessary, or an empty string;
    /// after Check
    std::string GetSpeedRemark() const;

    /// @param job receives the settings that are not part of its ranks, after Check
    void Apply(TrainingJobHelper& job) const;

    WorkloadSettings workload{this};
    VariationSettings variation{this};
    OptionHeading jobHeading{this, "job"};
    CountOption iterations{this,
                           "iterations",
                           3,
                           {1, 100000},
                           OptionHelp("training iterations, 1 to 100000")
                               .First()
                               .Unlisted()
                               .Sets("ns3::TrainingApplication::Iterations")};
    ChoiceOption hostRunAhead{
        this,
        "hostRunAhead",
        "",
        {"none", "ahead", "blocking"},
        OptionHelp("how early a host issues an operation. ahead: before its GPU comes to it, as "
                   "PyTorch does, within the limits of ns3::HostThread; blocking: the same, but it "
                   "waits for the circuits of each collective; none: when the GPU comes to it. "
                   "Empty: ahead, and none for a trace")
            .Sets("ns3::TrainingApplication::HostRunAhead")};
    BoolOption freeGathers{this,
                           "freeGathers",
                           false,
                           "parameters gathered for a backward pass take the time of a link and "
                           "no circuits, as in the emulation of the Opus paper"};
    TextOption jobFile{
        this,
        "job",
        "",
        OptionHelp("a JSON file whose keys are flags; flags on the command line win over it")
            .First()
            .HoldsFlags()};
    BoolOption describe{this,
                        "describe",
                        false,
                        OptionHelp("describe the job and run nothing").First().ForOneRun()};
    ChoiceOption symmetry{
        this,
        "symmetry",
        "",
        {"none", "rails"},
        OptionHelp("rails: simulate one rail for all of them, refused unless all are proved to "
                   "behave alike (with --hostNetwork, each with an equal share of its NICs); none: "
                   "simulate every rail; empty: one rail where that is proved")
            .Unlisted()};
    FabricSettings fabric{this, 4, "100Gbps", true};
    OptionHeading opusHeading{this, "opus"};
    VariantOption<CircuitPolicy> policy{
        this,
        "policy",
        "provisioned",
        OptionHelp("when and for whom photonic rails make circuits: {}")
            .First()
            .Decides("ns3::OpusShim::Provisioning")
            .Decides("ns3::OpusShim::KeepLeases")};
    TimeOption slotTime{
        this,
        "slotTime",
        "",
        {"0s", "100s", "1ms"},
        OptionHelp(
            "with --policy=rotor, for how long circuits carry light; if not given, nine times what "
            "it takes to switch")
            .Sets("ns3::RotorScheduler::SlotTime")};
    ControlPlaneSettings controlPlane{this};
    FaultSettings faults{this};
    SpareSettings spares{this};
    OutputSettings output{this};

  private:
    /// @return an error if the iterations take longer than can be simulated
    std::string CheckDuration() const;
    /// @return true if an AllToAll leaves its domain, and no algorithm was chosen for it
    bool HasDefaultAllToAll() const;
    /// @return true if groups communicate inside domains
    bool HasGroupsInDomains() const;
    /// @return an error if --slotTime is too short
    std::string CheckSlotTime() const;
    /// @return the check of the job against the fabric
    JobFit GetFit() const;
    /// @return the terms on which the control plane lends circuits, which a policy must do
    CircuitTerms MakeCircuitTerms() const;
    /// @return an error if the job cannot use the algorithms that were chosen
    std::string CheckAlgorithms() const;
    /// Build networks of domains if groups across domains and rails need them. @return an error if
    /// controllers cannot lend circuits to these groups
    std::string AddScaleUp();
    /// Decide whether one set of rails represents all rails. @return an error if --symmetry=rails
    /// demands this and rails differ
    std::string CheckSymmetry();
    /// @return the reason why all rails are of interest, or an empty string
    std::string FindViewOfAllRails() const;
    /**
     * @param sharesHostNics true to give each GPU an equal share of the NIC of its host, where GPUs
     * of all rails take turns
     * @return the reason why rails may differ, or an empty string
     */
    std::string FindDifference(bool sharesHostNics) const;
    /// @return an error if a broken component does not exist, or no component detects the fault
    std::string CheckFaults();
    /// @return an error if other flags exclude spare GPUs
    std::string CheckSpares() const;
    /// @return an error if the fabric cannot have the spares
    std::string CheckSparesFit() const;

    std::shared_ptr<const JobRanks> m_planned; //!< see GetPlannedRanks
    std::shared_ptr<const JobRanks> m_all;     //!< see GetAllRanks
    std::shared_ptr<const JobRanks> m_ranks;   //!< see GetRanks
    uint32_t m_railSets{1};                    //!< see GetRailSets
    /// Groups across domains and rails make calls that the host network, if any, does not take.
    bool m_hasGroupsAcross{false};
    bool m_isOneSet{false};    //!< one set of rails is simulated
    std::string m_railsDiffer; //!< why all are, where one was not excluded
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_SETTINGS_H
