// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-schedule.h"

#include "pipeline-transfers.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PipelineSchedule);

uint32_t
PipelineShape::GetRank(uint32_t stage) const
{
    return schedule->GetRank(*this, stage);
}

uint32_t
PipelineShape::GetStage(uint32_t rank, uint32_t chunk) const
{
    // The search starts at the default placement.
    uint32_t position = rank;
    while (GetRank(chunk * ranks + position) != rank)
    {
        position = (position + 1) % ranks;
        NS_ASSERT_MSG(position != rank, "rank " << rank << " has no chunk " << chunk);
    }
    return chunk * ranks + position;
}

std::string
PipelineShape::Validate() const
{
    if (ranks == 0)
    {
        return "pp=0: must be 1 or more";
    }
    if (microBatches == 0)
    {
        return "microBatches=0: must be 1 or more";
    }
    if (auto error = schedule->Validate(*this); !error.empty())
    {
        return error;
    }
    const std::string place = "schedule=" + schedule->GetName() + ": has stage ";
    std::vector<uint32_t> stages(ranks); // number of stages placed on each rank so far
    for (uint32_t stage = 0; stage < GetStages(); ++stage)
    {
        const uint32_t rank = GetRank(stage);
        if (rank >= ranks || stages[rank]++ != GetChunk(stage))
        {
            return place + std::to_string(stage) + " on rank " + std::to_string(rank) +
                   ", which is not one of " + std::to_string(ranks) +
                   " ranks or has another stage of the same chunk";
        }
        const uint32_t last = stage == 0 ? rank : GetRank(stage - 1);
        if (rank != last && rank != (last + 1) % ranks && last != (rank + 1) % ranks)
        {
            return place + std::to_string(stage) + " on rank " + std::to_string(rank) +
                   " and the stage before on rank " + std::to_string(last) +
                   ", which is no neighbour";
        }
    }
    return "";
}

double
PipelineShape::GetBubbleRatio(const PipelinePasses& passes) const
{
    const Time ideal = passes.GetSum() * int64_t{microBatches} * int64_t{chunks};
    const Time bubble = std::max(Time(0), schedule->GetBubble(*this, passes));
    return bubble.GetDouble() / ideal.GetDouble();
}

TypeId
PipelineSchedule::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PipelineSchedule").SetParent<Object>().SetGroupName("PhotonicRails");
    return tid;
}

uint32_t
PipelineSchedule::GetRank(const PipelineShape& shape, uint32_t stage) const
{
    return stage % shape.ranks;
}

uint32_t
PipelineSchedule::GetBatchKey(const PipelineShape&, uint32_t from, uint32_t to) const
{
    return std::min(from, to);
}

PipelineActions
PipelineSchedule::MakeProgram(const PipelineShape& shape, uint32_t rank) const
{
    return PipelineTransfers(shape).Write(rank);
}

std::vector<PipelineActions>
PipelineSchedule::MakePrograms(const PipelineShape& shape) const
{
    const PipelineTransfers transfers(shape);
    std::vector<PipelineActions> programs;
    for (uint32_t rank = 0; rank < shape.ranks; ++rank)
    {
        programs.push_back(transfers.Write(rank));
    }
    return programs;
}

std::string
PipelineSchedule::NeedsChunks(const PipelineShape& shape, uint32_t chunks) const
{
    return shape.chunks == chunks
               ? ""
               : "virtualStages=" + std::to_string(shape.chunks) + ": " + GetName() + " needs " +
                     std::to_string(chunks) + (chunks == 1 ? " chunk" : " chunks") + " a rank";
}

} // namespace ns3
