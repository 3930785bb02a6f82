// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-timeline.h"

#include "ns3/assert.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param action a transfer
 * @return true if the rank gives the data away
 */
bool
IsSend(const PipelineAction& action)
{
    return action.kind == PipelineAction::SEND_ACTIVATION ||
           action.kind == PipelineAction::SEND_GRADIENT;
}

/**
 * @param action a transfer
 * @return true if the data are an activation
 */
bool
IsActivation(const PipelineAction& action)
{
    return action.kind == PipelineAction::SEND_ACTIVATION ||
           action.kind == PipelineAction::RECV_ACTIVATION;
}

/// Plays programs against each other.
class Player
{
  public:
    Player(const PipelineShape& shape,
           const std::vector<PipelineActions>& programs,
           const PipelineDurations& durations,
           PipelineTimeline::Network network)
        : m_shape(shape),
          m_durations(durations),
          m_isEager(network == PipelineTimeline::EAGER),
          m_ranks(programs.size())
    {
        m_timeline.ranks.resize(programs.size());
        for (std::size_t rank = 0; rank < programs.size(); ++rank)
        {
            m_ranks[rank].program = &programs[rank];
        }
    }

    /// @return the timeline
    PipelineTimeline Play()
    {
        bool hasMoved = true;
        while (hasMoved)
        {
            hasMoved = false;
            for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
            {
                hasMoved |= Compute(rank);
                hasMoved |= Communicate(rank);
            }
        }
        for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
        {
            auto& own = m_timeline.ranks[rank];
            own.end = m_ranks[rank].clock;
            own.waitsFor = GetWait(rank);
            m_timeline.makespan = std::max(m_timeline.makespan, own.end);
        }
        return std::move(m_timeline);
    }

  private:
    /// Transfers that were started together.
    struct Batch
    {
        uint32_t number{0};
        PipelineActions transfers;
        Time start;              //!< when the program came to it
        bool isBegun{false};     //!< it is the rank's turn to communicate
        std::size_t first{0};    //!< of its transfers on their connectors
        std::optional<Time> end; //!< if it is known
    };

    /// A rank on its way.
    struct Rank
    {
        const PipelineActions* program{nullptr};
        std::size_t at{0};          //!< next action
        Time clock;                 //!< when that can begin
        std::vector<Batch> batches; //!< in the order in which they were started
        std::size_t current{0};     //!< the first of them that has not ended
        Time lastEnd;               //!< of the one before
        std::vector<std::size_t>
            slot;                //!< positions on their connectors of the current one's transfers
        uint32_t activations{0}; //!< held
    };

    /// One side of a transfer.
    struct Side
    {
        PipelineAction action;
        Time ready;
    };

    /// From one rank to another.
    struct Connector
    {
        std::vector<Side> sends;
        std::vector<Side> receives;
        std::vector<Time> arrivals; //!< of transfers whose times are known
        Time free;                  //!< when the last of these has ended
    };

    /**
     * @param rank a rank
     * @return true if its program went on
     */
    bool Compute(uint32_t rank)
    {
        Rank& own = m_ranks[rank];
        const std::size_t before = own.at;
        for (; own.at < own.program->size(); ++own.at)
        {
            const auto& action = (*own.program)[own.at];
            if (action.IsTransfer())
            {
                if (own.batches.empty() || own.batches.back().number != action.batch)
                {
                    own.batches.push_back({action.batch, {}, own.clock, false, 0, {}});
                }
                own.batches.back().transfers.push_back(action);
            }
            else if (action.kind == PipelineAction::WAIT)
            {
                const auto end = FindEnd(own, action.batch);
                if (!end)
                {
                    break;
                }
                own.clock = std::max(own.clock, *end);
            }
            else
            {
                Run(rank, action);
            }
        }
        return own.at > before;
    }

    /**
     * @param rank a rank
     * @param action one of its computations
     */
    void Run(uint32_t rank, const PipelineAction& action)
    {
        Rank& own = m_ranks[rank];
        auto& timeline = m_timeline.ranks[rank];
        const Time duration = m_durations.Get(action.kind, m_shape.GetStage(rank, action.chunk));
        timeline.computations.push_back({action, own.clock, own.clock + duration});
        timeline.busy += duration;
        own.clock += duration;
        own.activations += action.kind == PipelineAction::FORWARD;
        timeline.peakActivations = std::max(timeline.peakActivations, own.activations);
        own.activations -= action.kind == PipelineAction::BACKWARD ||
                           action.kind == PipelineAction::BACKWARD_WEIGHT;
    }

    /**
     * @param own a rank
     * @param number of a batch
     * @return when the batch ended, if it has
     */
    static std::optional<Time> FindEnd(const Rank& own, uint32_t number)
    {
        const auto batch = std::find_if(own.batches.rbegin(),
                                        own.batches.rend(),
                                        [number](const Batch& of) { return of.number == number; });
        return batch == own.batches.rend() ? std::nullopt : batch->end;
    }

    /**
     * @param rank a rank
     * @return true if its current batch began or ended
     */
    bool Communicate(uint32_t rank)
    {
        Rank& own = m_ranks[rank];
        if (own.current == own.batches.size())
        {
            return false;
        }
        Batch& batch = own.batches[own.current];
        bool hasMoved = false;
        if (!batch.isBegun)
        {
            batch.isBegun = true;
            hasMoved = true;
            const Time ready = std::max(batch.start, own.lastEnd);
            own.slot.clear();
            for (const auto& action : batch.transfers)
            {
                Connector& connector = GetConnector(rank, action);
                auto& sides = IsSend(action) ? connector.sends : connector.receives;
                own.slot.push_back(sides.size());
                sides.push_back({action, ready});
            }
        }
        Time end = std::max(batch.start, own.lastEnd);
        for (std::size_t i = 0; i < batch.transfers.size(); ++i)
        {
            const auto known = GetEnd(rank, batch.transfers[i], own.slot[i]);
            if (!known)
            {
                return hasMoved;
            }
            end = std::max(end, *known);
        }
        batch.end = end;
        own.lastEnd = end;
        ++own.current;
        return true;
    }

