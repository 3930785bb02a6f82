// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-schedule.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

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

namespace
{

/// @return "rank 3"
std::string
NameRank(uint32_t rank)
{
    return "rank " + std::to_string(rank);
}

/// @return a computation, in words
std::string
NamePass(const PipelineAction& action)
{
    static const std::map<PipelineAction::Kind, std::string> names{
        {PipelineAction::FORWARD, "the forward"},
        {PipelineAction::BACKWARD, "the backward"},
        {PipelineAction::BACKWARD_INPUT, "the backward of inputs"},
        {PipelineAction::BACKWARD_WEIGHT, "the backward of weights"},
    };
    return names.at(action.kind) + " of micro-batch " + std::to_string(action.microBatch) +
           " on chunk " + std::to_string(action.chunk);
}

/// @return the computations of all ranks
std::vector<PipelineActions>
MakeOrders(const PipelineShape& shape)
{
    std::vector<PipelineActions> orders;
    for (uint32_t rank = 0; rank < shape.ranks; ++rank)
    {
        orders.push_back(shape.schedule->MakeOrder(shape, rank));
    }
    return orders;
}

/// @return an empty string, or a pass that a rank computes never or more than once, or not at all
/// in a pipeline of this shape
std::string
CheckComplete(const PipelineShape& shape, const PipelineActions& order)
{
    using Kind = PipelineAction::Kind;
    constexpr std::array<Kind, 3> PASSES{PipelineAction::FORWARD,
                                         PipelineAction::BACKWARD_INPUT,
                                         PipelineAction::BACKWARD_WEIGHT};
    // By pass, chunk and micro-batch; a whole backward is two passes.
    std::vector<uint32_t> counts(PASSES.size() * shape.chunks * shape.microBatches);
    const auto count = [&](const PipelineAction& action, std::size_t pass) -> uint32_t& {
        return counts[(pass * shape.chunks + action.chunk) * shape.microBatches +
                      action.microBatch];
    };
    for (const PipelineAction& action : order)
    {
        if (!action.IsComputation())
        {
            return "has a transfer in its order, where only computations stand";
        }
        if (action.chunk >= shape.chunks || action.microBatch >= shape.microBatches)
        {
            return "computes " + NamePass(action) + ", but there are " +
                   std::to_string(shape.microBatches) + " micro-batches and " +
                   std::to_string(shape.chunks) + " chunks";
        }
        for (std::size_t pass = 0; pass < PASSES.size(); ++pass)
        {
            const bool isWhole = action.kind == PipelineAction::BACKWARD && pass > 0;
            count(action, pass) += action.kind == PASSES[pass] || isWhole ? 1 : 0;
        }
    }
    PipelineAction action;
    for (action.chunk = 0; action.chunk < shape.chunks; ++action.chunk)
    {
        for (action.microBatch = 0; action.microBatch < shape.microBatches; ++action.microBatch)
        {
            for (std::size_t pass = 0; pass < PASSES.size(); ++pass)
            {
                if (const uint32_t times = count(action, pass); times != 1)
                {
                    action.kind = PASSES[pass];
                    return "computes " + NamePass(action) + " " + std::to_string(times) +
                           " times, and has to once";
                }
            }
        }
    }
    return "";
}

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
 * **Pairs.** With PipelineShape::sendsInPairs, a forward that is followed by a backward starts when
 * the inputs of both are there, and its results are sent with those of the backward. Exceptions are
 * a forward of the last stage, which sends nothing, and the end of a warm-up that has all forwards.
 *
 * **Waits.** A batch that only receives starts one computation ahead. The rank waits for the end of
 * such a batch before the first computation that needs its data, and for the end of a batch that
 * only sends at the end of the program.
 */
class PipelineTransfers
{
  public:
    /**
     * @param shape a shape with a place for each stage
     * @param orders computations of each rank, complete
     */
    PipelineTransfers(const PipelineShape& shape, std::vector<PipelineActions> orders)
        : m_shape(shape),
          m_orders(std::move(orders)),
          m_spans(shape.ranks),
          m_forwardEnds(std::size_t{shape.GetStages()} * shape.microBatches),
          m_backwardEnds(m_forwardEnds.size())
    {
        Play();
    }

