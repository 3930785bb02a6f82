// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/compute-model.h"
#include "ns3/data-rate.h"
#include "ns3/framework.h"
#include "ns3/gpu-server.h"
#include "ns3/kernel-efficiency.h"
#include "ns3/scale-up-generation.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// A GPU with its ridge at 100 FLOPs per byte.
GpuSpec
MakeGpu()
{
    GpuSpec gpu;
    gpu.peakFlops = 100e12;
    gpu.memoryBandwidth = 1e12;
    return gpu;
}

} // namespace

TEST(ComputeModel, BothSidesOfTheRidge)
{
    const ComputeModel model(MakeGpu(), {1, 1, 1, 1});
    // 1 GB and the ridge at 1e11 FLOPs: 1 ms.
    EXPECT_DOUBLE_EQ(model.GetSeconds({"", OperatorKind::MATMUL, 0, 1e9}), 1e-3);
    EXPECT_DOUBLE_EQ(model.GetSeconds({"", OperatorKind::MATMUL, 0.99e11, 1e9}), 1e-3);
    EXPECT_DOUBLE_EQ(model.GetSeconds({"", OperatorKind::MATMUL, 1e11, 1e9}), 1e-3);
    EXPECT_DOUBLE_EQ(model.GetSeconds({"", OperatorKind::MATMUL, 2e11, 1e9}), 2e-3);
    EXPECT_DOUBLE_EQ(model.GetSeconds({"", OperatorKind::MATMUL, 2e11, 0}), 2e-3);
}

TEST(ComputeModel, EachKindHasItsEfficiency)
{
    const ComputeModel model(MakeGpu(), {0.5, 0.25, 0.125, 0.8});
    EXPECT_DOUBLE_EQ(model.GetSeconds({"", OperatorKind::MATMUL, 1e11, 0}), 2e-3);
    EXPECT_DOUBLE_EQ(model.GetSeconds({"", OperatorKind::GROUPED_MATMUL, 1e11, 0}), 4e-3);
    EXPECT_DOUBLE_EQ(model.GetSeconds({"", OperatorKind::ATTENTION, 1e11, 0}), 8e-3);
    for (const auto kind : {OperatorKind::MATMUL,
                            OperatorKind::GROUPED_MATMUL,
                            OperatorKind::ATTENTION,
                            OperatorKind::MEMORY})
    {
        EXPECT_DOUBLE_EQ(model.GetSeconds({"", kind, 0, 0.8e9}), 1e-3);
    }
}

TEST(ComputeModel, OperatorsFollowEachOther)
{
    const ComputeModel model(MakeGpu(), {1, 1, 1, 1});
    const OperatorCost computes{"", OperatorKind::MATMUL, 2e11, 1e9};
    const OperatorCost moves{"", OperatorKind::MEMORY, 0, 3e9};
    // Not the roofline of the sum, which would overlap them.
    EXPECT_EQ(model.GetTime({computes, moves}), MilliSeconds(5));
    EXPECT_EQ(model.GetTime({}), Time(0));
}

TEST(ComputeModel, TheSumIsRoundedOnce)
{
    EXPECT_EQ(ComputeModel::ToTime(0.4e-12), Time(0));
    EXPECT_EQ(ComputeModel::ToTime(0.6e-12), PicoSeconds(1));
    EXPECT_EQ(ComputeModel::ToTime(2.4e-12), PicoSeconds(2));
    const ComputeModel model(MakeGpu(), {1, 1, 1, 1});
    const OperatorCost third{"", OperatorKind::MEMORY, 0, 0.4};
    EXPECT_EQ(model.GetTime({third}), Time(0));
    EXPECT_EQ(model.GetTime({third, third, third}), PicoSeconds(1));
}