    /**
     * @param rank a rank
     * @param action one of its transfers
     * @return where that goes
     */
    Connector& GetConnector(uint32_t rank, const PipelineAction& action)
    {
        return IsSend(action) ? m_connectors[{rank, action.peer}]
                              : m_connectors[{action.peer, rank}];
    }

    /**
     * @param rank a rank
     * @param action one of its transfers
     * @param slot its place on its connector
     * @return when it ends for the rank, if that is known
     */
    std::optional<Time> GetEnd(uint32_t rank, const PipelineAction& action, std::size_t slot)
    {
        Connector& connector = GetConnector(rank, action);
        while (connector.arrivals.size() < connector.sends.size() &&
               (m_isEager || connector.arrivals.size() < connector.receives.size()))
        {
            const std::size_t next = connector.arrivals.size();
            Time begin = std::max(connector.free, connector.sends[next].ready);
            if (!m_isEager)
            {
                begin = std::max(begin, connector.receives[next].ready);
            }
            connector.free = begin + m_durations.transfer;
            connector.arrivals.push_back(connector.free);
        }
        if (slot >= connector.arrivals.size())
        {
            return std::nullopt;
        }
        if (!IsSend(action))
        {
            return IsSame(connector, slot)
                       ? std::make_optional(
                             std::max(connector.arrivals[slot], connector.receives[slot].ready))
                       : std::nullopt;
        }
        return m_isEager ? connector.sends[slot].ready : connector.arrivals[slot];
    }

    /**
     * @param connector a connector
     * @param slot a transfer that both sides have come to
     * @return true if they mean the same data
     */
    static bool IsSame(const Connector& connector, std::size_t slot)
    {
        const PipelineAction& send = connector.sends[slot].action;
        const PipelineAction& receive = connector.receives[slot].action;
        return IsActivation(send) == IsActivation(receive) && send.microBatch == receive.microBatch;
    }

    /**
     * @param rank a rank
     * @return what it waits for, or an empty string
     */
    std::string GetWait(uint32_t rank)
    {
        const Rank& own = m_ranks[rank];
        if (own.at == own.program->size() && own.current == own.batches.size())
        {
            return "";
        }
        std::ostringstream text;
        text << "rank " << rank << " waits for ";
        if (own.current == own.batches.size())
        {
            text << "batch " << (*own.program)[own.at].batch << ", which has not begun";
            return text.str();
        }
        const Batch& batch = own.batches[own.current];
        text << "batch " << batch.number << ":";
        for (std::size_t i = 0; i < batch.transfers.size(); ++i)
        {
            const auto& action = batch.transfers[i];
            if (!GetEnd(rank, action, own.slot[i]))
            {
                text << (IsSend(action) ? " send " : " receive ")
                     << (IsActivation(action) ? "activation " : "gradient ") << action.microBatch
                     << (IsSend(action) ? " to rank " : " from rank ") << action.peer;
            }
        }
        return text.str();
    }

    PipelineShape m_shape;
    const PipelineDurations& m_durations;
    bool m_isEager;
    std::vector<Rank> m_ranks;
    std::map<std::pair<uint32_t, uint32_t>, Connector> m_connectors; //!< by sender and receiver
    PipelineTimeline m_timeline;
};

} // namespace

PipelineDurations
PipelineDurations::Uniform(uint32_t stages,
                           Time forward,
                           Time backwardInput,
                           Time backwardWeight,
                           Time transfer)
{
    return {std::vector<Time>(stages, forward),
            std::vector<Time>(stages, backwardInput),
            std::vector<Time>(stages, backwardWeight),
            transfer};
}

Time
PipelineDurations::Get(PipelineAction::Kind kind, uint32_t stage) const
{
    switch (kind)
    {
    case PipelineAction::FORWARD:
        return forward[stage];
    case PipelineAction::BACKWARD_INPUT:
        return backwardInput[stage];
    case PipelineAction::BACKWARD_WEIGHT:
        return backwardWeight[stage];
    default:
        return backwardInput[stage] + backwardWeight[stage];
    }
}

PipelineTimeline
PipelineTimeline::Play(const PipelineShape& shape,
                       const PipelineDurations& durations,
                       Network network)
{
    return Play(shape, shape.schedule->MakePrograms(shape), durations, network);
}

PipelineTimeline
PipelineTimeline::Play(const PipelineShape& shape,
                       const std::vector<PipelineActions>& programs,
                       const PipelineDurations& durations,
                       Network network)
{
    NS_ASSERT(programs.size() == shape.ranks && durations.forward.size() == shape.GetStages());
    return Player(shape, programs, durations, network).Play();
}

std::string
PipelineTimeline::GetDeadlock() const
{
    std::string text;
    for (const auto& rank : ranks)
    {
        text += text.empty() || rank.waitsFor.empty() ? "" : "; ";
        text += rank.waitsFor;
    }
    return text;
}

double
PipelineTimeline::GetBubbleFraction() const
{
    Time busy;
    for (const auto& rank : ranks)
    {
        busy += rank.busy;
    }
    return 1 - busy.GetDouble() / (makespan.GetDouble() * static_cast<double>(ranks.size()));
}

double
PipelineTimeline::GetBubbleRatio() const
{
    const double fraction = GetBubbleFraction();
    return fraction / (1 - fraction);
}

} // namespace ns3
