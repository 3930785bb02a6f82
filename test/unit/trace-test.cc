// SPDX-License-Identifier: GPL-2.0-only

#include "trace-bytes.h"

#include "ns3/chakra-format.h"
#include "ns3/trace-job.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ns3
{
namespace
{

/// @return settings of traces on A100s
TraceSource
MakeSource(const std::string& prefix, uint32_t gpusPerDomain = 1, uint32_t replicas = 0)
{
    TraceSource source;
    source.prefix = prefix;
    source.replicas = replicas;
    source.gpusPerDomain = gpusPerDomain;
    source.gpu = *GpuSpec::Find("a100");
    source.efficiency = {0.5, 0.5, 0.5, 0.5};
    return source;
}

/// @return the error of traces behind the folder, or an empty string
std::string
GetError(const TraceFolder& folder, uint32_t replicas = 0)
{
    try
    {
        TraceJob::Read(MakeSource(folder.GetPrefix(), 1, replicas));
        return "";
    }
    catch (const TraceError& error)
    {
        const std::string text = error.what();
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        const std::string folderName = folder.GetPrefix().substr(0, folder.GetPrefix().size() - 1);
        const std::size_t at = text.find(folderName);
        return at == std::string::npos ? text : text.substr(at + folderName.size());
    }
}

/// @return the error of a job of one rank
std::string
GetErrorOf(const std::vector<TraceBytes>& nodes)
{
    const TraceFolder folder;
    folder.WriteRanks({nodes});
    return GetError(folder);
}

/// @return the labels of operations on a stream, in program order
std::string
ListLabels(const RankProgram& program, bool calls)
{
    std::string labels;
    for (const auto& operation : program.GetOperations())
    {
        labels += operation.IsCall() == calls ? operation.label + " " : "";
    }
    return labels;
}

class TraceTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
        if (!ChakraInput::IsAvailable())
        {
            GTEST_SKIP() << "built without libprotobuf";
        }
    }
};

TEST_F(TraceTest, SizesAreInputBytes)
{
    // ASTRA-sim's convention: a rank of a ring of n sends (n - 1) x comm_size for an AllGather,
    // comm_size x (n - 1) / n for a ReduceScatter, twice that for an AllReduce.
    const TraceFolder folder;
    std::vector<TraceBytes> nodes;
    for (const uint64_t type : {0, 1, 2, 5, 6, 7, 8, 9})
    {
        nodes.push_back(TraceCollective(type, type, 1 << 20));
    }
    folder.WriteRanks({nodes, nodes});
    const JobRanks ranks = TraceJob::Read(MakeSource(folder.GetPrefix()));
    const auto& operations = ranks.GetProgram(0)->GetOperations();
    const std::vector<CollectiveKind> kinds{CollectiveKind::ALL_REDUCE,
                                            CollectiveKind::REDUCE,
                                            CollectiveKind::ALL_GATHER,
                                            CollectiveKind::BROADCAST,
                                            CollectiveKind::ALL_TO_ALL,
                                            CollectiveKind::REDUCE_SCATTER,
                                            CollectiveKind::REDUCE_SCATTER,
                                            CollectiveKind::ALL_REDUCE};
    ASSERT_EQ(operations.size(), kinds.size());
    for (std::size_t i = 0; i < kinds.size(); ++i)
    {
        EXPECT_EQ(operations[i].kind, kinds[i]);
        EXPECT_EQ(operations[i].bytes, i + 1 < kinds.size() ? 1U << 20 : 4U) << "a barrier has 4";
        EXPECT_EQ(operations[i].place, RankOperation::SCALE_OUT);
    }
    EXPECT_EQ(ranks.GetPrograms().size(), 1U) << "equal ranks share a program";
}

