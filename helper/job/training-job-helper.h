// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_JOB_HELPER_H
#define PHOTONIC_RAILS_TRAINING_JOB_HELPER_H

#include "ns3/application-container.h"
#include "ns3/data-rate.h"
#include "ns3/rail-cluster.h"
#include "ns3/rank-layout.h"
#include "ns3/workload-spec.h"

#include <map>
#include <memory>
#include <string>

namespace ns3
{

class JobRanks;
class TrainingApplication;
struct RecoveryJob;

/**
 * @brief Runs a training job on a cluster: one TrainingApplication per GPU.
 *
 * The job is a WorkloadSpec, or ranks that are made already (JobRanks). The scale-up domains are
 * those of the cluster, whatever the ParallelismSpec has.
 */
class TrainingJobHelper
{
  public:
    /// @param model a name of TransformerSpec; aborts for an unknown name. The default GPU is the
    /// A100.
    explicit TrainingJobHelper(const std::string& model);
    /// @param spec the job
    explicit TrainingJobHelper(const WorkloadSpec& spec);
    /**
     * @brief Run ranks that are made already; SetParallelism, SetGpu and SetAlgorithms have no
     * effect.
     * @param ranks the ranks, in the domains of the cluster
     */
    explicit TrainingJobHelper(std::shared_ptr<const JobRanks> ranks);

    /// @param parallelism degrees, micro-batches and sequence length
    void SetParallelism(const ParallelismSpec& parallelism)
    {
        m_spec.parallelism = parallelism;
    }

    /**
     * @param gpu a name of GpuSpec; aborts for an unknown name
     * @param computeEfficiency share of the peak FLOP/s during computation, above 0 and at most 1
     */
    void SetGpu(const std::string& gpu, double computeEfficiency);

    /// @param algorithms algorithms of the kinds of collectives for which one is chosen, on rails
    /// and scale-up networks; calls on the host network use trees
    void SetAlgorithms(const CollectiveAlgorithms& algorithms)
    {
        m_spec.algorithms = algorithms;
    }

    /// @param iterations number of iterations, at least 1
    void SetIterations(uint32_t iterations)
    {
        m_iterations = iterations;
    }

    /**
     * @brief Make one rank compute slower (or faster) than the others.
     * @param rank global rank
     * @param factor factor on the duration of its computations, 0.1 to 100
     */
    void SetSlowdown(uint32_t rank, double factor)
    {
        m_slowdowns[rank] = factor;
    }

    /**
     * @brief Let the durations of all computations vary: independent log-normal factors of mean 1.
     * @param variation standard deviation of a factor, 0 (no jitter) to 10; 0.1 is 10 %
     */
    void SetJitter(double variation);

    /**
     * @brief Let the hosts issue operations before the GPUs execute them.
     * @param runAhead how far: none (the default), ahead or blocking, see TrainingApplication
     */
    void SetHostRunAhead(const std::string& runAhead)
    {
        m_hostRunAhead = runAhead;
    }

    /**
     * @brief Take the time of collectives inside a scale-up domain from the closed form of
     * ScaleUpModel even if the domains of the cluster are networks.
     *
     * The networks then carry groups across domains and rails only.
     */
    void SetDomainsByFormula()
    {
        m_domainsByFormula = true;
    }

    /**
     * @brief Let parameters that are gathered for a backward pass take the time of a link and no
     * network: no circuits are made for them.
     *
     * The emulation of the Opus paper left these gathers out of its control pattern.
     * @param nicRate rate of the NIC of a GPU, above 0
     */
    void SetFreeGathers(DataRate nicRate);

    /**
     * @brief Check that the job fits a cluster, and that the fabric can connect the ranks of each
     * group.
     * @param cluster the GPUs
     * @return an empty string, or an error
     */
    std::string Check(const RailCluster& cluster) const;

    /**
     * @brief Check that the chosen algorithms (SetAlgorithms) can be used.
     *
     * Each must be called by a group that is simulated, work in every such group, and need only
     * connectors that the cluster has. Static circuits must be installed before. In groups of up to
     * 64 ranks the schedules must fit together (CheckSchedules).
     * @param cluster the GPUs
     * @return an empty string, or an error without the name of a flag
     */
    std::string CheckAlgorithms(const RailCluster& cluster) const;