    /// @return an empty string, or a rank with a computation ordered before one that it needs
    std::string FindStuck() const
    {
        uint32_t rank = 0;
        while (rank < m_shape.ranks && m_spans[rank].size() == m_orders[rank].size())
        {
            ++rank;
        }
        if (rank == m_shape.ranks)
        {
            return "";
        }
        // The rank may only wait for another one, which is stuck, too.
        std::set<uint32_t> seen;
        while (seen.insert(rank).second)
        {
            rank = m_shape.GetRank(GetSource(rank, GetStuck(rank)));
        }
        return NameRank(rank) + " computes " + NamePass(GetStuck(rank)) + " before what it needs";
    }

    /// Find the transfers and sort them, for Write. No rank may be stuck.
    void FindTransfers()
    {
        for (uint32_t rank = 0; rank < m_shape.ranks; ++rank)
        {
            for (uint32_t i = 0; i < m_orders[rank].size(); ++i)
            {
                const auto& action = m_orders[rank][i];
                const bool isForward = action.kind == PipelineAction::FORWARD;
                const uint32_t to = m_shape.GetStage(rank, action.chunk);
                const uint32_t end = isForward ? 0 : m_shape.GetStages() - 1;
                if (action.kind == PipelineAction::BACKWARD_WEIGHT || to == end)
                {
                    continue;
                }
                const uint32_t from = GetSource(rank, action);
                if (m_shape.GetRank(from) != rank)
                {
                    m_transfers.push_back({isForward,
                                           action.microBatch,
                                           from,
                                           to,
                                           i,
                                           {*GetReady(rank, action),
                                            m_shape.schedule->GetBatchKey(m_shape, from, to)}});
                }
            }
        }
        // The order within a batch is arbitrary but must be the same on both ranks.
        auto key = [](const Transfer& transfer) {
            return std::make_tuple(transfer.slot, transfer.fromStage, transfer.toStage);
        };
        std::sort(m_transfers.begin(), m_transfers.end(), [&key](const auto& a, const auto& b) {
            return key(a) < key(b);
        });
    }

    /**
     * @param rank a pipeline rank
     * @return the program of the rank
     */
    PipelineActions Write(uint32_t rank) const
    {
        const auto& order = m_orders[rank];
        const auto batches = GetBatches(rank);
        std::map<uint32_t, uint32_t> needs; // batch that a computation needs, by computation
        for (uint32_t number = 0; number < batches.size(); ++number)
        {
            for (const uint32_t reader : batches[number].readers)
            {
                needs[reader] = number;
            }
        }
        PipelineActions program;
        std::vector<bool> isWaitedFor(batches.size());
        auto wait = [&program, &isWaitedFor](uint32_t number) {
            if (!isWaitedFor[number])
            {
                isWaitedFor[number] = true;
                program.push_back({PipelineAction::WAIT, 0, 0, 0, number});
            }
        };
        std::size_t started = 0;
        for (uint32_t i = 0; i <= order.size(); ++i)
        {
            for (; started < batches.size() && batches[started].position <= i; ++started)
            {
                const auto& transfers = batches[started].transfers;
                program.insert(program.end(), transfers.begin(), transfers.end());
            }
            if (i < order.size())
            {
                const auto need = needs.find(i);
                if (need != needs.end())
                {
                    wait(need->second);
                }
                program.push_back(order[i]);
            }
        }
        for (uint32_t number = 0; number < batches.size(); ++number)
        {
            wait(number);
        }
        return program;
    }

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

    /// @param rank a rank that is stuck @return its first computation that is not on the clock
    const PipelineAction& GetStuck(uint32_t rank) const
    {
        return m_orders[rank][m_spans[rank].size()];
    }