TEST_F(TraceTest, TimesOfComputations)
{
    const TraceFolder folder;
    folder.WriteRanks({{
        TraceComputation(0, 7),
        TraceBytes(1, 4).Set("num_ops", 9, 156'000'000'000U).Set("tensor_size", 13, 1000U),
        TraceBytes(2, 2).Set("tensor_size", 13, 777'500'000U),
        TraceBytes(3, 4).Add(7, 5U).Set("is_cpu_op", 27, 1U).Set("num_ops", 9, 9U),
        TraceBytes(4, 1).Add(7, 5U),
        TraceBytes(5, 7).Add(7, 6U).Set("is_cpu_op", 27, 1U),
        TraceBytes(6, 4).Set("num_ops", 29, "312000000000000"),
    }});
    const GpuSpec gpu = *GpuSpec::Find("a100");
    const JobRanks ranks = TraceJob::Read(MakeSource(folder.GetPrefix()));
    const auto& operations = ranks.GetProgram(0)->GetOperations();
    ASSERT_EQ(operations.size(), 7U);
    EXPECT_EQ(operations[0].duration, MicroSeconds(7));
    EXPECT_EQ(operations[0].stream, RankOperation::GPU_QUEUE);
    EXPECT_EQ(operations[1].duration, ComputeModel::ToTime(156e9 / (gpu.peakFlops * 0.5)));
    EXPECT_EQ(operations[2].duration, ComputeModel::ToTime(777.5e6 / (gpu.memoryBandwidth * 0.5)));
    EXPECT_EQ(operations[2].stream, RankOperation::GPU_QUEUE);
    EXPECT_EQ(operations[3].duration, MicroSeconds(5));
    EXPECT_EQ(operations[3].stream, RankOperation::HOST_QUEUE);
    EXPECT_EQ(operations[4].stream, RankOperation::INSTANT);
    EXPECT_EQ(operations[5].place, RankOperation::HOST) << "the call of the host";
    EXPECT_EQ(operations[5].duration, MicroSeconds(6));
    EXPECT_EQ(operations[6].duration, Seconds(2));
}

TEST_F(TraceTest, ControlDependenciesOfCallersAreNotWaitedFor)
{
    const auto read = [](const std::string& metadata) {
        const TraceFolder folder;
        folder.Write(
            ".0.et",
            EncodeTrace({TraceComputation(0, 7), TraceComputation(1, 7).Add(4, 0U)}, metadata));
        return TraceJob::Read(MakeSource(folder.GetPrefix()))
            .GetProgram(0)
            ->GetOperations()[1]
            .dependencies.size();
    };
    EXPECT_EQ(read(""), 1U);
    EXPECT_EQ(read(EncodeField(2, EncodeField(1, "schema") + EncodeField(29, "1.0.1"))), 0U);
}

TEST_F(TraceTest, CallsHaveAnOrderOnWhichRanksAgree)
{
    // Ids and dependencies put the collectives of the group in opposite orders on two ranks.
    const TraceFolder folder;
    folder.WriteRanks({{TraceCollective(1, 0, 100), TraceCollective(2, 2, 200)},
                       {TraceCollective(1, 0, 100, {2}), TraceCollective(2, 2, 200)}});
    const JobRanks ranks = TraceJob::Read(MakeSource(folder.GetPrefix()));
    EXPECT_EQ(ListLabels(*ranks.GetProgram(0), true), "node2 node1 ");
    EXPECT_EQ(ListLabels(*ranks.GetProgram(1), true), "node2 node1 ");
    EXPECT_EQ(ranks.GetProgram(0)->GetPredecessorCounts()[1], 1U) << "one after the other";
}

TEST_F(TraceTest, MessagesAreMatchedByTag)
{
    const TraceFolder folder;
    folder.WriteRanks({{TraceTransfer(1, 5, 1, 7, 100), TraceTransfer(2, 5, 1, 8, 200)},
                       {TraceTransfer(1, 6, 0, 8, 200), TraceTransfer(2, 6, 0, 7, 100)}});
    const JobRanks ranks = TraceJob::Read(MakeSource(folder.GetPrefix()));
    const auto& sends = ranks.GetProgram(0)->GetOperations();
    const auto& receives = ranks.GetProgram(1)->GetOperations();
    for (std::size_t i = 0; i < 2; ++i)
    {
        EXPECT_EQ(sends[i].bytes, receives[i].bytes) << "in the same order on both sides";
    }
    EXPECT_EQ(ranks.Bind(0).Bind(sends[0]).peer, 1U);
    EXPECT_EQ(ranks.Bind(1).Bind(receives[0]).peer, 0U);
}

TEST_F(TraceTest, ASendDoesNotWaitForItsReceive)
{
    // Each rank receives after it has sent.
    const TraceFolder folder;
    folder.WriteRanks({{TraceTransfer(1, 5, 1, 0, 100), TraceTransfer(2, 6, 1, 0, 100, {1})},
                       {TraceTransfer(1, 5, 0, 0, 100), TraceTransfer(2, 6, 0, 0, 100, {1})}});
    EXPECT_EQ(GetError(folder), "");
}

TEST_F(TraceTest, RanksOfAnAllToAllMaySendDifferentSums)
{
    // As traces of experts have them: each rank knows only what it sends itself.
    const TraceFolder folder;
    folder.WriteRanks({{TraceCollective(1, 6, 300), TraceCollective(2, 6, 100, {1})},
                       {TraceCollective(1, 6, 200), TraceCollective(2, 6, 400, {1})},
                       {TraceCollective(1, 6, 100), TraceCollective(2, 6, 100, {1})}});
    const JobRanks ranks = TraceJob::Read(MakeSource(folder.GetPrefix()));
    const std::vector<std::vector<uint64_t>> parts{{100, 67, 34}, {34, 134, 34}}; // rounded up
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        const auto& operations = ranks.GetProgram(rank)->GetOperations();
        ASSERT_EQ(operations.size(), 2U);
        for (std::size_t call = 0; call < 2; ++call)
        {
            ASSERT_NE(operations[call].sizes, nullptr);
            for (uint32_t from = 0; from < 3; ++from)
            {
                EXPECT_EQ(operations[call].sizes->GetBytes(from, (from + 1) % 3),
                          parts[call][from]);
            }
        }
    }
}

