// SPDX-License-Identifier: GPL-2.0-only

#include "all-to-all-blocks.h"
#include "collective-algorithm.h"

#include <boost/integer/integer_log2.hpp>
#include <vector>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

/**
 * @brief The places of the blocks at one rank, and the round in which each of them moves.
 *
 * Each round is along a dimension, a bit of the index. When the rounds of some dimensions are over,
 * a rank has the blocks of all sources that differ from it in these dimensions only, for all
 * destinations that agree with it there. A block moves in a round if its destination is on the
 * other side.
 *
 * The blocks of a source form a region. In the region, the first half is for destinations that
 * agree with the rank in the next dimension, and so on within each half. So the blocks of a
 * source that a rank passes on are contiguous, and so are those that stay. The first block of a
 * region is for the rank.
 */
class HypercubeBlocks
{
  public:
    explicit HypercubeBlocks(const RankContext& part)
        : m_blocks(part),
          m_size(part.shape.size),
          m_index(part.index),
          m_rounds(static_cast<uint32_t>(boost::integer_log2(part.shape.size))),
          m_isReversed(part.terms.lendsPairs && part.sequence % 2 == 1)
    {
        Allocate(m_index, 0);
        for (uint32_t round = 0; round < m_rounds; ++round)
        {
            for (uint32_t source = 0; source < GetSources(round); ++source)
            {
                Allocate(GetPeer(round) ^ Spread(source), round + 1);
            }
        }
    }

    /// @return number of rounds
    uint32_t GetRounds() const
    {
        return m_rounds;
    }

    /// @return the rank with which this one exchanges blocks in a round
    uint32_t GetPeer(uint32_t round) const
    {
        return m_index ^ GetBit(round);
    }

    /// @return number of sources whose blocks a rank has before a round
    static uint32_t GetSources(uint32_t round)
    {
        return 1U << round;
    }

    /// @return the transfer id of a source's blocks that arrive in a round, see GetDeparture
    static uint16_t GetId(uint32_t round, uint32_t source)
    {
        return static_cast<uint16_t>(GetSources(round) - 1 + source);
    }

    /// @return the transfer id of the message that brought the blocks of a source
    static uint16_t GetIdOf(uint32_t source)
    {
        const auto top = static_cast<uint32_t>(boost::integer_log2(source));
        return GetId(top, source ^ (1U << top));
    }

    /// @return the region of the blocks that a message brings
    ByteRange GetArrival(uint16_t id) const
    {
        return m_regions[id + 1U];
    }

    /**
     * @param round a round
     * @param source how the index of the source differs from that of this rank, in the dimensions
     * of the rounds before
     * @return the part of the source's region that moves
     */
    ByteRange GetDeparture(uint32_t round, uint32_t source) const
    {
        // The round in which the blocks have come, and their region.
        uint32_t since = 0;
        ByteRange region = m_regions[0];
        if (source > 0)
        {
            since = static_cast<uint32_t>(boost::integer_log2(source)) + 1;
            region = GetArrival(GetIdOf(source));
        }
        const uint32_t from = m_index ^ Spread(source);
        const uint32_t half = 1U << (m_rounds - 1 - round);
        return {region.offset + GetBytes(from, since, 0, half), GetBytes(from, since, half, half)};
    }

    /// @return the layout of the data
    CollectiveLayout GetLayout() const
    {
        const auto inputs = m_blocks.GetInputOffsets(m_index);
        const auto outputs = m_blocks.GetOutputOffsets(m_index);
        CollectiveLayout layout;
        layout.bytes = m_buffer.bytes;
        uint64_t next = 0;
        for (uint32_t place = 0; place < m_size; ++place)
        {
            const uint32_t to = GetDestination(0, place);
            const uint64_t bytes = m_blocks.Get(m_index, to);
            layout.input.push_back({{next, bytes}, inputs[to]});
            next += bytes;
        }
        for (std::size_t i = 0; i < m_regions.size(); ++i)
        {
            const uint32_t from = m_sources[i];
            layout.output.push_back(
                {{m_regions[i].offset, m_blocks.Get(from, m_index)}, outputs[from]});
        }
        return layout;
    }

  private:
    /// @return the bit in which two ranks that meet in a round differ
    uint32_t GetBit(uint32_t round) const
    {
        return 1U << (m_isReversed ? m_rounds - 1 - round : round);
    }