    /// @return the stage on whose result a computation of a rank depends; none for the first
    /// forward
    uint32_t GetSource(uint32_t rank, const PipelineAction& action) const
    {
        const uint32_t stage = m_shape.GetStage(rank, action.chunk);
        switch (action.kind)
        {
        case PipelineAction::FORWARD:
            return stage - 1;
        case PipelineAction::BACKWARD_WEIGHT:
            return stage;
        default:
            return std::min(stage + 1, m_shape.GetStages() - 1);
        }
    }

    /// Place all computations on the clock.
    void Play()
    {
        bool hasMoved = true;
        while (hasMoved)
        {
            hasMoved = false;
            for (uint32_t rank = 0; rank < m_shape.ranks; ++rank)
            {
                hasMoved |= Advance(rank);
            }
        }
    }

    /**
     * @param rank a rank
     * @return true if at least one of its next computations was placed
     */
    bool Advance(uint32_t rank)
    {
        auto& spans = m_spans[rank];
        const std::size_t before = spans.size();
        while (spans.size() < m_orders[rank].size())
        {
            const auto& action = m_orders[rank][spans.size()];
            auto ready = GetReady(rank, action);
            if (IsPair(rank, spans.size()))
            {
                const auto both = GetReady(rank, m_orders[rank][spans.size() + 1]);
                ready = ready && both ? std::max(ready, both) : std::nullopt;
            }
            if (!ready)
            {
                break;
            }
            const uint64_t begin = std::max(spans.empty() ? 0 : spans.back().end, *ready);
            // Units order transfers; they are not durations.
            const uint64_t end = begin + (action.kind == PipelineAction::BACKWARD
                                              ? m_shape.schedule->GetBackwardUnits()
                                              : 1);
            spans.push_back({begin, end});
            if (IsPair(rank, spans.size() - 1))
            {
                continue;
            }
            SetEnd(rank, action, end);
            if (spans.size() > 1 && IsPair(rank, spans.size() - 2))
            {
                SetEnd(rank, m_orders[rank][spans.size() - 2], end);
            }
        }
        return spans.size() > before;
    }

    /// Note when the results of a computation of a rank are sent.
    void SetEnd(uint32_t rank, const PipelineAction& action, uint64_t end)
    {
        if (action.kind != PipelineAction::BACKWARD_WEIGHT)
        {
            auto& ends = action.kind == PipelineAction::FORWARD ? m_forwardEnds : m_backwardEnds;
            const uint32_t stage = m_shape.GetStage(rank, action.chunk);
            ends[std::size_t{stage} * m_shape.microBatches + action.microBatch] = end;
        }
    }

    /// @return true if a computation of a rank is a forward whose results are sent with those of
    /// the backward behind it
    bool IsPair(uint32_t rank, std::size_t position) const
    {
        const auto& order = m_orders[rank];
        const std::size_t forwards = std::size_t{m_shape.chunks} * m_shape.microBatches;
        return m_shape.sendsInPairs && position + 1 < order.size() &&
               order[position].kind == PipelineAction::FORWARD &&
               order[position + 1].kind == PipelineAction::BACKWARD && position + 1 != forwards &&
               m_shape.GetStage(rank, order[position].chunk) + 1 < m_shape.GetStages();
    }

    /**
     * @param rank a rank
     * @param action a computation of the rank
     * @return the instant at which its input from another stage is ready; nothing if not known yet
     */
    std::optional<uint64_t> GetReady(uint32_t rank, const PipelineAction& action) const
    {
        const uint32_t stage = m_shape.GetStage(rank, action.chunk);
        const bool isForward = action.kind == PipelineAction::FORWARD;
        if (isForward && stage == 0)
        {
            return 0;
        }
        const bool isTurn =
            action.kind != PipelineAction::BACKWARD_WEIGHT && stage + 1 == m_shape.GetStages();
        const auto& ends = isForward || isTurn ? m_forwardEnds : m_backwardEnds;
        const uint64_t end =
            ends[std::size_t{GetSource(rank, action)} * m_shape.microBatches + action.microBatch];
        return end > 0 ? std::make_optional(end) : std::nullopt;
    }