TEST_F(TraceTest, ARankTakesPartInAnAllToAllForWhichItHasNoBytes)
{
    const TraceFolder folder;
    folder.WriteRanks({{TraceCollective(1, 6, 0), TraceCollective(2, 6, 0, {1})},
                       {TraceCollective(1, 6, 200), TraceCollective(2, 6, 0, {1})},
                       {TraceCollective(1, 6, 0), TraceCollective(2, 6, 0, {1})}});
    const JobRanks ranks = TraceJob::Read(MakeSource(folder.GetPrefix()));
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        const auto& operations = ranks.GetProgram(rank)->GetOperations();
        ASSERT_EQ(operations.size(), 2U);
        ASSERT_NE(operations[0].sizes, nullptr);
        EXPECT_EQ(operations[0].sizes->GetSum(0, 0, 3), 0U);
        EXPECT_EQ(operations[0].sizes->GetSum(1, 0, 3), 201U) << "three parts, rounded up";
        EXPECT_EQ(operations[0].sizes->GetSum(2, 0, 3), 0U);
        EXPECT_EQ(operations[1].stream, RankOperation::INSTANT) << "no rank has bytes";
        EXPECT_FALSE(operations[1].IsCall());
    }
    folder.WriteRanks({{TraceCollective(1, 6, 0)}, {TraceCollective(1, 6, 200)}, {}});
    EXPECT_NE(GetError(folder).find("which rank 2 never calls"), std::string::npos);
}

