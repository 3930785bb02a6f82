// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Config paths lead to the objects of every class that has attributes or trace sources: they can be
 * found, set and listened to while jobs run.
 */

#include "config-paths.h"
#include "lambda-call.h"
#include "picosecond-test-case.h"
#include "training-run.h"

#include "ns3/collective-engine.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/electrical-switch.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-manager.h"
#include "ns3/opus-shim.h"
#include "ns3/rdma-congestion-control.h"
#include "ns3/rdma-nic.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/training-application.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// When all objects of a job are there: the first circuits are up.
const Time LATER = MilliSeconds(30);

/// @return the path of a class
std::string
PathOf(const std::string& name)
{
    return GetConfigPaths().at("ns3::" + name);
}

/// Run a job, and call functions at some moments of it. @return its results
RunSummary
RunWith(const std::vector<std::string>& extra,
        const std::vector<std::pair<Time, std::function<void()>>>& actions)
{
    TrainingSettings settings;
    CommandLine cmd;
    settings.AddFlags(cmd);
    settings.Find("symmetry")->SetText("none"); // paths count the nodes of all rails
    cmd.Parse(SmallJob(extra));
    const std::string error = settings.Check();
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    for (const auto& [at, action] : actions)
    {
        ScheduleCall(at, action);
    }
    return TrainingExperiment(settings).Run(nullptr);
}

/// When everything has been built.
const Time SOON = NanoSeconds(1);

/// Something of each class happens to be in one of these jobs.
const std::vector<std::vector<std::string>> JOBS = {
    {"--standby", "--spareRails=1", "--fault=gpu:3@100s"},
    {"--fabric=electrical", "--cc=dcqcn"},
    {"--fabric=electrical", "--cc=dcqcn-paper"},
    {"--fabric=electrical", "--cc=swift"},
    {"--policy=rotor", "--ocs=pip-switch"},
    {"--scaleUp=network", "--hostNetwork=100Gbps"},
    {"--spareGpus=1"},
};

/** Every class. */
class ReachTestCase : public PicosecondTestCase
{
  public:
    ReachTestCase()
        : PicosecondTestCase("A path leads to objects of each class, and sets their attributes")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& flags : JOBS)
        {
            const auto look = [this] { LookAll(); };
            RunWith(flags, {{SOON, look}, {MicroSeconds(300), look}, {LATER, look}});
        }
        for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
        {
            const TypeId tid = TypeId::GetRegistered(i);
            if (tid.GetGroupName() == "PhotonicRails" &&
                tid.GetAttributeN() + tid.GetTraceSourceN() > 0)
            {
                const auto path = GetConfigPaths().find(tid.GetName());
                NS_TEST_ASSERT_MSG_EQ((path != GetConfigPaths().end()),
                                      true,
                                      tid.GetName() << " has no path");
                const bool hasPath = path->second.substr(0, 4) != "none";
                NS_TEST_EXPECT_MSG_EQ(m_found.count(tid.GetName()), hasPath, tid.GetName());
            }
        }
        NS_TEST_EXPECT_MSG_GT(m_set, 30, "attributes were set");
    }

    void LookAll()
    {
        for (const auto& [name, path] : GetConfigPaths())
        {
            const auto matches = Config::LookupMatches(path.substr(0, path.find(',')));
            if (matches.GetN() == 0)
            {
                continue;
            }
            m_found.insert(name);
            const TypeId tid = TypeId::LookupByName(name);
            for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
            {
                SetOne(matches.Get(0), path.substr(0, path.find(',')), tid.GetAttribute(i));
            }
        }
    }

    /// Set a time or a number of all objects to another value by path, and to the old one again.
    void SetOne(Ptr<Object> object,
                const std::string& path,
                const TypeId::AttributeInformation& attribute)
    {
        const std::set<std::string> fixed{"Port", "Mtu", "AckInterval", "Radix", "Iterations"};
        const std::string type = attribute.checker->GetValueTypeName();
        const bool isWhole = type == "ns3::UintegerValue";
        if (!attribute.accessor->HasSetter() || !attribute.accessor->HasGetter() ||
            fixed.count(attribute.name) > 0 || (!isWhole && type != "ns3::TimeValue"))
        {
            return; // cannot change now
        }
        StringValue old;
        object->GetAttribute(attribute.name, old);
        std::string next;
        for (const std::string candidate : {"7", "2", "1", "12345us", "1s"})
        {
            const bool fits = (candidate.back() == 's') != isWhole && candidate != old.Get();
            if (next.empty() && fits && attribute.checker->CreateValidValue(StringValue(candidate)))
            {
                next = candidate;
            }
        }
        if (!object->SetAttributeFailSafe(attribute.name, StringValue(next)))
        {
            return; // others limit it, as buffers of a switch do
        }
        object->SetAttribute(attribute.name, old);
        Config::Set(path + "/" + attribute.name, StringValue(next));
        StringValue now;
        object->GetAttribute(attribute.name, now);
        const bool same = isWhole ? now.Get() == next : Time(now.Get()) == Time(next);
        NS_TEST_EXPECT_MSG_EQ(same, true, path << "/" << attribute.name << " is " << now.Get());
        Config::Set(path + "/" + attribute.name, old);
        m_set += same;
    }

    std::set<std::string> m_found;
    uint32_t m_set{0};
};

