// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/device-mesh.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace ns3;

namespace
{

using RankList = std::vector<uint32_t>;

/**
 * @param tp degree
 * @param fsdp degree
 * @param pp degree
 * @param gpusPerDomain GPUs of a domain
 * @return the mesh
 */
DeviceMesh
MakeSmallMesh(uint32_t tp, uint32_t fsdp, uint32_t pp, uint32_t gpusPerDomain)
{
    ParallelismSpec spec{tp, fsdp, pp};
    spec.gpusPerDomain = gpusPerDomain;
    return DeviceMesh(spec);
}

/// @return one of the numbers that divide a number
uint32_t
PickDivisor(std::mt19937& random, uint64_t number)
{
    RankList divisors;
    for (uint32_t i = 1; i <= number; ++i)
    {
        if (number % i == 0)
        {
            divisors.push_back(i);
        }
    }
    return divisors[random() % divisors.size()];
}

/// @return random degrees of a small world, in a random order
ParallelismSpec
MakeRandomSpec(std::mt19937& random)
{
    ParallelismSpec spec;
    for (auto* degree : {&spec.tp, &spec.fsdp, &spec.pp, &spec.cp, &spec.replicate})
    {
        *degree = 1 + random() % 4;
    }
    spec.expertTp = PickDivisor(random, spec.tp);
    spec.ep = PickDivisor(random, spec.GetPlaneSize() / spec.expertTp);
    spec.gpusPerDomain = 1 + random() % 9;
    if (random() % 2 == 0)
    {
        spec.schedule = "interleaved";
        spec.virtualStages = 2;
    }
    MeshOrder::Dimensions dimensions = MeshOrder().GetDimensions();
    std::shuffle(dimensions.begin(), dimensions.end(), random);
    spec.order = MeshOrder(dimensions);
    return spec;
}

/// @return how many ranks a group of a role has, or 0 if that depends on the rank
uint64_t
GetExpectedSize(const ParallelismSpec& spec, GroupRole role)
{
    const uint64_t shards = uint64_t{spec.fsdp} * spec.cp;
    switch (role)
    {
    case GroupRole::TP:
        return spec.tp;
    case GroupRole::CP:
        return spec.cp;
    case GroupRole::FSDP:
        return shards;
    case GroupRole::REPLICATE:
        return spec.replicate;
    case GroupRole::DATA:
        return spec.replicate * shards;
    case GroupRole::BATCH:
        return uint64_t{spec.replicate} * spec.fsdp;
    case GroupRole::MODEL:
        return uint64_t{spec.tp} * spec.pp;
    case GroupRole::EP:
        return spec.ep;
    case GroupRole::EXPERT_TP:
        return spec.expertTp;
    case GroupRole::EXPERT_FSDP:
        return shards * spec.tp / spec.ep / spec.expertTp;
    case GroupRole::EXPERT_DATA:
        return spec.replicate * shards * spec.tp / spec.ep / spec.expertTp;
    case GroupRole::PP:
        return spec.pp;
    case GroupRole::WORLD:
        return spec.GetWorldSize();
    default:
        return 0;
    }
}

/// Checks ranks, coordinates and the groups of every role.
void
ExpectConsistent(const ParallelismSpec& spec)
{
    const DeviceMesh mesh(spec);
    const DeviceMesh again(spec);
    const uint32_t world = mesh.GetWorldSize();
    ASSERT_EQ(world, spec.GetWorldSize());
    std::set<RankList> seen;
    for (uint32_t id = 0; id < mesh.GetGroups().size(); ++id)
    {
        const auto& group = mesh.GetGroups()[id];
        EXPECT_EQ(group.id, id);
        EXPECT_TRUE(std::is_sorted(group.ranks.begin(), group.ranks.end()));
        EXPECT_TRUE(seen.insert(group.ranks).second);
        EXPECT_EQ(again.GetGroups()[id].ranks, group.ranks);
    }
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        EXPECT_EQ(mesh.GetRank(mesh.GetCoordinate(rank)), rank);
        EXPECT_EQ(mesh.GetDomain(rank) * mesh.GetRails() + mesh.GetRail(rank), rank);
        EXPECT_LT(mesh.GetDomain(rank), mesh.GetDomains());
        for (std::size_t i = 0; i < static_cast<std::size_t>(GroupRole::COUNT); ++i)
        {
            const auto role = static_cast<GroupRole>(i);
            const auto& group = mesh.GetGroup(rank, role);
            EXPECT_EQ(again.GetGroup(rank, role).id, group.id);
            ASSERT_LT(group.GetIndex(rank), group.GetSize());
            if (const uint64_t size = GetExpectedSize(spec, role); size > 0)
            {
                EXPECT_EQ(group.GetSize(), size) << ToString(role);
                // All members play it together: the groups of a role partition the world.
                for (const uint32_t member : group.ranks)
                {
                    EXPECT_EQ(mesh.GetGroup(member, role).id, group.id);
                }
            }
        }
    }
}

