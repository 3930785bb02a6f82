// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIPELINE_TIMELINE_H
#define PHOTONIC_RAILS_PIPELINE_TIMELINE_H

#include "ns3/nstime.h"
#include "ns3/pipeline-schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// How long the parts of a pipeline step take.
struct PipelineDurations
{
    std::vector<Time> forward;        //!< of a micro-batch, by stage
    std::vector<Time> backwardInput;  //!< the same
    std::vector<Time> backwardWeight; //!< the same; a whole backward is the sum of both
    Time transfer;                    //!< of an activation or a gradient between two ranks

    /**
     * @param stages number of stages
     * @param forward of a micro-batch on any stage
     * @param backwardInput the same
     * @param backwardWeight the same
     * @param transfer between two ranks
     * @return durations that are the same on all stages
     */
    static PipelineDurations Uniform(uint32_t stages,
                                     Time forward,
                                     Time backwardInput,
                                     Time backwardWeight,
                                     Time transfer);

    /**
     * @param kind a computation
     * @param stage a stage
     * @return how long it takes
     */
    Time Get(PipelineAction::Kind kind, uint32_t stage) const;
};

/// When a computation ran.
struct PipelineComputation
{
    PipelineAction action; //!< what
    Time begin;
    Time end;
};

/// What a pipeline rank did.
struct PipelineRankTimeline
{
    std::vector<PipelineComputation> computations; //!< in order
    Time busy;                                     //!< time of computations
    Time end;                                      //!< of the program
    uint32_t peakActivations{0}; //!< results of forwards held at a time, micro-batches x chunks;
                                 //!< one is held until its weight gradient has been computed
    std::string waitsFor;        //!< what a rank that did not come to its end waits for
};

/**
 * @brief The programs of a pipeline's ranks played against each other, with time and without a
 * simulator.
 *
 * The network has a connector for every ordered pair of ranks: transfers follow each other there
 * and take the same time each, whatever goes on elsewhere. On a rank, a batch begins when the
 * computation before it and the batch before it have ended.
 */
struct PipelineTimeline
{
    /// When a send ends.
    enum Network : uint8_t
    {
        RENDEZVOUS, //!< with its receive: the transfer begins when both sides have
        EAGER,      //!< as it begins: the network takes the data and keeps them for the receive
    };

    std::vector<PipelineRankTimeline> ranks; //!< by pipeline rank
    Time makespan;                           //!< when the last rank came to its end

    /**
     * @param shape a shape that passed validation
     * @param durations by stage of the shape
     * @param network when a send ends
     * @return the timeline of the shape's schedule
     */
    static PipelineTimeline Play(const PipelineShape& shape,
                                 const PipelineDurations& durations,
                                 Network network);

    /**
     * @param shape which rank has which stage
     * @param programs of the ranks
     * @param durations by stage of the shape
     * @param network when a send ends
     * @return the timeline, up to where no rank can go on
     */
    static PipelineTimeline Play(const PipelineShape& shape,
                                 const std::vector<PipelineActions>& programs,
                                 const PipelineDurations& durations,
                                 Network network);

    /**
     * @return an empty string if all ranks came to the end of their programs; otherwise which rank
     * waits for what, separated by "; "
     */
    std::string GetDeadlock() const;

    /// @return the part of the ranks' time in which they do not compute: 1 - busy / makespan
    double GetBubbleFraction() const;

    /// @return idle time over time of computation, the "bubble / ideal" of the literature
    double GetBubbleRatio() const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIPELINE_TIMELINE_H
