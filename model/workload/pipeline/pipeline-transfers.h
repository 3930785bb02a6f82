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
 * @brief Makes programs of orders of computation: where transfers start, which of them share a
 * batch, and what waits for them.
 *
 * **Order.** All computations are placed on one clock, on which transfers take no time. What a
 * computation sends is sent at the instant at which it ends. On every rank transfers come in the
 * order of these instants, so there is no circle of ranks that wait for each other, however long
 * computations and transfers really take and whether or not a send needs its receive: of the
 * transfers that have not ended, the earliest one is always the next one of both its ranks. It also
 * follows that a rank receives from another in the order in which that one sends.
 *
 * **Batches.** What two stages send each other at the same instant shares a batch: full duplex, and
 * neither waits for the other. A rank with several neighbouring stages at the same instant serves
 * the earliest stages first, unless the schedule has other batches (PipelineSchedule::GetBatchKey).
 *
 * **Waits.** A batch that only receives is started one computation ahead. Its end is waited for
 * before the first computation that needs something of it; the end of a batch that only sends, at
 * the end of the program.
 */
class PipelineTransfers
{
  public:
    /// @param shape a shape that passed validation
    explicit PipelineTransfers(const PipelineShape& shape);

    /**
     * @param rank a pipeline rank
     * @return its program
     */
    PipelineActions Write(uint32_t rank) const;

  private:
    /// When a computation runs, on the common clock.
    struct Span
    {
        uint64_t begin{0};
        uint64_t end{0};
    };

    /// Which batch of a rank: an instant, and a part of it.
    using Slot = std::pair<uint64_t, uint32_t>;

    /// Data that move from a stage to another.
    struct Transfer
    {
        bool isActivation{false};
        uint32_t microBatch{0};
        uint32_t fromStage{0};
        uint32_t toStage{0};
        uint32_t reader{0}; //!< which computation of the receiver needs it
        Slot slot;          //!< the same on both sides
    };

    /// Transfers that a rank starts together.
    struct Batch
    {
        PipelineActions transfers;
        std::vector<uint32_t> readers; //!< which computations need what is received
        std::size_t position{0};       //!< it starts after so many computations
    };

    /// Place all computations on the clock.
    void Play();

    /**
     * @param rank a rank
     * @return true if its next computations could be placed
     */
    bool Advance(uint32_t rank);

    /**
     * @param rank a rank
     * @param action one of its computations
     * @return when what it needs from another stage is there; nothing if that is not known yet
     */
    std::optional<uint64_t> GetReady(uint32_t rank, const PipelineAction& action) const;

    /// Find the transfers and put them in order.
    void FindTransfers();

    /**
     * @param rank a rank
     * @return its batches in the order in which they start
     */
    std::vector<Batch> GetBatches(uint32_t rank) const;

    PipelineShape m_shape;
    std::vector<PipelineActions> m_orders;  //!< by rank
    std::vector<std::vector<Span>> m_spans; //!< by rank and position in the order
    std::vector<uint64_t> m_forwardEnds;    //!< by stage and micro-batch; 0 is not known yet
    std::vector<uint64_t> m_backwardEnds;   //!< the same
    std::vector<Transfer> m_transfers;      //!< by slot
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIPELINE_TRANSFERS_H