/// Checks who sends to whom in the pipeline, and who shares tied embeddings.
void
ExpectPipeline(const ParallelismSpec& spec)
{
    const DeviceMesh mesh(spec);
    const bool isLooped = spec.virtualStages > 1;
    for (uint32_t rank = 0; rank < mesh.GetWorldSize(); ++rank)
    {
        const uint32_t stage = mesh.GetCoordinate(rank).pp;
        const auto peer = [&mesh, rank](uint32_t pp) {
            auto at = mesh.GetCoordinate(rank);
            at.pp = pp;
            return mesh.GetRank(at);
        };
        const auto pair = [rank](uint32_t other) {
            return other == rank ? RankList{rank}
                                 : RankList{std::min(rank, other), std::max(rank, other)};
        };
        const uint32_t last = spec.pp - 1;
        const uint32_t next = stage < last ? peer(stage + 1) : isLooped ? peer(0) : rank;
        const uint32_t previous = stage > 0 ? peer(stage - 1) : isLooped ? peer(last) : rank;
        EXPECT_EQ(mesh.GetGroup(rank, GroupRole::PP_NEXT).ranks, pair(next));
        EXPECT_EQ(mesh.GetGroup(rank, GroupRole::PP_PREVIOUS).ranks, pair(previous));
        const bool isEnd = stage == 0 || stage == last;
        const uint32_t twin = isEnd ? peer(last - stage) : rank;
        EXPECT_EQ(mesh.GetGroup(rank, GroupRole::EMBEDDING).ranks, pair(twin));
    }
}

/// @return the groups of a role, each once, ordered by their lowest ranks
std::vector<RankList>
GetGroups(const DeviceMesh& mesh, GroupRole role)
{
    std::vector<RankList> groups;
    for (uint32_t rank = 0; rank < mesh.GetWorldSize(); ++rank)
    {
        const auto& ranks = mesh.GetGroup(rank, role).ranks;
        if (ranks.front() == rank)
        {
            groups.push_back(ranks);
        }
    }
    return groups;
}

} // namespace

TEST(DeviceMesh, RandomSpecsAreConsistent)
{
    std::mt19937 random(1);
    for (int i = 0; i < 150; ++i)
    {
        const ParallelismSpec spec = MakeRandomSpec(random);
        SCOPED_TRACE("tp " + std::to_string(spec.tp) + " fsdp " + std::to_string(spec.fsdp) +
                     " pp " + std::to_string(spec.pp) + " cp " + std::to_string(spec.cp) +
                     " replicate " + std::to_string(spec.replicate) + " ep " +
                     std::to_string(spec.ep) + " expertTp " + std::to_string(spec.expertTp) + " " +
                     spec.order.ToString());
        ExpectConsistent(spec);
        ExpectPipeline(spec);
    }
}

