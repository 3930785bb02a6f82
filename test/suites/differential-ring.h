// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DIFFERENTIAL_RING_H
#define PHOTONIC_RAILS_DIFFERENTIAL_RING_H

#include "differential-record.h"

#include "ns3/collective-call.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/**
 * @brief Rails of GPUs joined into rings of circuits, and collectives, several at a time.
 *
 * Times are in picoseconds, from when the collectives begin.
 */
struct RingScenario
{
    static constexpr const char* NAME = "ring"; //!< of the family

    /// A call of all ranks of a group.
    struct Call
    {
        uint32_t group{0};
        CollectiveKind kind{CollectiveKind::ALL_REDUCE};
        uint64_t bytes{0};
        uint64_t at{0};      //!< when the first rank calls
        uint64_t skew{0};    //!< by so much later calls each rank, modulo 4
        uint32_t root{0};    //!< index of the sender or root
        bool chained{false}; //!< each rank calls when its call before this one has ended
    };

    /// Kinds of disturbances.
    enum Kind
    {
        TEAR,   //!< a circuit is dropped and made again by one command
        CUT,    //!< a circuit is dropped, and made again `value` later
        ERRORS, //!< a port loses `value` of 1000 frames that arrive
        WINDOW, //!< all queue pairs of a GPU get another Window
        READ,   //!< counts are read
        PFC,    //!< a port pauses data of its link partner for `value`
        TRACE,  //!< frames that a port sends are traced from now on
        KINDS
    };

    struct Action
    {
        Kind kind{READ};
        uint64_t at{0};
        uint32_t gpu{0};
        uint32_t port{0};
        uint64_t value{0};
    };

    uint64_t seed{0};
    uint32_t domains{4}; //!< GPUs of a ring
    uint32_t rails{1};
    uint32_t ports{2};           //!< of a GPU
    uint64_t rate{0};            //!< bit/s
    uint64_t fiber{0};           //!< ps
    uint64_t reconfiguration{0}; //!< ps
    uint32_t mtu{4096};
    uint32_t window{1 << 20};
    uint32_t ackInterval{32};
    uint32_t directions{2};
    uint32_t groupsPerRail{1};
    bool selective{false};
    std::string control; //!< TypeId of the congestion control
    std::vector<Call> calls;
    std::vector<Action> actions;

    /**
     * @param seed any number
     * @return the scenario of that seed
     */
    static RingScenario Make(uint64_t seed);
    /// @return all of it, in a line
    std::string ToText() const;
    /// @return scenarios with less in them
    std::vector<RingScenario> Simplify() const;
    /// @return the record of the run
    Record Run(const RunMode& mode) const;
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_DIFFERENTIAL_RING_H