TEST(ComputeEfficiency, SharesAreChecked)
{
    EXPECT_EQ(ComputeEfficiency().Validate(), "");
    EXPECT_EQ((ComputeEfficiency{0.001, 1, 0.5, 1}).Validate(), "");
    EXPECT_EQ((ComputeEfficiency{0, 1, 1, 1}).Validate(),
              "efficiency.matmul=0: must be 0.001 to 1");
    EXPECT_EQ((ComputeEfficiency{1, 1.5, 1, 1}).Validate(),
              "efficiency.grouped_matmul=1.5: must be 0.001 to 1");
    EXPECT_EQ((ComputeEfficiency{1, 1, -1, 1}).Validate(),
              "efficiency.attention=-1: must be 0.001 to 1");
    EXPECT_EQ((ComputeEfficiency{1, 1, 1, std::nan("")}).Validate(),
              "efficiency.memory=nan: must be 0.001 to 1");
}

TEST(GpuSpec, PresetsAreThoseOfTheDataSheets)
{
    struct Sheet
    {
        const char* name;
        double peakFlops;
        double memoryBandwidth;
        double scaleUpBandwidth;
    };

    // Dense bf16; links of NVLink times the rate of a link that NCCL counts with.
    const Sheet sheets[] = {
        {"a100", 312e12, 2039e9, 12 * 20.0e9},
        {"dgx-a100", 312e12, 2039e9, 12 * 20.0e9},
        {"h100", 1979e12 / 2, 3.35e12, 18 * 20.6e9},
        {"h200", 1979e12 / 2, 4.8e12, 18 * 20.6e9},
        {"b200", 4.5e15 / 2, 64e12 / 8, 18 * 40.1e9},
        {"gb200", 360e15 / 72 / 2, 576e12 / 72, 18 * 40.1e9},
    };
    for (const auto& sheet : sheets)
    {
        const auto gpu = GpuSpec::Find(sheet.name);
        ASSERT_TRUE(gpu) << sheet.name;
        EXPECT_DOUBLE_EQ(gpu->peakFlops, sheet.peakFlops) << sheet.name;
        EXPECT_DOUBLE_EQ(gpu->memoryBandwidth, sheet.memoryBandwidth) << sheet.name;
        EXPECT_DOUBLE_EQ(gpu->scaleUpBandwidth, sheet.scaleUpBandwidth) << sheet.name;
    }
    EXPECT_EQ(GpuSpec::GetNames().size(), std::size(sheets));
}

TEST(GpuSpec, PeaksOfOtherFormatsAreThoseOfTheDataSheets)
{
    struct Sheet
    {
        const char* name;
        double fp8;
        double tf32;
        double fp32;
    };

    const Sheet sheets[] = {
        {"a100", 624e12, 156e12, 19.5e12}, // int8 instead of fp8
        {"h100", 3958e12 / 2, 989e12 / 2, 67e12},
        {"h200", 3958e12 / 2, 989e12 / 2, 67e12},
        {"b200", 72e15 / 8 / 2, 18e15 / 8 / 2, 600e12 / 8},
        {"gb200", 720e15 / 72 / 2, 180e15 / 72 / 2, 5760e12 / 72},
    };
    for (const auto& sheet : sheets)
    {
        const auto gpu = *GpuSpec::Find(sheet.name);
        EXPECT_DOUBLE_EQ(gpu.GetPeak(ProductFormat::BF16), gpu.peakFlops) << sheet.name;
        EXPECT_DOUBLE_EQ(gpu.GetPeak(ProductFormat::FP8), sheet.fp8) << sheet.name;
        EXPECT_NEAR(gpu.GetPeak(ProductFormat::TF32) / sheet.tf32, 1, 0.001) << sheet.name;
        EXPECT_DOUBLE_EQ(gpu.GetPeak(ProductFormat::FP32), sheet.fp32) << sheet.name;
        EXPECT_EQ(gpu.hasFp8, sheet.name != std::string("a100"));
    }
}

