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

/// The times of a recovery, in which a job begins anew on other GPUs; see RecoveryProtocol.
struct RunRecovery
{
    /// A rank that has moved to another GPU.
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
    Time detected;              //!< when the coordinator learned of the loss
    Time stopped;               //!< when all GPUs had left their groups, for the last time
    Time replaced;              //!< when circuits were planned
    Time ready;                 //!< when all communicators existed
    Time resumed;               //!< when the last rank continued
    uint32_t attempts{0};       //!< generations; more than one if further GPUs broke
    uint32_t iteration{0};      //!< first iteration after the recovery
    Time lostWork;              //!< from the begin of that iteration until the GPU broke
    uint32_t sparesLeft{0};     //!< spares that no rank is on, afterwards

    /// @return the steps in order, from the loss until the last rank continues
    std::vector<Step> GetSteps() const;
    /// @return the lost GPUs for people: 5, 7
    std::string GetGpusText() const;
    /**
     * @param most largest number of moves that are listed
     * @return the moves, for people: rank 5 from GPU 5 to 17
     */
    std::string GetMovesText(std::size_t most) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RUN_RECOVERY_H