TEST_F(TraceTest, CallsOfEqualSumsComeBeforeThoseOfDifferentOnes)
{
    // The second call of each rank fits the other's; the first ones differ.
    const TraceFolder folder;
    folder.WriteRanks({{TraceCollective(1, 6, 30), TraceCollective(2, 6, 20)},
                       {TraceCollective(1, 6, 10), TraceCollective(2, 6, 20)}});
    const JobRanks ranks = TraceJob::Read(MakeSource(folder.GetPrefix()));
    EXPECT_EQ(ListLabels(*ranks.GetProgram(0), true), "node2 node1 ");
    EXPECT_EQ(ranks.GetProgram(0)->GetOperations()[0].sizes, nullptr);
    EXPECT_NE(ranks.GetProgram(0)->GetOperations()[1].sizes, nullptr);
}

TEST_F(TraceTest, AMessageInAGroupOfTwoNeedsNoPeer)
{
    const TraceFolder folder;
    const auto transfer = [](uint64_t type) {
        return TraceBytes(1, type).Set("comm_size", 9, uint64_t{64}).Set("pg_name", 29, "pair");
    };
    folder.WriteRanks({{transfer(5)}, {}, {transfer(6)}});
    folder.Write(".json", R"({"pair": [0, 2]})");
    const JobRanks ranks = TraceJob::Read(MakeSource(folder.GetPrefix()));
    EXPECT_EQ(ranks.Bind(0).Bind(ranks.GetProgram(0)->GetOperations()[0]).peer, 2U);
    EXPECT_EQ(ranks.Bind(2).Bind(ranks.GetProgram(2)->GetOperations()[0]).peer, 0U);
    folder.Write(".json", R"({"pair": [0, 1, 2]})");
    EXPECT_EQ(GetError(folder),
              "t.0.et: node 1 (node1): comm_dst must be another one of the 3 ranks");
}

TEST_F(TraceTest, GroupsAreNamed)
{
    const TraceFolder folder;
    const auto rank = [](const std::string& pair) {
        return std::vector{TraceCollective(1, 0, 100, {}, pair),
                           TraceCollective(2, 0, 50, {}, "w"),
                           TraceCollective(3, 0, 50, {}, "me" + pair)};
    };
    folder.WriteRanks({rank("x"), rank("y"), rank("x"), rank("y")});
    folder.Write(".json", R"({"x": [0, 2], "y": [1, 3], "w": [0, 1, 2, 3], "mex": [2, 0],
                              "mey": [3, 1]})");
    const JobRanks ranks = TraceJob::Read(MakeSource(folder.GetPrefix(), 2));
    const auto& layout = ranks.GetLayout();
    const auto& operations = ranks.GetProgram(3)->GetOperations();
    EXPECT_EQ(layout.GetGroup(3, operations[0].role).ranks, (std::vector<uint32_t>{1, 3}));
    EXPECT_EQ(layout.GetGroup(3, operations[1].role).GetSize(), 4U);
    EXPECT_EQ(layout.GetGroup(3, operations[2].role).ranks, (std::vector<uint32_t>{3, 1}));
    EXPECT_EQ(layout.GetReach(layout.GetGroup(3, operations[0].role)), RankLayout::SCALE_OUT);
    EXPECT_EQ(ranks.GetPrograms().size(), 1U) << "groups have equal roles on all ranks";
    folder.Write(".json", R"({"x": [0, 2], "y": [1, 3], "w": [0, 1, 2, 3], "mex": [2, 4]})");
    EXPECT_EQ(GetError(folder),
              "t.json: group \"mex\" has ranks for which there is no trace: there are 4");
    folder.Write(".json", R"({"x": [0, 1], "y": [1, 3], "w": [0, 1, 2, 3]})");
    EXPECT_EQ(GetError(folder), "t.0.et: node 3 (node3): there is no group \"mex\"");
    folder.Write(".json", R"({"x": [0, 1, 1]})");
    EXPECT_EQ(GetError(folder), "t.json: group \"x\" must be a list of ranks, each once");
    folder.Write(".json", R"({"x": [0, )");
    EXPECT_NE(GetError(folder), "");
}