TEST(DeviceMesh, EveryOrderIsConsistent)
{
    ParallelismSpec spec{2, 2, 3};
    spec.cp = spec.replicate = spec.ep = 2;
    MeshOrder::Dimensions dimensions = MeshOrder().GetDimensions();
    std::sort(dimensions.begin(), dimensions.end());
    do
    {
        spec.order = MeshOrder(dimensions);
        SCOPED_TRACE(spec.order.ToString());
        ExpectConsistent(spec);
        // The last dimension varies fastest, the first slowest.
        const DeviceMesh mesh(spec);
        const auto count = [&spec](MeshDimension d) {
            return d == MeshDimension::PP ? spec.pp : 2;
        };
        const auto role = [](MeshDimension dimension) {
            switch (dimension)
            {
            case MeshDimension::PP:
                return GroupRole::PP;
            case MeshDimension::REPLICATE:
                return GroupRole::REPLICATE;
            case MeshDimension::CP:
                return GroupRole::CP;
            default:
                return GroupRole::TP;
            }
        };
        uint32_t stride = 1;
        for (auto d = dimensions.rbegin(); d != dimensions.rend(); ++d)
        {
            if (*d != MeshDimension::SHARD)
            {
                EXPECT_EQ(mesh.GetGroup(0, role(*d)).ranks[1], stride);
            }
            stride *= count(*d);
        }
    } while (std::next_permutation(dimensions.begin(), dimensions.end()));
}

TEST(DeviceMesh, GroupsOfSixteenGpus)
{
    const DeviceMesh mesh = MakeSmallMesh(4, 2, 2, 4);
    EXPECT_EQ(mesh.GetDomains(), 4U);
    EXPECT_EQ(mesh.GetRails(), 4U);
    EXPECT_EQ(mesh.GetGroup(5, GroupRole::TP).ranks, (RankList{4, 5, 6, 7}));
    EXPECT_EQ(mesh.GetGroup(5, GroupRole::FSDP).ranks, (RankList{1, 5}));
    EXPECT_EQ(mesh.GetGroup(13, GroupRole::FSDP).ranks, (RankList{9, 13}));
    EXPECT_EQ(mesh.GetGroup(5, GroupRole::PP).ranks, (RankList{5, 13}));
    // Two stages: the pair is the pipeline.
    EXPECT_EQ(mesh.GetGroup(5, GroupRole::PP_NEXT).id, mesh.GetGroup(5, GroupRole::PP).id);
    EXPECT_EQ(mesh.GetGroup(13, GroupRole::PP_PREVIOUS).id, mesh.GetGroup(5, GroupRole::PP).id);
    EXPECT_EQ(mesh.GetGroup(5, GroupRole::EMBEDDING).id, mesh.GetGroup(5, GroupRole::PP).id);
    EXPECT_EQ(mesh.GetGroup(5, GroupRole::PP_PREVIOUS).ranks, (RankList{5}));
    EXPECT_EQ(mesh.GetGroup(13, GroupRole::PP_NEXT).ranks, (RankList{13}));
    // Groups of different parts with the same ranks are one.
    EXPECT_EQ(mesh.GetGroup(5, GroupRole::DATA).id, mesh.GetGroup(5, GroupRole::FSDP).id);
}

TEST(DeviceMesh, StagePairsOfALongerPipeline)
{
    const DeviceMesh mesh = MakeSmallMesh(2, 1, 4, 2);
    EXPECT_EQ(mesh.GetGroup(3, GroupRole::PP).ranks, (RankList{1, 3, 5, 7}));
    EXPECT_EQ(mesh.GetGroup(3, GroupRole::PP_PREVIOUS).ranks, (RankList{1, 3}));
    EXPECT_EQ(mesh.GetGroup(3, GroupRole::PP_NEXT).ranks, (RankList{3, 5}));
    EXPECT_EQ(mesh.GetGroup(3, GroupRole::PP_NEXT).id, mesh.GetGroup(5, GroupRole::PP_PREVIOUS).id);
    EXPECT_EQ(mesh.GetGroup(1, GroupRole::EMBEDDING).ranks, (RankList{1, 7}));
    EXPECT_EQ(mesh.GetGroup(3, GroupRole::EMBEDDING).ranks, (RankList{3}));
}

