// SPDX-License-Identifier: GPL-2.0-only

#include "permutation-traffic.h"

#include "ns3/interruption.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"

#include <numeric>
#include <random>

namespace ns3
{

namespace
{

/// A message and how much of it has arrived.
struct Message
{
    uint32_t* unfinished{nullptr}; //!< messages that have not been acknowledged
    Ptr<RdmaConnection> sender;
    Ptr<RdmaConnection> receiver;
    uint64_t left{0}; //!< bytes that have not arrived
    Time arrived;     //!< when the last byte had
};

void
MessageStripeArrived(Message* message, uint32_t /* immediate */, uint64_t bytes)
{
    message->left -= bytes;
    message->arrived = Simulator::Now();
}

void
MessageAcknowledged(Message* message,
                    uint32_t /* immediate */,
                    bool /* delivered: else bytes are left */)
{
    if (--*message->unfinished == 0)
    {
        Simulator::Stop(); // what is left to happen is of no interest: timers
    }
}

} // namespace

PermutationTraffic::PermutationTraffic(OptionGroup* options)
    : OptionGroup(options)
{
    m_fabric.FixFabric();
    m_fabric.FixScaleUp();
}

std::string
PermutationTraffic::Check(const std::string& fabric)
{
    m_fabric.SetName(fabric);
    if (auto error =
            FindError([this] { return CheckOptions(); }, [this] { return m_fabric.Check(); });
        !error.empty())
    {
        return error;
    }
    const bool isWorld = m_group.GetText() == "world";
    if (uint64_t{m_domains.Get()} * (isWorld ? m_fabric.gpusPerDomain.Get() : 1) < 2)
    {
        return m_domains.Refuse("such that there are at least 2 GPUs");
    }
    const auto helper = m_fabric.MakeClusterHelper(m_domains.Get());
    if (auto error = helper.Check(m_fabric.GetFabric()); !error.empty())
    {
        return error;
    }
    if (isWorld && m_fabric.gpusPerDomain.Get() > 1 && !m_fabric.GetFabric().JoinsRails())
    {
        return "fabric " + fabric +
               " does not join GPUs of different rails (--group=rail permutes those of each)";
    }
    if (m_fabric.IsPhotonic() && m_fabric.nicPorts.Get() < 2)
    {
        return "--nicPorts=1 is not enough for photonic rails: a circuit leads to one GPU, another "
               "one comes from one";
    }
    return FindError([this] { return m_fabric.CheckSwitches(m_domains.Get()); },
                     [this] { return CheckNeeds(); });
}

std::vector<uint32_t>
PermutationTraffic::MakeCycle(uint32_t size, uint32_t seed)
{
    std::mt19937 random(seed); // the same numbers everywhere, unlike distributions
    std::vector<uint32_t> images(size);
    std::iota(images.begin(), images.end(), 0);
    for (uint32_t i = size - 1; i > 0; --i)
    {
        std::swap(images[i], images[random() % i]);
    }
    return images;
}

std::vector<uint32_t>
PermutationTraffic::MakePairs() const
{
    const uint32_t gpus = m_domains.Get() * m_fabric.gpusPerDomain.Get();
    const uint32_t groups = m_group.GetText() == "world" ? 1 : m_fabric.gpusPerDomain.Get();
    std::vector<uint32_t> pairs(gpus);
    for (uint32_t group = 0; group < groups; ++group)
    {
        const auto images = MakeCycle(gpus / groups, m_seed.Get() + group);
        for (uint32_t i = 0; i < images.size(); ++i)
        {
            pairs[i * groups + group] = images[i] * groups + group;
        }
    }
    return pairs;
}

void
PermutationTraffic::Light(const RailCluster& cluster, const std::vector<uint32_t>& pairs)
{
    std::vector<CircuitSet> circuits(cluster.GetGpusPerDomain());
    for (uint32_t gpu = 0; gpu < pairs.size(); ++gpu)
    {
        const auto& from = cluster.GetOcsPorts(gpu);
        const auto& to = cluster.GetOcsPorts(pairs[gpu]);
        for (std::size_t i = 0; i < from.size() / 2; ++i)
        {
            circuits[cluster.GetRailOf(gpu)].push_back({from[i], to[from.size() / 2 + i]});
        }
    }
    for (uint32_t rail = 0; rail < circuits.size(); ++rail)
    {
        cluster.GetOcs(rail)->Reconfigure({}, circuits[rail]);
    }
    Interruption::RunSimulator(); // until there is light
}

FabricRun
PermutationTraffic::Run(FabricProbe& probe)
{
    const RailCluster cluster =
        m_fabric.MakeClusterHelper(m_domains.Get()).Install(m_fabric.GetFabric());
    probe.Observe(cluster);
    const auto pairs = MakePairs();
    std::vector<uint32_t> ports(m_fabric.nicPorts.Get());
    std::iota(ports.begin(), ports.end(), 0);
    const auto halves = RdmaHelper::GetRingPorts(m_fabric.nicPorts.Get());
    std::vector<Message> messages(pairs.size());
    auto unfinished = static_cast<uint32_t>(pairs.size());
    for (uint32_t gpu = 0; gpu < pairs.size(); ++gpu)
    {
        Message& message = messages[gpu];
        message.unfinished = &unfinished;
        std::tie(message.sender, message.receiver) =
            RdmaHelper::Connect(cluster.GetNic(gpu),
                                cluster.IsPhotonic() ? halves.next : ports,
                                cluster.GetNic(pairs[gpu]),
                                cluster.IsPhotonic() ? halves.previous : ports);
        message.sender->SetSentCallback(MakeBoundCallback(&MessageAcknowledged, &message));
        message.receiver->SetReceivedCallback(MakeBoundCallback(&MessageStripeArrived, &message));
    }
    if (cluster.IsPhotonic())
    {
        Light(cluster, pairs);
    }

    const Time start = Simulator::Now();
    probe.Start();
    for (auto& message : messages)
    {
        message.left = m_bytes.Get();
        message.sender->Post(m_bytes.Get(), 1);
    }
    Interruption::RunSimulator();
    probe.Stop();

    FabricRun run;
    std::vector<Time> times;
    for (const auto& message : messages)
    {
        times.push_back(message.arrived - start);
        if (message.left > 0)
        {
            run.reason = "the messages came to a standstill";
        }
    }
    run.messageTimes = LatencySummary::Make(times);
    run.completion = run.messageTimes.max;
    Simulator::Destroy();
    return run;
}

FabricReport
PermutationTraffic::MakeReport(bool circuits) const
{
    const uint32_t gpus = m_domains.Get() * m_fabric.gpusPerDomain.Get();
    FabricReport report;
    report.traffic = "permutation";
    report.description = "a random permutation of " + std::to_string(gpus) + " messages of " +
                         std::to_string(m_bytes.Get()) + " bytes, all at once, " +
                         std::to_string(m_fabric.nicPorts.Get()) + " x " +
                         m_fabric.portRate.GetText() + " a GPU";
    if (circuits)
    {
        report.remarks = {
            "photonic: a circuit for each message is set up before, over half of the ports "
            "of the two NICs; others: a message is striped over all ports"};
    }
    report.messages = "message, post to last byte";
    report.completion = "all messages";
    for (const auto& setting : GetInForce())
    {
        const bool isBytes = setting.first == m_bytes.GetName();
        report.settings.emplace_back(setting.first,
                                     isBytes ? std::to_string(m_bytes.Get()) : setting.second);
    }
    return report;
}

} // namespace ns3