TEST_F(TraceTest, OneTraceStandsForSeveralRanks)
{
    const TraceFolder folder;
    folder.Write(
        ".et",
        EncodeTrace({TraceCollective(1, 0, 100, {}, "0"), TraceCollective(2, 5, 100, {1}, "dp")}));
    const JobRanks ranks = TraceJob::Read(MakeSource(folder.GetPrefix(), 4, 8));
    EXPECT_EQ(ranks.GetWorldSize(), 8U);
    EXPECT_EQ(ranks.GetPrograms().size(), 1U);
    const auto& operation = ranks.GetProgram(5)->GetOperations()[1];
    EXPECT_EQ(ranks.Bind(5).Bind(operation).peer, 0U) << "the root";
    folder.Write(".et", EncodeTrace({TraceTransfer(1, 5, 1, 0, 9)}));
    EXPECT_EQ(GetError(folder, 8),
              "t.et: has messages to other ranks, so one trace cannot stand for several ranks");
}

TEST_F(TraceTest, CallsWithoutDataOrOthersEndAtOnce)
{
    const TraceFolder folder;
    folder.Write(".json", R"({"a": [0]})");
    folder.WriteRanks({{TraceCollective(1, 0, 100, {}, "a"), TraceCollective(2, 0, 0, {})}});
    const JobRanks ranks = TraceJob::Read(MakeSource(folder.GetPrefix()));
    for (const auto& operation : ranks.GetProgram(0)->GetOperations())
    {
        EXPECT_EQ(operation.stream, RankOperation::INSTANT);
    }
}

TEST_F(TraceTest, WrongNodesAreNamed)
{
    const std::string node = "t.0.et: node 1 (node1): ";
    EXPECT_EQ(GetErrorOf({TraceBytes(1, 8)}), node + "type 8 is none that is simulated: 1 to 7");
    EXPECT_EQ(GetErrorOf({TraceBytes(1, 0)}), node + "type 0 is none that is simulated: 1 to 7");
    EXPECT_EQ(GetErrorOf({TraceComputation(1, 1, {2})}),
              node + "depends on node 2, which the file does not have");
    EXPECT_EQ(GetErrorOf({TraceComputation(1, 1), TraceComputation(1, 2)}),
              node + "another node has the same id");
    EXPECT_EQ(GetErrorOf({TraceComputation(1, 1, {1})}), node + "depends on itself, in a circle");
    EXPECT_EQ(GetErrorOf({TraceComputation(0, 1, {2}),
                          TraceComputation(1, 1, {2}),
                          TraceComputation(2, 1, {1})}),
              node + "depends on itself, in a circle");
    EXPECT_EQ(GetErrorOf({TraceCollective(1, 3, 8)}), node + "Gather is not simulated");
    EXPECT_EQ(GetErrorOf({TraceCollective(1, 10, 8)}),
              node + "comm_type must be a collective of Chakra's schema, 0 to 9");
    EXPECT_EQ(GetErrorOf({TraceBytes(1, 7)}),
              node + "comm_type must be a collective of Chakra's schema, 0 to 9");
    const std::string limit = "comm_size must be a number from 0 to 1099511627776";
    EXPECT_EQ(GetErrorOf({TraceCollective(1, 0, uint64_t{1} << 63)}), node + limit);
    EXPECT_EQ(GetErrorOf({TraceCollective(1, 0, (uint64_t{1} << 40) + 1)}), node + limit);
    EXPECT_EQ(GetErrorOf({TraceBytes(1, 7).Set("comm_type", 9, 0U).Set("comm_size", 29, "x")}),
              node + limit);
    EXPECT_EQ(GetErrorOf({TraceComputation(1, UINT64_MAX)}),
              node + "duration_micros must be a number from 0 to 1000000000000");
    EXPECT_EQ(
        GetErrorOf({TraceComputation(0, 600'000'000'000), TraceComputation(1, 600'000'000'000)}),
        node + "the nodes up to this one take longer than 1,000,000 s");
    EXPECT_EQ(GetErrorOf({TraceBytes(1, 4).Set("num_ops", 13, UINT64_MAX),
                          TraceBytes(2, 2).Set("tensor_size", 13, UINT64_MAX)}),
              "t.0.et: node 2 (node2): takes longer than 1,000,000 s");
    EXPECT_EQ(GetErrorOf({TraceTransfer(1, 5, 0, 0, 8)}),
              node + "comm_dst must be another one of the 1 ranks");
    EXPECT_EQ(GetErrorOf({TraceBytes(1, 6)}), node + "comm_src must be another one of the 1 ranks");
}

