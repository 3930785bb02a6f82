// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_JOB_HELPER_H
#define PHOTONIC_RAILS_TRAINING_JOB_HELPER_H

#include "ns3/application-container.h"
#include "ns3/device-mesh.h"
#include "ns3/rail-cluster.h"
#include "ns3/rank-classes.h"
#include "ns3/rank-program-builder.h"
#include "ns3/recovery-job.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class TrainingApplication;

/**
 * @brief Runs a training job on a cluster: one TrainingApplication per GPU.
 *
 * The scale-up domains are those of the cluster, whatever the parallelism says of them.
 */
class TrainingJobHelper
{
  public:
    /// @param model a name of TransformerSpec; aborts if there is none. On A100 GPUs at first.
    explicit TrainingJobHelper(const std::string& model);
    /// @param spec what is trained and how
    explicit TrainingJobHelper(const WorkloadSpec& spec);

    /// @param parallelism degrees, micro-batches and sequence length
    void SetParallelism(const ParallelismSpec& parallelism);
    /**
     * @param gpu a name of GpuSpec; aborts if there is none
     * @param computeEfficiency share of its peak FLOP/s while computing, above 0 and at most 1
     */
    void SetGpu(const std::string& gpu, double computeEfficiency);
    /// @param iterations how many to run, at least 1
    void SetIterations(uint32_t iterations);
    /**
     * @brief Let one rank compute slower (or faster) than the others.
     * @param rank its global rank
     * @param factor on the duration of its computations, 0.1 to 100
     */
    void SetSlowdown(uint32_t rank, double factor);
    /**
     * @brief Let the durations of all computations vary: independent log-normal factors of mean 1.
     * @param variation standard deviation of a factor, 0 (no jitter) to 10; 0.1 is 10 %
     */
    void SetJitter(double variation);
    /**
     * @brief Run rail 0 of the job, which stands for all (RailSymmetry, whose Check must pass).
     *
     * The cluster is then one rail: as many GPUs as the job has domains, with one GPU in each. The
     * scale-up domains are those of the parallelism.
     */
    void SetOneRail();

    /**
     * @brief Check that the job fits a cluster, and that its fabric can join the ranks of each
     * group.
     * @param cluster the GPUs
     * @return an empty string, or what does not fit
     */
    std::string Check(const RailCluster& cluster) const;

    /**
     * @brief Give every GPU its collective library, its groups and its program.
     *
     * Install a control plane before (OpusHelper); its shims are told of the ends of iterations.
     * If the scale-up domains of the cluster are networks, collectives inside them run there, and
     * no control plane hears of them; otherwise they take the time of a closed form (ScaleUpModel).
     * Groups across domains and rails run wherever CollectiveHelper can connect them. Collectives
     * are rings, AllToAlls direct exchanges where a group has lanes for that, else rings, too.
     *
     * @param cluster as many GPUs as the job has ranks
     * @return the applications, by rank
     */
    ApplicationContainer Install(const RailCluster& cluster) const;

    /**
     * @brief Give every spare GPU a rank that waits to be told which; after Install.
     * @param cluster with spare GPUs
     * @return the applications, by spare
     */
    ApplicationContainer InstallSpares(const RailCluster& cluster) const;

    /**
     * @param cluster with spare GPUs, without relays or circuits that stay between ranks
     * @return what every GPU has to know to take the part of any rank
     */
    std::shared_ptr<const RecoveryJob> MakeRecoveryJob(const RailCluster& cluster) const;

    /**
     * @param cluster the GPUs
     * @return bytes of the state of a rank: with Adam in mixed precision 12 for each parameter of
     * its shard, as weights and both moments are kept with 4 bytes each
     */
    uint64_t GetStateBytes(const RailCluster& cluster) const;

    /**
     * @brief Give the jitter of every rank a stream of random numbers of its own.
     * @param ranks what Install has returned
     * @param stream index of the first stream
     * @return how many streams have been assigned
     */
    static int64_t AssignStreams(const ApplicationContainer& ranks, int64_t stream);

    /**
     * @param cluster the GPUs
     * @return the mesh of the job there
     */
    DeviceMesh GetMesh(const RailCluster& cluster) const;

  private:
    /// Programs by class of ranks.
    using Programs = std::vector<std::shared_ptr<const RankProgram>>;

    /// Install ranks of these programs. @return the ranks
    ApplicationContainer Install(const RailCluster& cluster,
                                 const DeviceMesh& mesh,
                                 const RankClasses& classes,
                                 const Programs& programs) const;

    /// @return a rank, without a program
    Ptr<TrainingApplication> CreateRank(const RailCluster& cluster) const;
    /// Add a rank to its node, and let the shim there hear of the ends of its iterations.
    static void AddRank(Ptr<Node> node, Ptr<TrainingApplication> application);

    /// @return an empty string, or what is wrong with the job or the number of GPUs
    std::string CheckSpec(const RailCluster& cluster) const;
    /// @return the job on the domains of a cluster
    WorkloadSpec GetSpec(const RailCluster& cluster) const;

    WorkloadSpec m_spec;
    uint32_t m_iterations{1};
    std::map<uint32_t, double> m_slowdowns; //!< by rank
    double m_variation{0};                  //!< of the jitter
    bool m_oneRail{false};                  //!< the cluster is rail 0 of the job
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_JOB_HELPER_H
