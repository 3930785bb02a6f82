// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_DESCRIPTION_H
#define PHOTONIC_RAILS_JOB_DESCRIPTION_H

#include "training-recorder.h"

#include "ns3/job-ranks.h"
#include "ns3/memory-estimate.h"
#include "ns3/nic-bytes.h"
#include "ns3/nstime.h"
#include "ns3/rank-program.h"
#include "ns3/sharding-plan.h"
#include "ns3/workload-spec.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The cost of one micro-batch on one rank of a pipeline stage, without communication and
 * with equally loaded experts.
 */
struct StageCost
{
    double modelFlops{0};   //!< FLOPs of three forwards of matrix products and attention
    double modelSeconds{0}; //!< time of these FLOPs, if nothing but the efficiencies delays them
    double flopSeconds{0};  //!< likewise of all FLOPs
    Time forward;           //!< forward of all operators
    Time repeated;          //!< recomputation before the backward
    Time backwardInput;     //!< recomputation and gradients of inputs
    Time backwardWeight;    //!< gradients of weights

    /**
     * @param spec a job that passed validation
     * @param plan of the stage
     * @return its cost
     */
    static StageCost Make(const WorkloadSpec& spec, const ShardingPlan& plan);
};

/// The work of a step of a job.
struct StepWork
{
    uint64_t tokens{0};        //!< of all replicas
    double modelFlops{0};      //!< of all ranks, see StageCost
    double modelSeconds{0};    //!< mean of all ranks, see StageCost
    double flopSeconds{0};     //!< likewise
    double repeatedSeconds{0}; //!< recomputation, mean of all ranks

    /**
     * @param spec a job that passed validation
     * @return its work
     */
    static StepWork Make(const WorkloadSpec& spec);
};

/**
 * @brief The description of a training job, computed without a simulation, for --describe.
 *
 * The description depends only on the job: the sums are those of the programs of its ranks. The
 * JSON is documented in doc/job-description.md.
 */
struct JobDescription : JsonReport<JobDescription>
{
    /// The groups of one role in the mesh.
    struct Role
    {
        std::string name;         //!< name of the role
        uint32_t ranks{0};        //!< ranks of each group
        uint32_t groups{0};       //!< number of groups
        uint32_t insideDomain{0}; //!< groups inside one scale-up domain
        uint32_t alongRail{0};    //!< groups along one rail
        uint32_t across{0};       //!< groups across domains and rails
        bool isCalled{false};     //!< some rank calls collectives on these groups
    };

    /// A stage of the pipeline.
    struct Stage
    {
        uint32_t stage{0};
        uint32_t pipelineRank{0};
        uint32_t layers{0};
        uint64_t parameters{0};      //!< of one rank, before data parallelism
        uint64_t shardParameters{0}; //!< whose states one rank owns
        double modelFlops{0};        //!< of a rank in a step, see StageCost
        double computeSeconds{0};    //!< of a rank in a step: forwards and backwards
    };

    /// The ranks with the same program.
    struct RankClass
    {
        uint32_t ranks{0};          //!< number of ranks
        uint32_t representative{0}; //!< lowest rank
        uint32_t pipelineRank{0};
        uint64_t parameters{0};      //!< of one rank, before data parallelism
        uint64_t shardParameters{0}; //!< whose states one rank owns
        uint64_t operations{0};      //!< of a step, computations included
        CollectiveVolumes volumes;
        uint64_t inputBytes{0};         //!< of all collectives
        uint64_t scaleOutInputBytes{0}; //!< of collectives that leave the domain
        SentBytes sent;                 //!< mean over ranks, without hostNic
        uint64_t scaleOutMostBytes{0};  //!< sent.rails of the NIC that sends most
        double flops{0};                //!< FLOPs of a step, with recomputation
        double modelFlops{0};           //!< FLOPs of the model, see StageCost
        double computeSeconds{0};       //!< sum of computations
        double scaleUpSeconds{0};       //!< sum of collectives inside the domain
        double scaleOutSeconds{0};      //!< scaleOutMostBytes at the rate of the NIC
        double expectedSeconds{0};      //!< step, if traffic between domains took no time
        double leastSeconds{0};         //!< the longest of expectedSeconds, NIC and host NIC
        MemoryEstimate memory;          //!< of one rank
    };

    std::string fabric;                                        //!< fabric of the job
    std::vector<std::pair<std::string, std::string>> settings; //!< flags and their values
    std::vector<std::pair<std::string, std::string>>
        derived;                      //!< values of flags that were not given
    std::vector<std::string> remarks; //!< parts of the job that the fabric cannot carry

    std::string model;            //!< name
    uint64_t parameters{0};       //!< of the model
    uint64_t activeParameters{0}; //!< parameters that one token uses
    uint32_t worldSize{0};        //!< ranks
    uint32_t domains{0};          //!< scale-up domains, the last possibly incomplete
    uint64_t tokens{0};           //!< of all replicas in a step
    SentBytes sent;               //!< of all ranks in a step
    uint64_t hostMostBytes{0};    //!< of the NIC of a host that sends most
    double hostSeconds{0};        //!< hostMostBytes at the rate of that NIC
    JobNetwork network;           //!< network of the job
    std::string gpu;              //!< name
    uint64_t gpuMemory{0};        //!< of a GPU, in bytes
    std::string meshOrder;        //!< outermost dimension first
    std::string schedule;         //!< of the pipeline
    double bubble{0};             //!< of the pipeline by its textbook formula: idle / busy
    std::string recomputation;    //!< which, why, and the memory with it; empty for traces
    std::vector<Role> roles;      //!< those with more than one rank
    std::vector<Stage> stages;    //!< first stage first
    std::vector<RankClass> classes;

    /**
     * @brief Describe the ranks of a job.
     * @param ranks the ranks
     * @param network the network of the job
     * @return the description, without model, GPU, fabric, settings and remarks
     */
    static JobDescription Make(const JobRanks& ranks, const JobNetwork& network);
    /// @param spec the job whose ranks are described, of which model and stages are added
    void AddModel(const WorkloadSpec& spec);

    /// @return the keys and values of the JSON object
    static const ReportTable<JobDescription>& GetTable();

    /// @param os receives text tables
    void WriteTable(std::ostream& os) const;

  private:
    /// Add stages and bubble of the pipeline.
    void AddStages(const WorkloadSpec& spec);
};

/**
 * @brief Compute the duration of a program if traffic between domains takes no time.
 *
 * An operation begins when the operation before on the same stream and all its dependencies have
 * ended. Collectives beside computation therefore count only as far as computation does not hide
 * them.
 * @param program of a rank
 * @return the duration of a step
 */
Time GetTimeWithoutScaleOut(const RankProgram& program);

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_DESCRIPTION_H