TEST_F(TraceTest, RanksThatDoNotFitAreNamed)
{
    const auto getError = [](const std::vector<std::vector<TraceBytes>>& ranks) {
        const TraceFolder folder;
        folder.WriteRanks(ranks);
        return GetError(folder);
    };
    EXPECT_EQ(getError({{TraceCollective(1, 0, 8)}, {TraceCollective(1, 0, 9)}}),
              "t.0.et: node 1 (node1): AllReduce of 8 bytes among 2 ranks, which rank 1 never "
              "calls, or waits for before it calls");
    EXPECT_EQ(getError({{TraceTransfer(1, 5, 1, 3, 8)}, {}}),
              "t.0.et: sends a message of tag 3 to rank 1, which never receives it");
    EXPECT_EQ(getError({{}, {TraceTransfer(1, 6, 0, 3, 8)}}),
              "t.1.et: node 1 (node1): receives a message of tag 3 from rank 0, which never sends "
              "it");
    EXPECT_EQ(getError({{TraceTransfer(1, 5, 1, 3, 8)}, {TraceTransfer(1, 6, 0, 3, 9)}}),
              "t.1.et: node 1 (node1): receives 9 bytes, and rank 0 sends 8");
    EXPECT_EQ(getError({{TraceTransfer(1, 5, 1, 3, 8), TraceTransfer(2, 5, 1, 4, 8, {1})},
                        {TraceTransfer(1, 6, 0, 3, 8, {2}), TraceTransfer(2, 6, 0, 4, 8)}}),
              "t.0.et: sends a message of tag 3 to rank 1, which receives others first");
    // In a circle over two ranks and two groups.
    EXPECT_NE(getError({{TraceCollective(1, 0, 8), TraceCollective(2, 2, 8, {1})},
                        {TraceCollective(1, 0, 8, {2}), TraceCollective(2, 2, 8)}}),
              "");
}

TEST_F(TraceTest, WrongFilesAreNamed)
{
    const TraceFolder folder;
    EXPECT_EQ(GetError(folder), "t.0.et: there is no such file");
    folder.Write(".0.et", EncodeTrace({TraceComputation(1, 1)}));
    folder.Write(".2.et", EncodeTrace({TraceComputation(1, 1)}));
    EXPECT_EQ(GetError(folder), "t.1.et: there is no such file, and there is one of rank 2");
    folder.Write(".1.et", "");
    EXPECT_EQ(GetError(folder), "t.1.et: the file is empty");
    const std::string whole = EncodeTrace({TraceComputation(1, 1), TraceCollective(2, 0, 77)});
    for (std::size_t size = 1; size < whole.size(); ++size)
    {
        folder.Write(".0.et", whole.substr(0, size));
        const bool isBetweenMessages =
            size == EncodeTrace({}).size() || size == EncodeTrace({TraceComputation(1, 1)}).size();
        EXPECT_EQ(GetError(folder).rfind("t.0.et: message ", 0) == 0, !isBetweenMessages) << size;
    }
    folder.Write(".0.et", std::string(20, '\xFF'));
    EXPECT_EQ(GetError(folder), "t.0.et: message 0: the length is no varint of 32 bits");
    folder.Write(".0.et", ToVarint(1U << 31) + "x");
    EXPECT_EQ(GetError(folder),
              "t.0.et: message 0: a length of 2147483648 bytes is above 67108864");
    folder.Write(".0.et.gz", "x");
    std::filesystem::remove(folder.GetPrefix() + ".0.et");
    EXPECT_EQ(GetError(folder), "t.0.et.gz: the file is empty");
}