/** An attribute set by a path takes effect. */
class EffectTestCase : public PicosecondTestCase
{
  public:
    EffectTestCase()
        : PicosecondTestCase("The delay of all switches set by a path does what the flag does")
    {
    }

  private:
    void DoRun() override
    {
        const RunSummary slow = RunJob(SmallJob({}));
        const RunSummary flag = RunJob(SmallJob({"--reconfigDelay=3ms"}));
        const auto set = [] {
            Config::Set(PathOf("OpticalCircuitSwitch") + "/ReconfigurationDelay",
                        TimeValue(MilliSeconds(3)));
        };
        const RunSummary path = RunWith({}, {{SOON, set}});
        NS_TEST_ASSERT_MSG_EQ(path.iterations.size(), flag.iterations.size(), "iterations");
        for (std::size_t i = 0; i < path.iterations.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(path.iterations[i].duration,
                                  flag.iterations[i].duration,
                                  "iteration " << i);
        }
        NS_TEST_EXPECT_MSG_LT(path.iterations[0].duration, slow.iterations[0].duration, "less");
    }
};

/// Counts calls of a trace source.
template <typename... Args>
void
Hear(std::shared_ptr<uint64_t> count, std::string, Args...)
{
    ++*count;
}

/// Count the events of a trace source by its path; the type of its callback gives the arguments.
template <typename... Args>
void
Listen(const std::string& path, void (*)(Args...), std::shared_ptr<uint64_t> count)
{
    Config::Connect(path, MakeBoundCallback(&Hear<Args...>, count));
}

/** Trace sources by path. */
class ListenTestCase : public PicosecondTestCase
{
  public:
    ListenTestCase()
        : PicosecondTestCase("Trace sources are heard by their paths")
    {
    }

  private:
    void DoRun() override
    {
        const RunSummary photonic =
            RunWith({}, {{SOON, [this] { ListenPhotonic(); }}, {LATER, [this] { ListenLater(); }}});
        uint32_t commands = 0;
        for (const auto& iteration : photonic.iterations)
        {
            commands += iteration.reconfigurations;
        }
        const uint64_t ends = 16 * photonic.iterations.size();
        NS_TEST_EXPECT_MSG_EQ(*m_counts["IterationEnd"], ends, "ranks and iterations");
        NS_TEST_EXPECT_MSG_EQ(*m_counts["ReconfigurationStart"], commands, "commands to switches");
        RunWith({"--fabric=electrical", "--cc=dcqcn"}, {{SOON, [this] { ListenElectrical(); }}});
        for (const auto& [name, count] : m_counts)
        {
            NS_TEST_EXPECT_MSG_GT(*count, 0, name << " has been heard");
        }
        NS_TEST_EXPECT_MSG_EQ(m_counts.size(), 9, "trace sources");
    }

    std::shared_ptr<uint64_t> Count(const std::string& name)
    {
        return m_counts[name] = std::make_shared<uint64_t>(0);
    }

    void ListenPhotonic()
    {
        Listen(PathOf("OpticalCircuitSwitch") + "/ReconfigurationStart",
               OpticalCircuitSwitch::ReconfigurationTracedCallback(nullptr),
               Count("ReconfigurationStart"));
        Listen(PathOf("OpusShim") + "/Granted",
               OpusShim::GrantedTracedCallback(nullptr),
               Count("Granted"));
        Listen(PathOf("OpusController") + "/GroupGranted",
               OpusController::GrantTracedCallback(nullptr),
               Count("GroupGranted"));
        Listen(PathOf("OpusManager") + "/ToController",
               OpusManager::MessageTracedCallback(nullptr),
               Count("ToController"));
        Listen(PathOf("TrainingApplication") + "/IterationEnd",
               TrainingApplication::IterationTracedCallback(nullptr),
               Count("IterationEnd"));
        Listen(PathOf("CollectiveEngine") + "/CallEnded",
               CollectiveEngine::CallTracedCallback(nullptr),
               Count("CallEnded"));
    }

    void ListenLater()
    {
        Listen(PathOf("RdmaNic") + "/WriteCompleted",
               RdmaNic::WriteCompletedTracedCallback(nullptr),
               Count("WriteCompleted"));
    }

    void ListenElectrical()
    {
        Listen(PathOf("ElectricalSwitch") + "/Enqueue",
               ElectricalSwitch::FrameTracedCallback(nullptr),
               Count("Enqueue"));
        Listen(PathOf("EthernetPortNetDevice") + "/MacTx",
               Packet::TracedCallback(nullptr),
               Count("MacTx"));
    }

    std::map<std::string, std::shared_ptr<uint64_t>> m_counts;
};

/** Suite of Config paths. */
class ConfigPathsTestSuite : public TestSuite
{
  public:
    ConfigPathsTestSuite()
        : TestSuite("photonic-rails-config-paths", Type::SYSTEM)
    {
        AddTestCase(new ReachTestCase);
        AddTestCase(new EffectTestCase);
        AddTestCase(new ListenTestCase);
    }
};

ConfigPathsTestSuite g_configPathsTestSuite; //!< the instance

} // namespace
