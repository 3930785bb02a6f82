// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_RANDOM_RUN_H
#define PHOTONIC_RAILS_OPUS_RANDOM_RUN_H

#include "opus-random-scenario.h"
#include "opus-random-watch.h"

#include "ns3/nstime.h"

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/// The results of a run.
struct OpusOutcome
{
    std::string error;            //!< what went wrong first, or empty
    OpusWatch::Counts counts;     //!< how much has been watched
    uint64_t speculative{0};      //!< requests before a call needed them
    uint64_t recalls{0};          //!< leases that the controller wanted back
    uint64_t cacheHits{0};        //!< grants without a command
    uint64_t delayed{0};          //!< commands that waited in the controller
    std::vector<Time> iterations; //!< when the last rank ended each, of the first drawn job
    uint64_t hostBytes{0};        //!< over the host network

    std::vector<Time> moments;   //!< when something was heard of
    uint64_t crashes{0};         //!< of controllers
    uint64_t takeovers{0};       //!< by standbys
    uint64_t retransmissions{0}; //!< of control frames
};

/// Called with the control plane at the end of a run with trouble.
using OpusAtEnd = std::function<void(const OpusHelper&)>;

/**
 * @brief Carry out a scenario with an OpusWatch; one with trouble first without the trouble, to
 * find the moments at which it can occur.
 * @param scenario jobs, control plane and trouble
 * @param log gets a line for everything that is watched; null for none
 * @param atEnd called at the end of the run with trouble
 * @return the results
 */
OpusOutcome RunOpus(const OpusScenario& scenario,
                    std::ostream* log = nullptr,
                    const OpusAtEnd& atEnd = nullptr);

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_RANDOM_RUN_H