    /// @return a difference in the dimensions of the first rounds, as a difference of indices
    uint32_t Spread(uint32_t difference) const
    {
        uint32_t bits = 0;
        for (uint32_t round = 0; round < m_rounds; ++round)
        {
            bits |= (difference >> round & 1) ? GetBit(round) : 0;
        }
        return bits;
    }

    /// @return the destination of a block of a region that has come when some rounds were over
    uint32_t GetDestination(uint32_t since, uint32_t place) const
    {
        uint32_t to = m_index;
        for (uint32_t round = since; round < m_rounds; ++round)
        {
            to ^= (place >> (m_rounds - 1 - round) & 1) ? GetBit(round) : 0;
        }
        return to;
    }

    /// @return the size of some blocks of the region of a source
    uint64_t GetBytes(uint32_t from, uint32_t since, uint32_t first, uint32_t count) const
    {
        uint64_t bytes = 0;
        for (uint32_t place = first; place < first + count; ++place)
        {
            bytes += m_blocks.Get(from, GetDestination(since, place));
        }
        return bytes;
    }

    /// Add the region of a source.
    void Allocate(uint32_t from, uint32_t since)
    {
        const uint64_t bytes = GetBytes(from, since, 0, 1U << (m_rounds - since));
        m_regions.push_back(m_buffer.Allocate(bytes));
        m_sources.push_back(from);
    }

    AllToAllBlocks m_blocks;
    uint32_t m_size;
    uint32_t m_index;
    uint32_t m_rounds;
    bool m_isReversed; //!< the last dimension is first
    BlockBuffer m_buffer;
    std::vector<ByteRange> m_regions; //!< the rank's own, and those that arrive by transfer id
    std::vector<uint32_t> m_sources;  //!< of the regions
};

/**
 * Log-step exchange: AllToAll in log2 N rounds, in each of which a rank exchanges half of all
 * blocks with one peer, some of which it has got for others.
 *
 * It is the idea of Bruck and others ("Efficient Algorithms for All-to-All Communications in
 * Multiport Message-Passing Systems", IEEE TPDS 8, 1997), with ranks in pairs along the dimensions
 * of a hypercube. A rank sends (log2 N) / 2 of its input, for fewer rounds than any exchange in
 * which each block takes one hop. Blocks of different sources are messages of their own, N - 1 in
 * all.
 *
 * A message that is passed on waits for its arrival; only the rounds of lent circuits make others
 * wait. There every second call of a group takes the dimensions in reverse, so a call begins
 * with the circuits with which the one before it has ended.
 */
class HypercubeAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::HypercubeAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<HypercubeAlgorithm>();
        return tid;
    }

    std::string GetName() const override
    {
        return "hypercube";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return kind == CollectiveKind::ALL_TO_ALL;
    }

    bool HasRounds(CollectiveKind /* kind */) const override
    {
        return true;
    }

    CollectiveLayout MakeLayout(const RankContext& part) const override
    {
        return HypercubeBlocks(part).GetLayout();
    }

  private:
    std::string DoCheck(CollectiveKind /* kind */, const GroupShape& shape) const override
    {
        return CheckPowerOfTwo(shape);
    }

    uint64_t GetMostReceives(CollectiveKind /* kind */, const GroupShape& shape) const override
    {
        return shape.size - 1;
    }

    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        const HypercubeBlocks blocks(part);
        CollectiveSchedule schedule;
        for (uint32_t round = 0; round < blocks.GetRounds(); ++round)
        {
            const uint32_t peer = blocks.GetPeer(round);
            if (part.terms.lendsPairs)
            {
                schedule.BeginRound(round, peer);
            }
            for (uint32_t source = 0; source < HypercubeBlocks::GetSources(round); ++source)
            {
                const uint16_t id = HypercubeBlocks::GetId(round, source);
                schedule.AddReceive({blocks.GetArrival(id), peer, CONNECTOR_DIRECT, Action::COPY});
                std::vector<uint16_t> after;
                if (source > 0)
                {
                    after.push_back(HypercubeBlocks::GetIdOf(source)); // what is passed on
                }
                schedule.AddSend({blocks.GetDeparture(round, source), peer, CONNECTOR_DIRECT, id},
                                 after);
            }
        }
        return schedule;
    }

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        CollectiveCost cost;
        cost.rounds = static_cast<double>(boost::integer_log2(part.shape.size));
        cost.bytes = part.GetTensor() * cost.rounds / 2;
        cost.switches = part.terms.lendsPairs ? cost.rounds : 0;
        return cost;
    }
};

NS_OBJECT_ENSURE_REGISTERED(HypercubeAlgorithm);

} // namespace

} // namespace ns3
