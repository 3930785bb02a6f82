// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RUN_RECOVERY_H
#define PHOTONIC_RAILS_RUN_RECOVERY_H

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// A job has begun anew with other GPUs, see RecoveryProtocol: when the steps were done.
struct RunRecovery
{
    /// A rank that is on another GPU than before.
    struct Move
    {
        uint32_t rank{0};
        uint32_t from{0}; //!< GPU
        uint32_t to{0};   //!< GPU
    };

    /// A part of the recovery. Each begins when the one before ends.
    struct Step
    {
        const char* name; //!< as in doc/recovery-json.md: detect, stop, plan, build, go
        Time begin;
        Time end;
    };

    std::vector<uint32_t> gpus; //!< that were lost, in the order in which they were missed
    std::vector<Move> moves;    //!< by rank
    Time lost;                  //!< when the first of them broke
    Time detected;              //!< the coordinator has heard of it
    Time stopped;               //!< all GPUs have left their groups, for the last time
    Time replaced;              //!< circuits are planned
    Time ready;                 //!< communicators are there
    Time resumed;               //!< the last rank goes on
    uint32_t attempts{0};       //!< generations that it took; more than one if GPUs broke meanwhile
    uint32_t iteration{0};      //!< with which the job went on
    Time lostWork;              //!< from the begin of that iteration until the GPU broke
    uint32_t sparesLeft{0};     //!< spares that no rank is on, afterwards

    /// @return its parts in order, from the loss until the last rank goes on
    std::vector<Step> GetSteps() const;
    /// @return the lost GPUs for people: 5, 7
    std::string GetGpusText() const;
    /**
     * @param most how many moves are told one by one
     * @return where ranks went, for people: rank 5 from GPU 5 to 17
     */
    std::string GetMovesText(std::size_t most) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RUN_RECOVERY_H
