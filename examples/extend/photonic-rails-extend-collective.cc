// SPDX-License-Identifier: GPL-2.0-only

// A collective algorithm of one's own: AllGather after Bruck et al. (IEEE TPDS 8, 1997). The
// program is photonic-rails-collectives, -training, -sweep or -fabric-comparison with one more
// algorithm; copied into scratch/, the file is a program, too. Example:
// photonic-rails-extend-collective collectives --collective=AllGather --algorithm=bruck
// --fabric=electrical --domains=6

#include "ns3/photonic-rails-module.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

using namespace ns3;

/**
 * AllGather in ceil(log2 N) rounds for any number N of ranks. In round k a rank sends all chunks
 * that it holds, or those that are left, to the rank 2^k before, and receives as many from the rank
 * 2^k behind.
 */
class BruckAlgorithm : public CollectiveAlgorithm
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("BruckAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<BruckAlgorithm>();
        return tid;
    }

    std::string GetName() const override
    {
        return "bruck";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return kind == CollectiveKind::ALL_GATHER;
    }

    // Where the data lies: the own chunk first, then that of the rank behind, and so on. The
    // library rotates it back, which like all copies takes no simulated time.
    CollectiveLayout MakeLayout(const RankContext& part) const override
    {
        return MakeChunkLayout(part, [&part](uint32_t rank) {
            const uint32_t size = part.shape.size;
            return ByteRange{(rank + size - part.index) % size * part.call.bytes, part.call.bytes};
        });
    }

  private:
    // Called with a group that suits the algorithm, once for each call on each rank.
    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        const uint32_t size = part.shape.size;
        CollectiveSchedule schedule;
        for (uint32_t held = 1; held < size; held *= 2)
        {
            const uint64_t bytes = std::min(held, size - held) * part.call.bytes;
            std::vector<uint16_t> before(schedule.GetReceives().size());
            std::iota(before.begin(), before.end(), uint16_t{0});
            ScheduledSend send;
            send.data = {0, bytes};
            send.peer = (part.index + size - held) % size;
            send.connector = CONNECTOR_DIRECT;
            // All ranks number their receives by round.
            send.transferId = schedule.AddReceive({{held * part.call.bytes, bytes},
                                                   (part.index + held) % size,
                                                   CONNECTOR_DIRECT,
                                                   ScheduledReceive::Action::COPY});
            schedule.AddSend(send, before);
        }
        return schedule;
    }

    uint64_t GetMostReceives(CollectiveKind /* kind */, const GroupShape& shape) const override
    {
        return GetRounds(shape.size);
    }

    // The model in the last line of the table: rounds times latency and bytes over bandwidth.
    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        const double ranks = part.shape.size;
        return {GetRounds(part.shape.size) * 1.0, part.GetTensor() * (ranks - 1) / ranks};
    }

    static uint32_t GetRounds(uint32_t size)
    {
        uint32_t rounds = 0;
        while (size > uint32_t{1} << rounds)
        {
            ++rounds;
        }
        return rounds;
    }
};

NS_OBJECT_ENSURE_REGISTERED(BruckAlgorithm);

int
main(int argc, char* argv[])
{
    return RunNamedProgram(argc, argv, __FILE__);
}