    /**
     * @brief Install collective engine, groups and program on every GPU.
     *
     * Install a control plane before (OpusHelper); its shims are notified of the ends of
     * iterations. If the scale-up domains of the cluster are networks, collectives inside domains
     * run on these networks without the control plane; otherwise they take the time of a closed
     * form (ScaleUpModel). Groups across domains and rails run on any networks over which
     * CollectiveHelper can connect them. Collectives use the algorithms of SetAlgorithms. Without a
     * choice they use rings, or CollectiveAlgorithm::GetDefaultAcross in aligned groups across
     * domains and rails, and an AllToAll uses direct exchange if its group has direct connectors,
     * else a ring.
     *
     * @param cluster as many GPUs as the job has ranks
     * @return the applications, by rank
     */
    ApplicationContainer Install(const RailCluster& cluster) const;

    /**
     * @brief Install an idle rank on every spare GPU, to be assigned in a recovery; call after
     * Install.
     * @param cluster a cluster with spare GPUs
     * @return the applications, by spare
     */
    ApplicationContainer InstallSpares(const RailCluster& cluster) const;

    /**
     * @param cluster a cluster with spare GPUs, without relays or static circuits between ranks
     * @return the configuration that a GPU needs to take over any rank
     */
    std::shared_ptr<const RecoveryJob> MakeRecoveryJob(const RailCluster& cluster) const;

    /**
     * @param cluster the GPUs
     * @return bytes of the state of a rank, see JobRanks
     */
    uint64_t GetStateBytes(const RailCluster& cluster) const;

    /**
     * @brief Assign a stream of random numbers to the jitter of every rank.
     * @param ranks the applications from Install
     * @param stream index of the first stream
     * @return number of assigned streams
     */
    static int64_t AssignStreams(const ApplicationContainer& ranks, int64_t stream);

    /**
     * @brief Stop the simulation when the last iteration of all ranks has ended.
     *
     * Otherwise Simulator::Run returns when no event is left, which never happens if something in
     * the program schedules events for ever, such as FlowMonitor.
     * @param ranks the applications from Install, of all jobs that have to end
     */
    static void StopWhenFinished(const ApplicationContainer& ranks);

    /**
     * @param cluster the GPUs
     * @return domains and groups of the job on this cluster
     */
    RankLayout GetLayout(const RailCluster& cluster) const;

  private:
    /// @return the ranks of the job on a cluster
    std::shared_ptr<const JobRanks> GetRanks(const RailCluster& cluster) const;

    /// @return the ranks with programs as SetFreeGathers wants them
    std::shared_ptr<const JobRanks> FreeGathers(std::shared_ptr<const JobRanks> ranks) const;

    /// @return a rank without a program
    Ptr<TrainingApplication> CreateRank(const RailCluster& cluster) const;
    /// Add a rank to its node, and connect the shim of the node to the ends of its iterations.
    static void AddRank(Ptr<Node> node, Ptr<TrainingApplication> application);

    /// @return an empty string, or an error in the job or in the number of GPUs
    std::string CheckSpec(const RailCluster& cluster) const;
    /// @return the job with the domains of a cluster
    WorkloadSpec GetSpec(const RailCluster& cluster) const;

    /// @return true if the calls of a group use networks, and not the closed form
    bool IsSimulated(const RailCluster& cluster,
                     const RankLayout& layout,
                     const ProcessGroup& group) const;

    WorkloadSpec m_spec;
    std::shared_ptr<const JobRanks> m_ranks; //!< instead of m_spec, or null
    uint32_t m_iterations{1};
    std::map<uint32_t, double> m_slowdowns; //!< by rank
    double m_variation{0};                  //!< standard deviation of the jitter
    std::string m_hostRunAhead{"none"};     //!< attribute of ranks
    DataRate m_freeGathers{0};              //!< see SetFreeGathers; 0: they take the rails
    bool m_domainsByFormula{false}; //!< true if networks of domains carry only groups across
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_JOB_HELPER_H