TEST_F(TraceTest, AttributesOfAllTypes)
{
    // The schema has 28 types of values; converters have written sizes as several of them.
    const auto getBytes = [](const TraceBytes& node) {
        const TraceFolder folder;
        folder.WriteRanks({{node}, {TraceCollective(1, 0, 88)}});
        return GetError(folder);
    };
    const auto call = [] { return TraceBytes(1, 7).Set("comm_type", 7, 0U); };
    for (const uint32_t type : {7, 9, 11, 13})
    {
        EXPECT_EQ(getBytes(call().Set("comm_size", type, 88U)), "") << type;
        EXPECT_EQ(getBytes(call().Set("comm_size", type + 1, EncodeField(1, ToVarint(88)))), "")
            << type;
    }
    EXPECT_EQ(getBytes(call().Set("comm_size", 15, 2U * 88)), "") << "zigzag";
    EXPECT_EQ(getBytes(call().Set("comm_size", 29, "88")), "");
    EXPECT_EQ(
        getBytes(TraceBytes(1, 7).Set("comm_type", 29, "ALL_REDUCE").Set("comm_size", 9, 88U)),
        "");
    EXPECT_NE(getBytes(call().Set("comm_size", 9, ~uint64_t{0})), "") << "-1";
}

TEST_F(TraceTest, WrongTablesAreNamed)
{
    const std::string header = "rank,group,root,sizes,index,stream,place,dimension,role,kind,ranks,"
                               "peer,bytes,flops,duration_s,label,dependencies\n";
    const auto getError = [&header](const std::string& rows) {
        const TraceFolder folder;
        folder.Write(".csv", header + rows);
        try
        {
            TraceJob::Read(MakeSource(folder.GetPrefix() + ".csv"));
            return std::string();
        }
        catch (const TraceError& error)
        {
            return std::string(error.what()).substr(folder.GetPrefix().size());
        }
    };
    const std::string call = "0,0 1,,,1,tp,scale-out,tp,tp,AllReduce,2,,64,,,r,0\n";
    const std::string other = "1,0 1,,,0,tp,scale-out,tp,tp,AllReduce,2,,64,,,r,\n";
    const std::string first = "0,,,,0,compute,gpu,compute,,,,,,1e9,0.5,\"a, \"\"b\"\"\",\n";
    EXPECT_EQ(getError(first + call + other), "");
    const auto withBytes = [&](const std::string& bytes) {
        return first + std::string(call).replace(call.find("64"), 2, bytes) + other;
    };
    for (const char* bytes : {"64.0", " 6.4e1 ", "640e-1"})
    {
        EXPECT_EQ(getError(withBytes(bytes)), "") << bytes;
    }
    EXPECT_EQ(getError(withBytes("64.5")),
              ".csv: rank 0: node 1 (r): bytes must be a whole number from 0 to 1099511627776");
    EXPECT_EQ(getError(""), ".csv: there is no operation");
    EXPECT_EQ(getError("0,0 1\n"), ".csv: line 2 has 2 fields, not 17");
    EXPECT_EQ(getError("1" + first.substr(1)),
              ".csv: rank \"1\" must be the rank of the row before, or the next one");
    EXPECT_EQ(getError("\x15" + first.substr(1)),
              ".csv: rank \"\\u0015\" must be the rank of the row before, or the next one");
    EXPECT_EQ(getError(call + other),
              ".csv: rank 0: node 1 (r): depends on node 0, which the file does not have");
    EXPECT_EQ(getError(first + call),
              ".csv: rank 0: node 1 (r): group must be ranks of the file between "
              "blanks, each once, with this one");
    EXPECT_EQ(
        getError(first + call + other + "2" + first.substr(1) + "2,0 1" + call.substr(5)),
        ".csv: rank 2: node 1 (r): group must be ranks of the file between blanks, each once, with "
        "this one");
    EXPECT_EQ(getError("0,,,,0,warp,gpu,compute,,,,,,,,x,\n"),
              ".csv: rank 0: node 0 (x): there is no stream of this name");
    EXPECT_EQ(getError("0,,,,0,compute,moon,compute,,,,,,,,x,\n"),
              ".csv: rank 0: node 0 (x): place must be gpu, host, scale-up or scale-out");
    EXPECT_EQ(getError("0,,,,0,compute,gpu,compute,,,,,,,-1,x,\n"),
              ".csv: rank 0: node 0 (x): duration_s must be a number that is not negative");
    EXPECT_EQ(getError("0,,,,0,compute,gpu,compute,,,,,,,nan,x,\n"),
              ".csv: rank 0: node 0 (x): duration_s must be a number that is not negative");
}

