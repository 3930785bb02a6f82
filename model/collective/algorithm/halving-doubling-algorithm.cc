// SPDX-License-Identifier: GPL-2.0-only

#include "collective-algorithm.h"

#include <algorithm>
#include <boost/integer/integer_log2.hpp>
#include <vector>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

/// The data that a rank exchanges with its neighbour along one dimension of the hypercube.
struct Exchange
{
    uint32_t peer;  //!< the neighbour
    ByteRange kept; //!< the half that this rank answers for
    ByteRange left; //!< the half that the neighbour answers for
    bool isLong;    //!< both halves, on all ranks, are longer than what is sent uncalled
};

/// @return some consecutive chunks of the tensor
ByteRange
GetChunks(uint64_t tensor, uint32_t size, uint32_t first, uint32_t count)
{
    const uint64_t begin = SplitEvenly({0, tensor}, size, first).offset;
    const auto last = SplitEvenly({0, tensor}, size, first + count - 1);
    return {begin, last.offset + last.bytes - begin};
}

/// @return the exchanges of a halving: each divides the chunks that the one before kept
std::vector<Exchange>
GetHalving(const RankContext& part, uint64_t tensor)
{
    const uint32_t size = part.shape.size;
    const bool nearestFirst = part.call.kind == CollectiveKind::ALL_REDUCE;
    std::vector<Exchange> exchanges;
    uint32_t first = 0;
    uint32_t count = size;
    for (uint32_t mask = nearestFirst ? 1 : size / 2; count > 1;
         mask = nearestFirst ? mask * 2 : mask / 2)
    {
        count /= 2;
        const bool upper = (part.index & mask) != 0;
        const uint32_t kept = upper ? first + count : first;
        const uint32_t left = upper ? first : first + count;
        exchanges.push_back({part.index ^ mask,
                             GetChunks(tensor, size, kept, count),
                             GetChunks(tensor, size, left, count),
                             tensor / size * count > part.eagerBytes});
        first = kept;
    }
    return exchanges;
}

/// Works out the part of one rank, step by step. Both sides number their receives by step.
class StepBuilder
{
  public:
    /// @param eagerBytes bytes of a long message that are sent before its receiver has called
    explicit StepBuilder(uint64_t eagerBytes)
        : m_eagerBytes(eagerBytes)
    {
    }

    /**
     * Add an exchange that waits for everything before it.
     * @param exchange the neighbour
     * @param out range that is sent
     * @param in range that is received
     * @param action action on the received data
     */
    void Add(const Exchange& exchange, const ByteRange& out, const ByteRange& in, Action action)
    {
        auto after = m_schedule.GetReceiveIds();
        if (!exchange.isLong)
        {
            AddMessages(exchange.peer, out, in, action, after);
            return;
        }
        const uint16_t call = AddMessages(exchange.peer, {}, {}, Action::COPY, after);
        AddMessages(exchange.peer,
                    {out.offset, m_eagerBytes},
                    {in.offset, m_eagerBytes},
                    action,
                    after);
        after.push_back(call);
        AddMessages(exchange.peer, GetRest(out), GetRest(in), action, after);
    }

    /// @return the schedule so far
    const CollectiveSchedule& Get() const
    {
        return m_schedule;
    }

  private:
    /// @return the rest of a long message, for which the receiver has to call
    ByteRange GetRest(const ByteRange& message) const
    {
        return {message.offset + m_eagerBytes, message.bytes - m_eagerBytes};
    }

    /// Send a message and receive another. @return the transfer id of both
    uint16_t AddMessages(uint32_t peer,
                         const ByteRange& out,
                         const ByteRange& in,
                         Action action,
                         const std::vector<uint16_t>& after)
    {
        const auto id = m_schedule.AddReceive({in, peer, CONNECTOR_DIRECT, action});
        m_schedule.AddSend({out, peer, CONNECTOR_DIRECT, id}, after);
        return id;
    }

    uint64_t m_eagerBytes;
    CollectiveSchedule m_schedule;
};

/**
 * Recursive halving and doubling.
 *
 * The group is a hypercube of log2 N dimensions; in each step a rank exchanges data with its
 * neighbour along one of them, on connectors DIRECT (Thakur, Rabenseifner and Gropp, "Optimization
 * of Collective Communication Operations in MPICH", 2005).
 *
 * - ReduceScatter halves: first with the rank N / 2 away half of the tensor, then with the one N /
 * 4 away a quarter, and so on. Chunk c ends complete at rank c, as on the ring.
 * - AllGather doubles: the same backwards, from the neighbour to the rank N / 2 away.
 * - AllReduce is a ReduceScatter and an AllGather (Rabenseifner). The first halves with the
 *   neighbour and goes on to greater distances, so that half of the data stays with the nearest
 *   rank, which often shares the scale-up domain; the AllGather takes the same way back.
 *
 * Ranges refer to the tensor, that of AllGather to its output. A step waits for all that came
 * before it, and messages may be empty when there are fewer bytes than ranks.
 *
 * **Long messages wait for their receiver**, as in the rendezvous protocol of MPI. A rank that
 * begins a step requests its message by a call, a message without data. Before the call arrives,
 * the neighbour sends at most `part.eagerBytes` of the message. Without calls, the neighbours of a
 * late rank would send the messages of several steps, and the late rank would answer all of them at
 * once, over shared ports; the largest message, for which the others wait, would arrive last. While
 * ranks are synchronous, the calls cost no time if sending eagerBytes takes at least one latency.
 * A schedule has log2 N messages each way, or twice as many for AllReduce; a long one is a call, a
 * beginning and the rest.
 */
class HalvingDoublingAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::HalvingDoublingAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<HalvingDoublingAlgorithm>();
        return tid;
    }

    std::string GetName() const override
    {
        return "halving-doubling";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return kind == CollectiveKind::ALL_GATHER || kind == CollectiveKind::REDUCE_SCATTER ||
               kind == CollectiveKind::ALL_REDUCE;
    }

  private:
    std::string DoCheck(CollectiveKind /* kind */, const GroupShape& shape) const override
    {
        return CheckPowerOfTwo(shape);
    }

    uint64_t GetMostReceives(CollectiveKind kind, const GroupShape& shape) const override
    {
        const auto messages = 3 * static_cast<uint64_t>(boost::integer_log2(shape.size));
        return (kind == CollectiveKind::ALL_REDUCE ? 2 : 1) * messages;
    }

    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        const uint32_t size = part.shape.size;
        const auto kind = part.call.kind;

        auto exchanges = GetHalving(part, GetTensorBytes(kind, size, part.call.bytes));
        StepBuilder steps(part.eagerBytes);
        if (kind != CollectiveKind::ALL_GATHER)
        {
            for (const auto& exchange : exchanges)
            {
                steps.Add(exchange, exchange.left, exchange.kept, Action::REDUCE);
            }
        }
        if (kind != CollectiveKind::REDUCE_SCATTER)
        {
            std::reverse(exchanges.begin(), exchanges.end());
            for (const auto& exchange : exchanges)
            {
                steps.Add(exchange, exchange.kept, exchange.left, Action::COPY);
            }
        }
        return steps.Get();
    }

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        const double ranks = part.shape.size;
        const CollectiveCost once{static_cast<double>(boost::integer_log2(part.shape.size)),
                                  part.GetTensor() * (ranks - 1) / ranks};
        return part.call.kind == CollectiveKind::ALL_REDUCE ? 2 * once : once;
    }
};

NS_OBJECT_ENSURE_REGISTERED(HalvingDoublingAlgorithm);

} // namespace

} // namespace ns3