TEST(ComputeModel, AProductTakesThePeakOfItsFormat)
{
    const auto gpu = *GpuSpec::Find("h100");
    const ComputeModel model(gpu, {0.5, 0.5, 0.5, 0.8, 0.25});
    OperatorCost product{"product", OperatorKind::MATMUL, 1e15, 0};
    EXPECT_DOUBLE_EQ(model.GetSeconds(product), 1e15 / (989.5e12 * 0.5));
    product.format = ProductFormat::FP8;
    EXPECT_DOUBLE_EQ(model.GetSeconds(product), 1e15 / (1979e12 * 0.25));
    product.format = ProductFormat::FP32;
    EXPECT_DOUBLE_EQ(model.GetSeconds(product), 1e15 / (67e12 * 0.5));
}

TEST(KernelEfficiency, ThereIsOneForEverythingAndTheMostSpecialIsFirst)
{
    std::vector<std::string> frameworks = Variant<Framework>::GetNames();
    frameworks.emplace_back("");
    frameworks.emplace_back("own");
    for (const auto& gpu : GpuSpec::GetNames())
    {
        for (const auto& framework : frameworks)
        {
            for (const auto format : {ProductFormat::BF16,
                                      ProductFormat::FP8,
                                      ProductFormat::TF32,
                                      ProductFormat::FP32})
            {
                const auto& entry = KernelEfficiency::Find(gpu, framework, format);
                EXPECT_LT(0, entry.low);
                EXPECT_LT(entry.low, entry.typical);
                EXPECT_LT(entry.typical, entry.high);
                EXPECT_LT(entry.high, 1);
                EXPECT_FALSE(entry.source.empty());
            }
        }
    }
    // Each entry is the first for something, or it would have no use.
    for (const auto& entry : KernelEfficiency::GetAll())
    {
        EXPECT_EQ(&KernelEfficiency::Find(entry.gpu, entry.framework, entry.format), &entry)
            << entry.gpu << " " << entry.framework;
    }
    const auto& titan = KernelEfficiency::Find("dgx-a100", "torchtitan-0.1.0", ProductFormat::TF32);
    EXPECT_EQ(titan.gpu + " " + titan.framework, "a100 torchtitan");
}

TEST(GpuServer, EveryGpuHasOneWithDomainsOfItsScaleUpNetwork)
{
    const auto& servers = GpuServer::GetAll();
    const auto names = GpuSpec::GetNames();
    ASSERT_EQ(servers.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        EXPECT_EQ(servers[i].gpu, names[i]);
        EXPECT_EQ(ScaleUpGeneration::Find(names[i])->Check(servers[i].gpus), "");
    }
    // Gbit/s of a GPU, from the data sheets: one port of 200 or 400, which is split in two.
    const std::pair<const char*, uint64_t> nics[] = {{"a100", 200},
                                                     {"dgx-a100", 200},
                                                     {"h100", 400},
                                                     {"h200", 400},
                                                     {"b200", 400},
                                                     {"gb200", 400}};
    for (const auto& [gpu, rate] : nics)
    {
        const GpuServer* const server = GpuServer::Find(gpu);
        ASSERT_NE(server, nullptr) << gpu;
        EXPECT_EQ(server->nicPorts, 2) << gpu;
        EXPECT_EQ(2 * DataRate(server->portRate).GetBitRate(), rate * 1000000000) << gpu;
    }
    EXPECT_EQ(GpuServer::Find("a100")->gpus, 4);
    EXPECT_EQ(GpuServer::Find("dgx-a100")->gpus, 8);
    EXPECT_EQ(GpuServer::Find("gb200")->gpus, 72);
    EXPECT_EQ(GpuServer::Find("tpu"), nullptr);
}

TEST(GpuSpec, PublishedEfficienciesHaveSources)
{
    for (const auto& name : GpuSpec::GetNames())
    {
        const auto published = GpuSpec::Find(name)->published;
        EXPECT_GT(published.low, 0.3) << name;
        EXPECT_LT(published.low, published.high) << name;
        EXPECT_LT(published.high, 0.8) << name;
        EXPECT_NE(published.source.find("arXiv"), std::string::npos) << name;
        // A GPU without figures of its own says so.
        const bool isOwn = name == "a100" || name == "dgx-a100" || name == "h100";
        EXPECT_EQ(published.source.find("no figures") == std::string::npos, isOwn) << name;
    }
}