TEST(DeviceMesh, OnlyInterleavedPipelinesWrapAround)
{
    ParallelismSpec spec{1, 1, 4};
    spec.virtualStages = 2;
    spec.schedule = "interleaved";
    EXPECT_EQ(DeviceMesh(spec).GetGroup(3, GroupRole::PP_NEXT).ranks, (RankList{0, 3}));
    EXPECT_EQ(DeviceMesh(spec).GetGroup(0, GroupRole::PP_PREVIOUS).ranks, (RankList{0, 3}));
    spec.schedule = "dualpipev"; // turns round at the last rank
    EXPECT_EQ(DeviceMesh(spec).GetGroup(3, GroupRole::PP_NEXT).ranks, (RankList{3}));
    spec.schedule = "1f1b";
    spec.virtualStages = 1;
    EXPECT_EQ(DeviceMesh(spec).GetGroup(0, GroupRole::PP_PREVIOUS).ranks, (RankList{0}));
}

// TorchTitan, ParallelDims: with expert TP 1 the mesh is (shard mod ep, shard in ep, cp, tp), and
// ep is flattened from (shard in ep, cp, tp); with expert TP = tp, from (shard in ep, cp).
TEST(DeviceMesh, ExpertGroupsOfTorchTitan)
{
    using Lists = std::vector<RankList>;
    ParallelismSpec fromFsdp{1, 4, 1};
    fromFsdp.ep = 2;
    const DeviceMesh mesh(fromFsdp);
    EXPECT_EQ(GetGroups(mesh, GroupRole::EP), (Lists{{0, 1}, {2, 3}}));
    EXPECT_EQ(GetGroups(mesh, GroupRole::EXPERT_FSDP), (Lists{{0, 2}, {1, 3}}));

    ParallelismSpec fromFsdpAndCp{1, 2, 1};
    fromFsdpAndCp.cp = 2;
    fromFsdpAndCp.ep = 4;
    fromFsdpAndCp.replicate = 2;
    const DeviceMesh cp(fromFsdpAndCp);
    EXPECT_EQ(GetGroups(cp, GroupRole::EP), (Lists{{0, 1, 2, 3}, {4, 5, 6, 7}}));
    EXPECT_EQ(cp.GetGroup(5, GroupRole::EXPERT_FSDP).ranks, (RankList{5}));
    EXPECT_EQ(cp.GetGroup(5, GroupRole::EXPERT_DATA).ranks, (RankList{1, 5}));

    ParallelismSpec allOfTp{2, 4, 1};
    allOfTp.ep = 4; // two of fsdp, all of tp
    const DeviceMesh tp(allOfTp);
    EXPECT_EQ(GetGroups(tp, GroupRole::EP), (Lists{{0, 1, 2, 3}, {4, 5, 6, 7}}));
    EXPECT_EQ(GetGroups(tp, GroupRole::EXPERT_FSDP), (Lists{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
    EXPECT_EQ(tp.GetGroup(3, GroupRole::EXPERT_TP).ranks, (RankList{3}));

    ParallelismSpec withTp{2, 4, 1};
    withTp.ep = withTp.expertTp = 2; // mesh (2, 2, tp)
    const DeviceMesh etp(withTp);
    EXPECT_EQ(GetGroups(etp, GroupRole::EP), (Lists{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
    EXPECT_EQ(GetGroups(etp, GroupRole::EXPERT_TP), (Lists{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
    EXPECT_EQ(GetGroups(etp, GroupRole::EXPERT_FSDP), (Lists{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

// Megatron-LM, RankGenerator: order tp-cp-ep-dp-pp, the first varying fastest; experts have tp =
// expert TP, no cp, and dp = all that is left. Here 16 ranks, tp 2, cp 1, pp 2, dp 4.
TEST(DeviceMesh, ExpertGroupsOfMegatron)
{
    using Lists = std::vector<RankList>;
    ParallelismSpec spec{2, 4, 2};
    spec.ep = 4;
    spec.expertTp = 2;
    const DeviceMesh wide(spec);
    EXPECT_EQ(GetGroups(wide, GroupRole::EP),
              (Lists{{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 15}}));
    EXPECT_EQ(wide.GetGroup(5, GroupRole::EXPERT_DATA).ranks, (RankList{5}));
    EXPECT_EQ(wide.GetGroup(5, GroupRole::DATA).ranks, (RankList{1, 3, 5, 7}));
    EXPECT_EQ(wide.GetGroup(5, GroupRole::PP).ranks, (RankList{5, 13}));

    spec.ep = 2;
    spec.expertTp = 1;
    const DeviceMesh narrow(spec);
    EXPECT_EQ(narrow.GetGroup(5, GroupRole::EP).ranks, (RankList{4, 5}));
    EXPECT_EQ(narrow.GetGroup(5, GroupRole::EXPERT_DATA).ranks, (RankList{1, 3, 5, 7}));
    EXPECT_EQ(narrow.GetGroup(12, GroupRole::EXPERT_DATA).ranks, (RankList{8, 10, 12, 14}));

    // tp 1, cp 2, dp 2: experts take the ranks of cp first.
    ParallelismSpec context{1, 2, 2};
    context.cp = context.ep = 2;
    const DeviceMesh cp(context);
    EXPECT_EQ(GetGroups(cp, GroupRole::EP), (Lists{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
    EXPECT_EQ(cp.GetGroup(3, GroupRole::EXPERT_DATA).ranks, (RankList{1, 3}));
}

TEST(DeviceMesh, ReachTellsDomainsFromRails)
{
    const DeviceMesh mesh = MakeSmallMesh(4, 2, 2, 4);
    EXPECT_EQ(mesh.GetReach(mesh.GetGroup(5, GroupRole::CP)), DeviceMesh::SELF);
    EXPECT_EQ(mesh.GetReach(mesh.GetGroup(5, GroupRole::TP)), DeviceMesh::SCALE_UP);
    EXPECT_EQ(mesh.GetReach(mesh.GetGroup(5, GroupRole::FSDP)), DeviceMesh::SCALE_OUT);
    EXPECT_EQ(mesh.GetReach(mesh.GetGroup(5, GroupRole::PP)), DeviceMesh::SCALE_OUT);
    EXPECT_EQ(mesh.GetReach(mesh.GetGroup(5, GroupRole::WORLD)), DeviceMesh::MIXED);
    // FSDP over 4 ranks of which 2 share a domain.
    const DeviceMesh across = MakeSmallMesh(2, 4, 1, 4);
    EXPECT_EQ(across.GetReach(across.GetGroup(0, GroupRole::FSDP)), DeviceMesh::MIXED);
    // FSDP inside a domain of 8.
    const DeviceMesh inside = MakeSmallMesh(2, 4, 2, 8);
    EXPECT_EQ(inside.GetReach(inside.GetGroup(0, GroupRole::FSDP)), DeviceMesh::SCALE_UP);
    EXPECT_EQ(inside.GetReach(inside.GetGroup(0, GroupRole::PP)), DeviceMesh::SCALE_OUT);
    // TP across domains of 2: neighbours on different rails.
    const DeviceMesh wide = MakeSmallMesh(4, 1, 1, 2);
    EXPECT_EQ(wide.GetReach(wide.GetGroup(0, GroupRole::TP)), DeviceMesh::MIXED);
}

TEST(DeviceMesh, TheLastDomainMayBeIncomplete)
{
    const DeviceMesh mesh = MakeSmallMesh(2, 3, 1, 4);
    EXPECT_EQ(mesh.GetDomains(), 2U);
    EXPECT_EQ(mesh.GetDomain(5), 1U);
    EXPECT_EQ(mesh.GetRail(5), 1U);
    EXPECT_EQ(MakeSmallMesh(1, 3, 1, 8).GetDomains(), 1U);
}
