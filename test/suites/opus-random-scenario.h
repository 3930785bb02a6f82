// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_RANDOM_SCENARIO_H
#define PHOTONIC_RAILS_OPUS_RANDOM_SCENARIO_H

#include "differential-draw.h"
#include "opus-random-trouble.h"

#include "ns3/collective-call.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/// A step of a job: a collective of a group, or a message within it.
struct OpusStep
{
    uint32_t group{0};                               //!< index in RandomJob::groups
    CollectiveKind kind{CollectiveKind::ALL_REDUCE}; //!< SEND stands for both ends of a message
    uint64_t bytes{0};                               //!< input of each rank
    uint32_t from{0};                                //!< index of the sender of a message
    uint32_t to{0};                                  //!< and of the receiver
    std::vector<Time> think; //!< how long each rank of the group computes before
};

/**
 * @brief A small job on domains of its own.
 *
 * Either flags of the program that trains, or steps in one order of which every rank carries out
 * its own, stream by stream: such a job ends on a network that connects everybody.
 */
struct RandomJob
{
    uint32_t domains{0};            //!< scale-up domains that it has
    std::vector<std::string> flags; //!< empty for a drawn job
    uint32_t iterations{0};         //!< of a job of flags

    uint32_t streams{1};              //!< of every rank
    std::vector<ProcessGroup> groups; //!< each along one rail, or aligned across several
    /// By iteration; some differ from the one before.
    std::vector<std::vector<OpusStep>> steps;
};

/// Jobs on photonic rails with Opus, and everything that takes time there.
struct OpusScenario
{
    static constexpr const char* NAME = "opus"; //!< of the family

    uint64_t seed{0};
    bool across{false};          //!< groups across rails, over networks in the domains
    uint32_t rails{1};           //!< GPUs of a scale-up domain
    uint32_t nicPorts{2};        //!< of a GPU: 1, 2 or 4
    DataRate portRate;           //!< of each
    Time fiberDelay;             //!< of a fiber
    Time reconfigurationDelay;   //!< of an OCS
    Time lockTime;               //!< of transceivers
    Time controlLatency;         //!< one way
    std::vector<Time> more;      //!< latency of the links of one host after the other, beside that
    Time messageTime;            //!< of the controller
    Time managerTime;            //!< of a manager for a message
    Time agentTime;              //!< of an agent for a message
    Time commandLatency;         //!< of an agent
    Time coalesceTime;           //!< of managers
    uint32_t commandWindow{0};   //!< of the controller
    uint32_t threads{1};         //!< of the controller
    bool perRail{false};         //!< a controller for each rail
    std::string policy;          //!< of circuits
    Time holdTime;               //!< of shims that do not keep leases
    uint32_t sliceGrants{0};     //!< of shims: when collectives are suspended; 0: they end first
    bool detect{false};          //!< shims find iterations themselves
    uint64_t threshold{0};       //!< below it calls take the host network; 0: there is none
    std::string hosts{"none"};   //!< how far they run ahead: none, ahead or blocking
    Time launchTime;             //!< of a host for a call
    uint32_t launchDepth{1};     //!< calls that a host issues before the first of them has ended
    std::string exchange;        //!< algorithm of an AllToAll; empty: no job has one
    uint32_t tracks{0};          //!< of the TrackFabric of each switch; 0: any matching can be up
    std::vector<RandomJob> jobs; //!< one or two
    OpusTrouble trouble;         //!< in a share of all scenarios

    /**
     * @param seed any number
     * @return the scenario of that seed
     */
    static OpusScenario Make(uint64_t seed);
    /**
     * @param seed any number
     * @return a scenario of two or eight rails in which groups lease circuits on several of them
     */
    static OpusScenario MakeAcross(uint64_t seed);
    /**
     * @param seed any number
     * @return a scenario of Make or MakeAcross whose hosts run ahead
     */
    static OpusScenario MakeAhead(uint64_t seed);
    /// @return a scenario of MakeAcross, or one of Make without AllToAll
    static OpusScenario MakeAny(uint64_t seed, bool across);
    /// @return all but the steps, in a line
    std::string ToText() const;
    /// @return the steps of a job, a line each
    static std::string ToText(const RandomJob& job);
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_RANDOM_SCENARIO_H