TEST_F(TraceTest, FilesOfOtherKindsAreNamed)
{
    const TraceFolder folder;
    folder.Write(".txt", "nodes");
    folder.Write(".0.et", "\n{\"nodes\": [" + std::string(200, '1') + "]}");
    folder.Write(".csv", "src,dst,size\n0,1,5\n");
    const auto getError = [&folder](const std::string& ending) {
        try
        {
            TraceJob::Read(MakeSource(folder.GetPrefix() + ending));
            return std::string();
        }
        catch (const TraceError& error)
        {
            return std::string(error.what()).substr(folder.GetPrefix().size());
        }
    };
    EXPECT_EQ(getError(".txt"),
              ".txt: is one file. There must be a trace for each rank, PREFIX.RANK.et, of which "
              "--trace has the PREFIX; or a table FILE.csv; or --traceRanks, for one trace on "
              "several ranks");
    EXPECT_EQ(getError(""),
              ".0.et: the file is text in JSON; what can be read are Chakra's binary traces, "
              "messages of protobuf with the length before each");
    EXPECT_EQ(getError(".csv"),
              ".csv: line 1 is \"src,dst,size\": there must be one column rank, as "
              "--operationsRank=all writes it; a table of messages has time_s, source, destination "
              "and bytes");
}

TEST_F(TraceTest, MutatedTracesEndInALine)
{
    std::vector<std::string> files;
    for (uint64_t rank = 0; rank < 2; ++rank)
    {
        files.push_back(EncodeTrace({
            TraceComputation(1, 5),
            TraceCollective(2, 0, 4096, {1}, "w"),
            TraceTransfer(3, rank == 0 ? 5 : 6, 1 - rank, 9, 64, {2}),
            TraceBytes(4, 4, {2, 3}).Set("num_ops", 9, 1000U).Set("tensor_size", 13, 64U),
            TraceBytes(5, 4, {4}).Set("is_cpu_op", 27, 1U).Add(7, 3U),
        }));
    }
    uint64_t random = 1;
    const auto draw = [&random](uint64_t below) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        return (random >> 33) % below;
    };
    uint32_t good = 0;
    constexpr uint32_t CASES = 4000;
    const TraceFolder folder;
    for (uint32_t i = 0; i < CASES; ++i)
    {
        for (std::size_t rank = 0; rank < 2; ++rank)
        {
            std::string bytes = files[rank];
            for (uint64_t k = draw(4); k > 0; --k)
            {
                const auto place = draw(bytes.size());
                switch (draw(4))
                {
                case 0:
                    bytes[place] = static_cast<char>(draw(256));
                    break;
                case 1:
                    bytes[place] = static_cast<char>(bytes[place] ^ (1 << draw(8)));
                    break;
                case 2:
                    bytes.erase(place, 1 + draw(3));
                    break;
                default:
                    bytes.insert(place, 1 + draw(3), static_cast<char>(draw(256)));
                }
            }
            folder.Write("." + std::to_string(rank) + ".et", bytes);
        }
        good += GetError(folder).empty() ? 1 : 0;
    }
    EXPECT_GT(good, CASES / 50) << "some mutations change nothing that matters";
    EXPECT_LT(good, CASES / 2);
}

} // namespace
} // namespace ns3
