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
 * @brief What one micro-batch costs on one stage of a pipeline, on one rank, without communication
 * and with experts that are equally loaded.
 */
struct StageCost
{
    double modelFlops{0}; //!< three forwards of matrix products and attention
    Time forward;         //!< of all operators
    Time backwardInput;   //!< of gradients of inputs; with what full recomputation runs again
    Time backwardWeight;  //!< of gradients of weights

    /**
     * @param spec a job that passed validation
     * @param plan of the stage
     * @return its cost
     */
    static StageCost Make(const WorkloadSpec& spec, const ShardingPlan& plan);
};

/// What a step of a job does, in whatever time.
struct StepWork
{
    uint64_t tokens{0};   //!< of all replicas
    double modelFlops{0}; //!< of all ranks, see StageCost

    /**
     * @param spec a job that passed validation
     * @return its work
     */
    static StepWork Make(const WorkloadSpec& spec);
};

/**
 * @brief What a training job is, without running it: the object behind --describe.
 *
 * A pure function of the job: the programs of its ranks are built and added up, nothing is
 * simulated. The JSON is documented in doc/job-description.md.
 */
struct JobDescription
{
    /// Groups that play one part in the mesh.
    struct Role
    {
        std::string name;         //!< of the role
        uint32_t ranks{0};        //!< of each group
        uint32_t groups{0};       //!< how many there are
        uint32_t insideDomain{0}; //!< of them, those inside one scale-up domain
        uint32_t alongRail{0};    //!< those along one rail
        uint32_t across{0};       //!< those across domains and rails
        bool isCalled{false};     //!< some rank calls collectives on it
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

    /// Ranks that run the same program.
    struct RankClass
    {
        uint32_t ranks{0};          //!< how many
        uint32_t representative{0}; //!< the lowest
        uint32_t pipelineRank{0};
        uint64_t parameters{0};      //!< of one rank, before data parallelism
        uint64_t shardParameters{0}; //!< whose states one rank owns
        uint64_t operations{0};      //!< of a step, computations included
        CollectiveVolumes volumes;
        uint64_t inputBytes{0};         //!< of all collectives
        uint64_t scaleOutInputBytes{0}; //!< of those that leave the domain
        uint64_t scaleOutSentBytes{0};  //!< what a NIC sends for them, on average, see NicBytes
        uint64_t scaleOutMostBytes{0};  //!< what the NIC sends that sends most
        uint64_t hostSentBytes{0};      //!< what a rank sends over the host network, on average
        uint64_t scaleUpSentBytes{0};   //!< and over the network of its domain
        uint64_t forwardedBytes{0};     //!< of all these, passed on for others, on average
        double flops{0};                //!< computed in a step, with what is computed again
        double modelFlops{0};           //!< that the model asks for, see StageCost
        double computeSeconds{0};       //!< sum of computations
        double scaleUpSeconds{0};       //!< sum of collectives inside the domain
        double scaleOutSeconds{0};      //!< scaleOutMostBytes at the rate of the NIC
        double expectedSeconds{0};      //!< step, if nothing that leaves the domain took time
        double leastSeconds{0};         //!< the longest of expectedSeconds, NIC and host NIC
        MemoryEstimate memory;          //!< of one rank
    };

    std::string fabric;                                        //!< that the job would run on
    std::vector<std::pair<std::string, std::string>> settings; //!< flags and their values
    std::vector<std::pair<std::string, std::string>> derived;  //!< what holds for flags not given
    std::vector<std::string> remarks;                          //!< what cannot be on that fabric

    std::string model;             //!< name
    uint64_t parameters{0};        //!< of the model
    uint64_t activeParameters{0};  //!< that one token meets
    uint32_t worldSize{0};         //!< ranks
    uint32_t domains{0};           //!< scale-up domains, the last possibly incomplete
    uint64_t tokens{0};            //!< of all replicas in a step
    uint64_t scaleOutSentBytes{0}; //!< of all NICs in a step
    uint64_t hostSentBytes{0};     //!< of all ranks over the host network in a step
    uint64_t scaleUpSentBytes{0};  //!< of all ranks over networks of domains in a step
    uint64_t forwardedBytes{0};    //!< of all these, passed on for others
    uint64_t hostMostBytes{0};     //!< of the NIC of a host that sends most
    double hostSeconds{0};         //!< hostMostBytes at the rate of that NIC
    JobNetwork network;            //!< for which the job is described
    std::string gpu;               //!< name
    uint64_t gpuMemory{0};         //!< of a GPU, in bytes
    std::string meshOrder;         //!< outermost dimension first
    std::string schedule;          //!< of the pipeline
    double bubble{0};              //!< of the pipeline by its textbook formula: idle / busy
    std::vector<Role> roles;       //!< those with more than one rank
    std::vector<Stage> stages;     //!< first stage first
    std::vector<RankClass> classes;

    /**
     * @brief Describe the ranks of a job.
     * @param ranks the ranks
     * @param network that they are for
     * @return the description, without model, GPU, fabric, settings and remarks
     */
    static JobDescription Make(const JobRanks& ranks, const JobNetwork& network);
    /// @param spec the job whose ranks are described, of which model and stages are added
    void AddModel(const WorkloadSpec& spec);

    /// @return all keys of the JSON object
    static ReportKeys ListKeys();
    /// @param os where to write the JSON object
    void WriteJson(std::ostream& os) const;

    /// @param os where to write tables for people
    void WriteTable(std::ostream& os) const;

  private:
    /// Add stages and bubble of the pipeline.
    void AddStages(const WorkloadSpec& spec);
};

/**
 * @brief How long a program takes if what leaves the domain takes no time.
 *
 * Every operation begins when those before it on its stream and those that it depends on have
 * ended. So collectives beside computation count only as far as they are not hidden.
 * @param program of a rank
 * @return the duration of a step
 */
Time GetTimeWithoutScaleOut(const RankProgram& program);

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_DESCRIPTION_H
