// SPDX-License-Identifier: GPL-2.0-only

#include "benchmark-cases.h"

#include "ns3/global-value.h"
#include "ns3/string.h"

#include <map>
#include <utility>

namespace ns3
{

namespace
{

/// @return both, one after the other
BenchmarkTraffic::Flags
Join(BenchmarkTraffic::Flags first, const BenchmarkTraffic::Flags& second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

/// @return the scheduler of events that new simulators have
std::string
GetScheduler()
{
    StringValue type;
    GlobalValue::GetValueByName("SchedulerType", type);
    return type.Get();
}

const BenchmarkTraffic::Flags BOTH = {"packet", "burst"};

} // namespace

BenchmarkCases::BenchmarkCases(BenchmarkSettings settings)
    : m_settings(std::move(settings))
{
}

std::vector<std::string>
BenchmarkCases::GetNames()
{
    return {"hops", "fidelity", "scale", "fabrics", "contended", "scheduler", "mpi", "control"};
}

BenchmarkCases::Flags
BenchmarkCases::GetFidelities(const Flags& own) const
{
    const std::string& asked = m_settings.fidelity;
    return asked.empty() ? own : asked == "both" ? BOTH : Flags{asked};
}

std::vector<BenchmarkCase>
BenchmarkCases::Make(const std::string& bench) const
{
    const std::map<std::string, std::function<Cases()>> makers = {
        {"hops", [this] { return MakeHops(); }},
        {"fidelity", [this] { return MakeFidelity(); }},
        {"scale", [this] { return MakeScale(); }},
        {"fabrics", [this] { return MakeFabrics(); }},
        {"contended", [this] { return MakeContended(); }},
        {"scheduler", [this] { return MakeScheduler(); }},
        {"mpi", [this] { return MakeMpi(); }},
        {"control", [this] { return MakeControl(); }},
    };
    Cases cases = makers.at(bench)();
    for (auto& one : cases)
    {
        one.row.bench = bench;
        if (one.row.scheduler.empty())
        {
            one.row.scheduler = GetScheduler();
        }
    }
    return cases;
}

std::vector<BenchmarkCase>
BenchmarkCases::MakeHops() const
{
    Cases cases;
    for (const auto& name : RingBenchmark::GetNames())
    {
        const bool ours = name != "point-to-point";
        for (const auto& fidelity : ours ? GetFidelities(BOTH) : Flags{""})
        {
            BenchmarkCase one;
            one.row.name = name;
            one.row.fidelity = fidelity;
            one.measure = [this](BenchmarkRow& row) { m_settings.ring.Measure(row); };
            cases.push_back(one);
        }
    }
    return cases;
}

void
BenchmarkCases::AddJob(Cases& cases,
                       const std::string& name,
                       Flags flags,
                       const Flags& fidelities) const
{
    flags.emplace_back("--symmetry=none"); // events are compared with the packets of all rails
    for (const auto& flag : m_settings.job)
    {
        flags.push_back(flag);
    }
    for (const auto& fidelity : GetFidelities(fidelities))
    {
        BenchmarkCase one;
        one.row.name = name;
        one.row.fidelity = fidelity;
        one.measure = [flags](BenchmarkRow& row) { BenchmarkTraffic::MeasureJob(flags, row); };
        cases.push_back(one);
    }
}

void
BenchmarkCases::AddCollectives(Cases& cases,
                               const std::string& collective,
                               const std::string& fabric) const
{
    Flags flags = {"--collective=" + collective, "--fabric=" + fabric};
    if (collective == "AllToAll" && fabric == "photonic")
    {
        flags.emplace_back("--algorithm=ring"); // which is what there are circuits for
    }
    for (const uint64_t bytes : m_settings.sizes)
    {
        for (const auto& fidelity : GetFidelities(BOTH))
        {
            BenchmarkCase one;
            one.row.name = collective + ", " + fabric;
            one.row.bytes = bytes;
            one.row.fidelity = fidelity;
            one.measure = [flags](BenchmarkRow& row) {
                BenchmarkTraffic::MeasureCollective(flags, row);
            };
            cases.push_back(one);
        }
    }
}

std::vector<BenchmarkCase>
BenchmarkCases::MakeFidelity() const
{
    Cases cases;
    for (const std::string fabric : {"photonic", "electrical"})
    {
        AddJob(cases, "job, " + fabric, {"--fabric=" + fabric}, BOTH);
    }
    for (const std::string fabric : {"photonic", "electrical"})
    {
        for (const std::string collective : {"AllGather", "AllReduce", "AllToAll"})
        {
            AddCollectives(cases, collective, fabric);
        }
    }
    return cases;
}

std::vector<BenchmarkCase>
BenchmarkCases::MakeScale() const
{
    Cases cases;
    // Both degrees double in turn. So there are two series in which a rank has about as much to do
    // in a job of any size, since a rank of twice the stages has half of the layers of a ring of
    // twice the ranks.
    uint32_t fsdp = 2;
    uint32_t pp = 1;
    while (8 * fsdp * pp <= m_settings.maxGpus)
    {
        if (8 * fsdp * pp >= m_settings.minGpus)
        {
            AddJob(cases,
                   std::string("llama3-405b, photonic, FSDP = ") + (fsdp > pp ? "2 PP" : "PP"),
                   Join({"--model=llama3-405b", "--tp=8", "--gpusPerDomain=8", "--gpu=h100"},
                        {"--recomputation=full",
                         "--nicPorts=2",
                         "--portRate=200Gbps",
                         "--microBatchSize=1",
                         "--microBatches=16",
                         "--iterations=2",
                         "--fsdp=" + std::to_string(fsdp),
                         "--pp=" + std::to_string(pp)}),
                   {"burst"});
        }
        (fsdp > pp ? pp : fsdp) *= 2;
    }
    return cases;
}

std::vector<BenchmarkCase>
BenchmarkCases::MakeFabrics() const
{
    const Flags job = {"--model=mixtral-8x7b",
                       "--framework=megatron-lm",
                       "--tp=8",
                       "--fsdp=2",
                       "--cp=4",
                       "--ep=4",
                       "--sequenceParallel=true",
                       "--recomputation=full",
                       "--norms=per-tensor", // a circuit cannot join all ranks for one norm
                       "--pp=1",
                       "--gpusPerDomain=8",
                       "--gpu=h100",
                       "--portRate=200Gbps",
                       "--iterations=1"};
    Cases cases;
    AddJob(cases, "mixtral-8x7b, photonic", job, {"burst"});
    AddJob(cases,
           "mixtral-8x7b, fat-tree with DCQCN",
           Join(job, {"--fabric=fat-tree", "--cc=dcqcn"}),
           {"burst"});
    return cases;
}

BenchmarkCase
BenchmarkCases::MakePermutation(const std::string& fidelity) const
{
    BenchmarkCase one;
    one.row.name = "permutation, fat-tree with DCQCN";
    one.row.fidelity = fidelity;
    one.measure = [this](BenchmarkRow& row) {
        BenchmarkTraffic::MeasurePermutation({"--fabric=fat-tree", "--nicPorts=1", "--cc=dcqcn"},
                                             m_settings.load,
                                             row);
    };
    return one;
}

std::vector<BenchmarkCase>
BenchmarkCases::MakeContended() const
{
    Cases cases;
    for (const auto& fidelity : GetFidelities(BOTH))
    {
        cases.push_back(MakePermutation(fidelity));
    }
    return cases;
}

std::vector<BenchmarkCase>
BenchmarkCases::MakeScheduler() const
{
    Cases cases;
    for (const std::string scheduler : {"Map", "Heap", "Calendar", "PriorityQueue"})
    {
        Cases some;
        AddJob(some, "job, electrical", {"--fabric=electrical", "--iterations=1"}, {"packet"});
        AddJob(some,
               "job of 128 GPUs, photonic",
               {"--fabric=photonic", "--iterations=2", "--fsdp=8", "--pp=4"},
               {"burst"});
        for (const auto& fidelity : GetFidelities({"packet"}))
        {
            some.push_back(MakePermutation(fidelity));
        }
        for (auto& one : some)
        {
            one.row.scheduler = "ns3::" + scheduler + "Scheduler";
            one.measure = [measure = one.measure](BenchmarkRow& row) {
                GlobalValue::Bind("SchedulerType", StringValue(row.scheduler));
                measure(row);
                row.scheduler = GetScheduler(); // which nothing may have changed meanwhile
            };
            cases.push_back(one);
        }
    }
    return cases;
}

std::vector<BenchmarkCase>
BenchmarkCases::MakeMpi() const
{
    // The programs of a build have names that differ in one word.
    const std::string own = "benchmark";
    const auto at = m_settings.program.rfind(own);
    std::string training = m_settings.program;
    if (at != std::string::npos)
    {
        training.replace(at, own.size(), "training");
    }
    training += " --fabric=electrical --SchedulerType=" + GetScheduler();
    for (const auto& flag : m_settings.job)
    {
        training += " " + flag;
    }
    Cases cases;
    for (uint32_t processes = 1; processes <= m_settings.processes; processes *= 2)
    {
        std::string command = training;
        if (processes > 1)
        {
            command = m_settings.mpirun + " -np " + std::to_string(processes) + " " + training;
        }
        for (const auto& fidelity : GetFidelities({"packet"}))
        {
            BenchmarkCase one;
            one.row.name = "job, electrical";
            one.row.fidelity = fidelity;
            one.row.processes = processes;
            one.measure = [command](BenchmarkRow& row) {
                BenchmarkTraffic::MeasureProgram(command, row);
            };
            cases.push_back(one);
        }
    }
    return cases;
}

void
BenchmarkCases::AddControl(Cases& cases,
                           const std::string& name,
                           uint32_t groups,
                           uint32_t ranks,
                           const ControlLoad& load) const
{
    if (uint64_t{groups} * ranks > m_settings.maxRanks)
    {
        return;
    }
    BenchmarkCase one;
    one.row.name = name;
    one.row.gpus = groups * ranks;
    ControlRig::Settings settings;
    settings.groups = groups;
    settings.ranks = ranks;
    one.measure = [settings, load](BenchmarkRow& row) {
        BenchmarkTraffic::MeasureControl(settings, load, row);
    };
    cases.push_back(one);
}

BenchmarkCases::Cases
BenchmarkCases::MakeControl() const
{
    Cases cases;
    ControlLoad load;
    load.messageTime = m_settings.messageTime;
    for (uint32_t ranks = 16; ranks <= 4096; ranks *= 4)
    {
        AddControl(cases, "1 group", 1, ranks, load);
    }
    for (uint32_t groups = 1; groups <= 64; groups *= 4)
    {
        AddControl(cases, "groups of 64", groups, 64, load);
    }
    load.threads = 8;
    for (uint32_t groups = 4; groups <= 64; groups *= 4)
    {
        AddControl(cases, "groups of 64, a thread a rail", groups, 64, load);
    }
    load.threads = 1;
    load.coalesce = MicroSeconds(5);
    for (uint32_t groups = 4; groups <= 64; groups *= 4)
    {
        AddControl(cases, "groups of 64, coalesced", groups, 64, load);
    }
    return cases;
}

} // namespace ns3
