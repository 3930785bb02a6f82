// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIPELINE_TRANSFERS_H
#define PHOTONIC_RAILS_PIPELINE_TRANSFERS_H

#include "pipeline-schedule.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Turns orders of computations into programs: adds transfers, their batches and the waits
 * for batches.
 *
 * **Order.** All computations are placed on one clock, on which transfers take no time. The results
 * of a computation are sent at the instant at which the computation ends. On every rank the
 * transfers have the order of these instants. Programs are therefore free of deadlock for any
 * duration of computations and transfers, and whether or not a send needs its receive: the earliest
 * transfer that has not ended is always the next transfer of both its ranks. A rank also receives
 * from another rank in the order in which that rank sends.
 *
 * **Batches.** Transfers in both directions between two stages at the same instant share a batch.
 * They run in full duplex, and neither waits for the other. A rank with several neighbouring stages
 * at the same instant starts with the transfers of the earliest stages, unless the schedule has
 * other batches (PipelineSchedule::GetBatchKey).
 *
 * **Waits.** A batch that only receives starts one computation ahead. The rank waits for the end of
 * such a batch before the first computation that needs its data, and for the end of a batch that
 * only sends at the end of the program.
 */
class PipelineTransfers
{
  public:
    /// @param shape a shape that passed validation
    explicit PipelineTransfers(const PipelineShape& shape);

    /**
     * @param rank a pipeline rank
     * @return the program of the rank
     */
    PipelineActions Write(uint32_t rank) const;

  private:
    /// Start and end of a computation on the common clock.
    struct Span
    {
        uint64_t begin{0};
        uint64_t end{0};
    };

    /// Key of a batch of a rank: an instant, and the batch key of the schedule.
    using Slot = std::pair<uint64_t, uint32_t>;

    /// Data that move from one stage to another.
    struct Transfer
    {
        bool isActivation{false};
        uint32_t microBatch{0};
        uint32_t fromStage{0};
        uint32_t toStage{0};
        uint32_t reader{0}; //!< the receiver's computation that needs the data, as an index
        Slot slot;          //!< the same on both ranks
    };

    /// Transfers that a rank starts together.
    struct Batch
    {
        PipelineActions transfers;
        std::vector<uint32_t> readers; //!< computations that need the received data
        std::size_t position{0};       //!< number of computations before the batch starts
    };

    /// Place all computations on the clock.
    void Play();

    /**
     * @param rank a rank
     * @return true if at least one of its next computations was placed
     */
    bool Advance(uint32_t rank);

    /**
     * @param rank a rank
     * @param action a computation of the rank
     * @return the instant at which its input from another stage is ready; nothing if not known yet
     */
    std::optional<uint64_t> GetReady(uint32_t rank, const PipelineAction& action) const;

    /// Find the transfers and sort them.
    void FindTransfers();

    /**
     * @param rank a rank
     * @return the batches of the rank in order of their start
     */
    std::vector<Batch> GetBatches(uint32_t rank) const;

    PipelineShape m_shape;
    std::vector<PipelineActions> m_orders;  //!< by rank
    std::vector<std::vector<Span>> m_spans; //!< by rank and position in the order
    std::vector<uint64_t> m_forwardEnds;    //!< by stage and micro-batch; 0 if not known yet
    std::vector<uint64_t> m_backwardEnds;   //!< by stage and micro-batch; 0 if not known yet
    std::vector<Transfer> m_transfers;      //!< by slot
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIPELINE_TRANSFERS_H
