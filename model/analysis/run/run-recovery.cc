// SPDX-License-Identifier: GPL-2.0-only

#include "run-recovery.h"

#include <algorithm>

namespace ns3
{

std::vector<RunRecovery::Step>
RunRecovery::GetSteps() const
{
    return {{"detect", lost, detected},
            {"stop", detected, stopped},
            {"plan", stopped, replaced},
            {"build", replaced, ready},
            {"go", ready, resumed}};
}

std::string
RunRecovery::GetGpusText() const
{
    std::string text;
    for (const uint32_t gpu : gpus)
    {
        text += (text.empty() ? "" : ", ") + std::to_string(gpu);
    }
    return text;
}

std::string
RunRecovery::GetMovesText(std::size_t most) const
{
    std::string text;
    for (std::size_t i = 0; i < std::min(most, moves.size()); ++i)
    {
        text += (i == 0 ? "rank " : ", rank ") + std::to_string(moves[i].rank) + " from GPU " +
                std::to_string(moves[i].from) + " to " + std::to_string(moves[i].to);
    }
    return moves.size() <= most
               ? text
               : text + " and " + std::to_string(moves.size() - most) + " other ranks";
}

} // namespace ns3
