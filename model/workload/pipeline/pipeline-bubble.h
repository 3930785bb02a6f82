// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIPELINE_BUBBLE_H
#define PHOTONIC_RAILS_PIPELINE_BUBBLE_H

#include "pipeline-schedule.h"

#include "ns3/nstime.h"

namespace ns3
{

/**
 * @brief Bubbles of pipeline schedules as their authors give them, for transfers that take no time
 * and stages that are all alike.
 *
 * With p ranks, and F, I and W the times of a forward, an input gradient and a weight gradient of
 * one micro-batch on one stage (so on one chunk, not on a whole rank), every rank is idle for
 *
 * | schedule | bubble | source |
 * |---|---|---|
 * | gpipe, 1f1b | (p - 1)(F + I + W) | arXiv 2104.04473, section 2.2 |
 * | interleaved | (p - 1)(F + I + W) | same: (p - 1)(tf + tb) / v, tf and tb of v chunks |
 * | zb-h1 | (p - 1)(F + I - W) | arXiv 2401.10241 |
 * | dualpipev | (p - 1)(FB + B - 3W) | DeepSeek's DualPipe: PP / 2 is p, B is I + W |
 *
 * FB is the time of a forward and a backward that run as one. They share a GPU, so it is F + B here
 * and the last line is (p - 1)(F + 2I - W).
 *
 * What PipelineTimeline finds is equal to them: always for gpipe and 1f1b; for interleaved with p
 * micro-batches or more (fewer do not fill a round), whether backwards take half or four times as
 * long as forwards; for zb-h1 with p micro-batches or more, if W is no longer than F and I. For
 * dualpipev they would be equal, with F = I >= W, if pairs did run as one. In the programs here a
 * forward of a pair is sent before the backward begins, and the bubble is (p - 1)(F + I - W), with
 * W <= I <= F <= I + W.
 */
class PipelineBubble
{
  public:
    /**
     * @param shape a shape that passed validation
     * @param forward F
     * @param backwardInput I
     * @param backwardWeight W
     * @return idle time of a rank in a step; 0 if the formula is below that
     */
    static Time GetBubble(const PipelineShape& shape,
                          Time forward,
                          Time backwardInput,
                          Time backwardWeight);

    /**
     * @param shape a shape that passed validation
     * @param forward F
     * @param backwardInput I
     * @param backwardWeight W
     * @return bubble over time of computation; (p - 1) / m for gpipe and 1f1b with m micro-batches,
     * (p - 1) / (v m) for interleaved with v chunks
     */
    static double GetRatio(const PipelineShape& shape,
                           Time forward,
                           Time backwardInput,
                           Time backwardWeight);

    /**
     * @param shape a shape that passed validation
     * @param forward F
     * @param backwardInput I
     * @param backwardWeight W
     * @return bubble over time of the step
     */
    static double GetFraction(const PipelineShape& shape,
                              Time forward,
                              Time backwardInput,
                              Time backwardWeight);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIPELINE_BUBBLE_H