    /**
     * @param rank a rank
     * @return the batches of the rank in order of their start
     */
    std::vector<Batch> GetBatches(uint32_t rank) const
    {
        // The number of computations that end before an instant.
        const auto& spans = m_spans[rank];
        auto countBefore = [&spans](uint64_t instant) {
            const auto end =
                std::lower_bound(spans.begin(),
                                 spans.end(),
                                 instant,
                                 [](const Span& span, uint64_t value) { return span.end < value; });
            return static_cast<std::size_t>(end - spans.begin());
        };
        std::vector<Batch> batches;
        std::optional<Slot> last;
        for (const auto& transfer : m_transfers)
        {
            const bool isSend = m_shape.GetRank(transfer.fromStage) == rank;
            if (!isSend && m_shape.GetRank(transfer.toStage) != rank)
            {
                continue;
            }
            const uint64_t instant = transfer.slot.first;
            if (last != transfer.slot)
            {
                last = transfer.slot;
                batches.push_back({{}, {}, countBefore(instant)});
            }
            Batch& batch = batches.back();
            const uint32_t own = isSend ? transfer.fromStage : transfer.toStage;
            const uint32_t other = isSend ? transfer.toStage : transfer.fromStage;
            const auto send = transfer.isActivation ? PipelineAction::SEND_ACTIVATION
                                                    : PipelineAction::SEND_GRADIENT;
            const auto receive = transfer.isActivation ? PipelineAction::RECV_ACTIVATION
                                                       : PipelineAction::RECV_GRADIENT;
            batch.transfers.push_back({isSend ? send : receive,
                                       transfer.microBatch,
                                       m_shape.GetChunk(own),
                                       m_shape.GetRank(other),
                                       static_cast<uint32_t>(batches.size() - 1)});
            if (isSend)
            {
                batch.position = countBefore(
                    instant + 1); // results of computations that end at this instant are sent too
            }
            else
            {
                batch.readers.push_back(transfer.reader);
            }
        }
        for (Batch& batch : batches)
        {
            // Nothing is posted inside a pair.
            batch.position += batch.position > 0 && IsPair(rank, batch.position - 1) ? 1 : 0;
        }
        return batches;
    }

    PipelineShape m_shape;
    std::vector<PipelineActions> m_orders;  //!< by rank
    std::vector<std::vector<Span>> m_spans; //!< by rank and position in the order
    std::vector<uint64_t> m_forwardEnds;    //!< by stage and micro-batch; 0 if not known yet
    std::vector<uint64_t> m_backwardEnds;   //!< by stage and micro-batch; 0 if not known yet
    std::vector<Transfer> m_transfers;      //!< by slot
};

/// @param shape a shape that passed validation @return its transfers
PipelineTransfers
MakeTransfers(const PipelineShape& shape)
{
    PipelineTransfers transfers(shape, MakeOrders(shape));
    const std::string error = transfers.FindStuck();
    NS_ABORT_MSG_UNLESS(error.empty(), shape.schedule->GetName() << ": " << error);
    transfers.FindTransfers();
    return transfers;
}

} // namespace

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

std::string
PipelineShape::CheckOrders() const
{
    const std::string name = "schedule=" + schedule->GetName() + ": ";
    auto orders = MakeOrders(*this);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        if (auto error = CheckComplete(*this, orders[rank]); !error.empty())
        {
            return name + NameRank(rank) + " " + error;
        }
    }
    const std::string error = PipelineTransfers(*this, std::move(orders)).FindStuck();
    return error.empty() ? "" : name + error;
}

PipelineActions
PipelineSchedule::MakeProgram(const PipelineShape& shape, uint32_t rank) const
{
    return MakeTransfers(shape).Write(rank);
}

std::vector<PipelineActions>
PipelineSchedule::MakePrograms(const PipelineShape& shape) const
{
    const PipelineTransfers transfers = MakeTransfers(shape);
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
