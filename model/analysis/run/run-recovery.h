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

/// The times of a recovery, after which a job continues on other GPUs; see RecoveryProtocol.
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

    std::vector<uint32_t> gpus; //!< lost GPUs, in the order of detection
    std::vector<Move> moves;    //!< moved ranks, in order
    Time lost;                  //!< when the first GPU broke
    Time detected;              //!< when the coordinator learned of the loss
    Time stopped;               //!< when all GPUs had left their groups, in the last attempt
    Time replaced;              //!< when the circuits had been planned
    Time ready;                 //!< when all communicators had been built
    Time resumed;               //!< when the last rank continued
    uint32_t attempts{0};       //!< generations; more than one if further GPUs broke
    uint32_t iteration{0};      //!< first iteration after the recovery
    Time lostWork;              //!< from the begin of this iteration until the GPU broke
    uint32_t sparesLeft{0};     //!< spares without a rank after the recovery

    /// @return the steps in order, from the loss until the last rank continues
    std::vector<Step> GetSteps() const;
    /// @return the lost GPUs as text, such as 5, 7
    std::string GetGpusText() const;
    /**
     * @param most most moves in the list
     * @return the moves as text, such as rank 5 from GPU 5 to 17
     */
    std::string GetMovesText(std::size_t most) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RUN_RECOVERY_H
