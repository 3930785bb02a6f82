// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIPELINE_SHAPES_H
#define PHOTONIC_RAILS_PIPELINE_SHAPES_H

#include "../random-search.h"

#include "ns3/pipeline-schedule.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @param kind a schedule
 * @return its shapes with up to 8 ranks, 16 micro-batches and 4 chunks
 */
inline std::vector<PipelineShape>
GetSmallShapes(const Variant<PipelineSchedule>& kind)
{
    std::vector<PipelineShape> shapes;
    for (uint32_t ranks = 1; ranks <= 8; ++ranks)
    {
        for (uint32_t microBatches = 1; microBatches <= 16; ++microBatches)
        {
            for (uint32_t chunks = 1; chunks <= 4; ++chunks)
            {
                const PipelineShape shape{kind, ranks, chunks, microBatches};
                if (shape.Validate().empty())
                {
                    shapes.push_back(shape);
                }
            }
        }
    }
    return shapes;
}

/**
 * @param kind a schedule
 * @return its small shapes, or a sample where few seeds are wanted
 */
inline std::vector<PipelineShape>
SampleSmallShapes(const Variant<PipelineSchedule>& kind)
{
    return test::TakeSample(GetSmallShapes(kind), 3);
}

/// @return the samples of all schedules, those of the interleaved one also with sends in pairs
inline std::vector<PipelineShape>
SampleSmallShapes()
{
    std::vector<PipelineShape> shapes;
    for (const auto& kind : Variant<PipelineSchedule>::GetNames())
    {
        const auto own = SampleSmallShapes(kind);
        shapes.insert(shapes.end(), own.begin(), own.end());
        for (auto shape : own)
        {
            shape.sendsInPairs = kind == "interleaved";
            shapes.insert(shapes.end(), shape.sendsInPairs ? 1 : 0, shape);
        }
    }
    return shapes;
}

/**
 * @param shape a shape
 * @return it for people
 */
inline std::string
Describe(const PipelineShape& shape)
{
    return shape.schedule->GetName() + " ranks " + std::to_string(shape.ranks) + " chunks " +
           std::to_string(shape.chunks) + " micro-batches " + std::to_string(shape.microBatches) +
           (shape.sendsInPairs ? " in pairs" : "");
}

} // namespace ns3

#endif // PHOTONIC_RAILS_PIPELINE_SHAPES_H
