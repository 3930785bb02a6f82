// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIPELINE_ORDER_H
#define PHOTONIC_RAILS_PIPELINE_ORDER_H

#include "pipeline-schedule.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief In which order a pipeline rank computes: forwards and backwards, without transfers.
 *
 * The orders are rules of counting, independent of how long anything takes. PipelineTransfers
 * makes programs of them. 1F1B, whose program is written by hand, is not here.
 */
class PipelineOrder
{
  public:
    /**
     * @param shape a shape that passed validation, not ONE_F_ONE_B
     * @param rank a pipeline rank
     * @return its computations
     */
    static PipelineActions Make(const PipelineShape& shape, uint32_t rank);

    /**
     * @brief All forwards, then all backwards, micro-batches in rising order both times, as in
     * PyTorch's ScheduleGPipe.
     * @param shape the shape
     * @return computations of any rank
     */
    static PipelineActions Gpipe(const PipelineShape& shape);

    /**
     * @brief Interleaved 1F1B as in PyTorch's ScheduleInterleaved1F1B.
     *
     * Micro-batches go in rounds of equal size: as many rounds as whole multiples of ranks there
     * are in the micro-batches, at least one. A rank runs a round on its first chunk, the same
     * round on its next chunk, and so on; backwards from its last chunk. It warms up with
     * (chunks - 1) rounds and 2 forwards more for every rank behind it. With a multiple of ranks
     * a round has as many micro-batches as there are ranks, which is Megatron-LM's order.
     * @param shape the shape
     * @param rank a pipeline rank
     * @return its computations
     */
    static PipelineActions Interleaved(const PipelineShape& shape, uint32_t rank);

    /**
     * @brief ZB-H1 (arXiv 2401.10241), counted as in PyTorch's ScheduleInterleavedZeroBubble with
     * one chunk.
     *
     * 1F1B whose backwards are split. A rank runs as many weight passes late as there are ranks
     * before it: they fill its bubble at the end, and all ranks hold as many micro-batches as the
     * first rank of 1F1B.
     * @param shape the shape
     * @param rank a pipeline rank
     * @return its computations
     */
    static PipelineActions ZeroBubbleH1(const PipelineShape& shape, uint32_t rank);

    /**
     * @brief DualPipeV in the eight steps of DeepSeek's DualPipeV and PyTorch's ScheduleDualPipeV.
     *
     * A pair that runs at the same time there (a forward of one chunk, a backward of the other) is
     * the forward and then the backward here. Weight passes run in the order of their input
     * passes.
     * @param shape the shape
     * @param rank a pipeline rank
     * @return its computations
     */
    static PipelineActions DualPipeV(const PipelineShape& shape, uint32_t rank);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIPELINE_ORDER_H
