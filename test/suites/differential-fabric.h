// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DIFFERENTIAL_FABRIC_H
#define PHOTONIC_RAILS_DIFFERENTIAL_FABRIC_H

#include "differential-record.h"
#include "packet-stream.h"

#include "ns3/rail-cluster.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/**
 * @brief GPUs on a network of electrical switches, and messages that share its links.
 *
 * Times are in picoseconds.
 */
struct FabricScenario
{
    static constexpr const char* NAME = "fabric"; //!< of the family

    struct Message
    {
        uint32_t from{0}; //!< a GPU
        uint32_t to{0};   //!< another
        uint64_t bytes{0};
        uint64_t at{0};
        bool scaleUp{false}; //!< on the network of their scale-up domain
        bool signaled{true};
    };

    /// Kinds of disturbances.
    enum Kind
    {
        PAUSE,  //!< all messages from a GPU, for `value`
        ERRORS, //!< a NIC port loses `value` of 1000 frames that arrive
        READ,   //!< counts are read
        KINDS,
        // drawn for pairs only
        LATENCY = KINDS, //!< of all switches, from now on `value`
        LISTEN,          //!< somebody listens to what a switch sends
        STOP,            //!< a NIC port asks for a pause of priority 3, for `value`
        DEPTH,           //!< all queues are looked at
        PAIR_KINDS
    };

    struct Action
    {
        Kind kind{READ};
        uint64_t at{0};
        uint32_t gpu{0};
        uint64_t value{0};
    };

    uint64_t seed{0};
    RailFabric fabric{"electrical"};
    uint32_t domains{2};
    uint32_t gpusPerDomain{1};
    uint32_t ports{1};
    uint32_t radix{0}; //!< of switches, 0: as large as necessary
    uint32_t oversubscription{1};
    uint64_t rate{0};
    uint64_t fiber{0};
    uint64_t hop{0};
    bool cutThrough{false};
    bool pfc{true};
    bool ecn{true};
    uint64_t buffer{0};
    uint64_t kmin{0};
    uint64_t kmax{0};
    bool scaleUp{false};
    bool alike{false}; //!< the scale-up network is like a rail, and GPUs answer elsewhere
    uint32_t mtu{4096};
    uint32_t window{1 << 20};
    uint32_t ackInterval{32};
    bool selective{false};
    std::string balancing{"ecmp"}; //!< LoadBalancing of the switches
    uint32_t tolerance{0};         //!< ReorderTolerance of the queue pairs
    std::string control;           //!< TypeId of the congestion control
    bool started{false};           //!< switches have divided their memory before the first frame
    uint32_t retryPackets{8};      //!< packets between attempts to gather
    bool shared{false};            //!< messages between two GPUs share a connection
    uint32_t answers{0};           //!< how often a message goes back and forth after its arrival
    std::vector<Message> messages;
    std::vector<Action> actions;
    std::vector<PacketStream> packets; //!< of IP stacks on the same ports

    /**
     * @param seed any number
     * @return the scenario of that seed
     */
    static FabricScenario Make(uint64_t seed);
    /// Draw packets of IP stacks, in a quarter of the scenarios.
    void MakePackets(Draw& draw);
    /// @return all of it, in a line
    std::string ToText() const;
    /// @return scenarios with less in them
    std::vector<FabricScenario> Simplify() const;
    /// @return the record of the run
    Record Run(const RunMode& mode) const;

    /// @return GPUs in all domains
    uint32_t GetGpus() const
    {
        return domains * gpusPerDomain;
    }
};

/**
 * @brief A family of scenarios of electrical fabrics.
 * @tparam FAMILY draws the scenarios, and has their NAME
 */
template <typename FAMILY>
struct FabricFamily : FabricScenario
{
    static constexpr const char* NAME = FAMILY::NAME; //!< of the family

    FabricFamily() = default;

    /// @param scenario one of the family
    explicit FabricFamily(const FabricScenario& scenario)
        : FabricScenario(scenario)
    {
    }

    /// @copydoc FabricScenario::Make
    static FabricFamily Make(uint64_t seed)
    {
        return FabricFamily(FAMILY::Make(seed));
    }

    /// @copydoc FabricScenario::Simplify
    std::vector<FabricFamily> Simplify() const
    {
        std::vector<FabricFamily> simpler;
        for (const auto& scenario : FabricScenario::Simplify())
        {
            simpler.emplace_back(scenario);
        }
        return simpler;
    }
};

/// Pairs of GPUs that have their ports of a switch to themselves most of the time.
struct PairFamily
{
    static constexpr const char* NAME = "pair"; //!< of the family
    static FabricScenario Make(uint64_t seed);  //!< see FabricScenario::Make
};

/// GPUs at an electrical switch that talk to several others at a time.
struct CrowdFamily
{
    static constexpr const char* NAME = "crowd"; //!< of the family
    static FabricScenario Make(uint64_t seed);   //!< see FabricScenario::Make
};

/// Up to 200 NIC ports around one or several switches, with several queue pairs at each port.
struct WideFamily
{
    static constexpr const char* NAME = "wide"; //!< of the family
    static FabricScenario Make(uint64_t seed);  //!< see FabricScenario::Make
};

/// GPUs of several ports that answer each message at the time at which it arrives, with windows of
/// a few packets: messages are posted while frames arrive at other ports of the NIC.
struct AnswerFamily
{
    static constexpr const char* NAME = "answers"; //!< of the family
    static FabricScenario Make(uint64_t seed);     //!< see FabricScenario::Make
};

/// GPUs that answer each message on another of their connections, on their rail or in their domain,
/// whose networks are alike: messages are posted while frames arrive at another NIC of the GPU.
struct NetworksFamily
{
    static constexpr const char* NAME = "networks"; //!< of the family
    static FabricScenario Make(uint64_t seed);      //!< see FabricScenario::Make
};

using PairScenario = FabricFamily<PairFamily>;
using CrowdScenario = FabricFamily<CrowdFamily>;
using WideScenario = FabricFamily<WideFamily>;
using AnswerScenario = FabricFamily<AnswerFamily>;
using NetworksScenario = FabricFamily<NetworksFamily>;

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_DIFFERENTIAL_FABRIC_H
