// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/device-mesh.h"

#include <gtest/gtest.h>
#include <set>

using namespace ns3;

namespace
{

/**
 * @param tp degree
 * @param fsdp degree
 * @param pp degree
 * @param gpusPerDomain GPUs of a domain
 * @return the mesh
 */
DeviceMesh
MakeMesh(uint32_t tp, uint32_t fsdp, uint32_t pp, uint32_t gpusPerDomain)
{
    ParallelismSpec spec{tp, fsdp, pp};
    spec.gpusPerDomain = gpusPerDomain;
    return DeviceMesh(spec);
}

using Ranks = std::vector<uint32_t>;

} // namespace

TEST(DeviceMesh, RanksAndCoordinatesAreOneToOne)
{
    for (uint32_t tp : {1, 2, 3, 8})
    {
        for (uint32_t fsdp : {1, 2, 5})
        {
            for (uint32_t pp : {1, 2, 4})
            {
                const DeviceMesh mesh = MakeMesh(tp, fsdp, pp, tp);
                ASSERT_EQ(mesh.GetWorldSize(), tp * fsdp * pp);
                for (uint32_t rank = 0; rank < mesh.GetWorldSize(); ++rank)
                {
                    EXPECT_EQ(mesh.GetRank(mesh.GetCoordinate(rank)), rank);
                    EXPECT_EQ(mesh.GetDomain(rank) * mesh.GetRails() + mesh.GetRail(rank), rank);
                    for (auto role : {GroupRole::TP, GroupRole::FSDP, GroupRole::PP})
                    {
                        const auto& group = mesh.GetGroup(rank, role);
                        EXPECT_LT(group.GetIndex(rank), group.GetSize());
                    }
                }
            }
        }
    }
}

TEST(DeviceMesh, GroupsOfSixteenGpus)
{
    const DeviceMesh mesh = MakeMesh(4, 2, 2, 4);
    EXPECT_EQ(mesh.GetDomains(), 4U);
    EXPECT_EQ(mesh.GetRails(), 4U);
    EXPECT_EQ(mesh.GetGroup(5, GroupRole::TP).ranks, (Ranks{4, 5, 6, 7}));
    EXPECT_EQ(mesh.GetGroup(5, GroupRole::FSDP).ranks, (Ranks{1, 5}));
    EXPECT_EQ(mesh.GetGroup(13, GroupRole::FSDP).ranks, (Ranks{9, 13}));
    EXPECT_EQ(mesh.GetGroup(5, GroupRole::PP).ranks, (Ranks{5, 13}));
    EXPECT_EQ(mesh.GetReach(mesh.GetGroup(5, GroupRole::TP)), DeviceMesh::SCALE_UP);
    EXPECT_EQ(mesh.GetReach(mesh.GetGroup(5, GroupRole::FSDP)), DeviceMesh::SCALE_OUT);
    EXPECT_EQ(mesh.GetReach(mesh.GetGroup(5, GroupRole::PP)), DeviceMesh::SCALE_OUT);
    // Two stages: the pair is the pipeline.
    EXPECT_EQ(mesh.GetGroup(5, GroupRole::PP_NEXT).id, mesh.GetGroup(5, GroupRole::PP).id);
    EXPECT_EQ(mesh.GetGroup(13, GroupRole::PP_PREVIOUS).id, mesh.GetGroup(5, GroupRole::PP).id);
}

TEST(DeviceMesh, StagePairsOfALongerPipeline)
{
    const DeviceMesh mesh = MakeMesh(2, 1, 4, 2);
    EXPECT_EQ(mesh.GetGroup(3, GroupRole::PP).ranks, (Ranks{1, 3, 5, 7}));
    EXPECT_EQ(mesh.GetGroup(3, GroupRole::PP_PREVIOUS).ranks, (Ranks{1, 3}));
    EXPECT_EQ(mesh.GetGroup(3, GroupRole::PP_NEXT).ranks, (Ranks{3, 5}));
    EXPECT_EQ(mesh.GetGroup(3, GroupRole::PP_NEXT).id, mesh.GetGroup(5, GroupRole::PP_PREVIOUS).id);
    EXPECT_EQ(mesh.GetReach(mesh.GetGroup(3, GroupRole::FSDP)), DeviceMesh::SELF);
}

TEST(DeviceMesh, IdsAreUniquePerSetOfRanks)
{
    for (uint32_t fsdp : {1, 2, 4})
    {
        for (uint32_t pp : {1, 2, 3})
        {
            const DeviceMesh mesh = MakeMesh(2, fsdp, pp, 2);
            std::set<Ranks> seen;
            for (uint32_t id = 0; id < mesh.GetGroups().size(); ++id)
            {
                EXPECT_EQ(mesh.GetGroups()[id].id, id);
                EXPECT_TRUE(seen.insert(mesh.GetGroups()[id].ranks).second);
            }
        }
    }
}

TEST(DeviceMesh, ReachTellsWhatNoValidSpecHas)
{
    // FSDP over 4 ranks of which 2 share a domain.
    const DeviceMesh mesh = MakeMesh(2, 4, 1, 4);
    EXPECT_EQ(mesh.GetReach(mesh.GetGroup(0, GroupRole::FSDP)), DeviceMesh::MIXED);
    // FSDP inside a domain of 8.
    const DeviceMesh inside = MakeMesh(2, 4, 2, 8);
    EXPECT_EQ(inside.GetReach(inside.GetGroup(0, GroupRole::FSDP)), DeviceMesh::SCALE_UP);
    EXPECT_EQ(inside.GetReach(inside.GetGroup(0, GroupRole::PP)), DeviceMesh::SCALE_OUT);
}
