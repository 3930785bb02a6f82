// SPDX-License-Identifier: GPL-2.0-only

// Objects that a program disposes of, and applications that end by their StopTime, while a job
// runs: the simulation ends by itself, however far the job came.

#include "../random-search.h"
#include "../suites/training-run.h"

#include "ns3/child-process.h"
#include "ns3/collective-engine.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/node-list.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"

#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// Finds an object on a node, or returns nullptr.
using Finder = std::function<Ptr<Object>(Ptr<Node>)>;

/// @return what finds an application of a class
Finder
FindApplicationOf(const std::string& type)
{
    return [type](Ptr<Node> node) -> Ptr<Object> {
        for (uint32_t i = 0; i < node->GetNApplications(); ++i)
        {
            if (node->GetApplication(i)->GetInstanceTypeId().GetName() == type)
            {
                return node->GetApplication(i);
            }
        }
        return nullptr;
    };
}

/// @return what finds an object that is aggregated to a node
template <typename T>
Finder
FindAggregated()
{
    return [](Ptr<Node> node) -> Ptr<Object> { return node->GetObject<T>(); };
}

/// @return what finds a port of a node
Ptr<Object>
FindPort(Ptr<Node> node)
{
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        if (DynamicCast<EthernetPortNetDevice>(node->GetDevice(i)))
        {
            return node->GetDevice(i);
        }
    }
    return nullptr;
}

/// Dispose of the first object that is found on any node.
void
DisposeOfFirst(const Finder& find)
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        if (const Ptr<Object> object = find(*node))
        {
            object->Dispose();
            return;
        }
    }
}

/// @return whether a small job ends by itself, if an object is disposed of at a time
bool
EndsWithout(const Finder& find, Time at)
{
    const auto result = RunInChild([&] {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        Time::SetResolution(Time::PS);
        Simulator::Schedule(at, &DisposeOfFirst, find);
        RunJob(SmallJob({"--seqLen=64", "--iterations=2"}));
        return std::string("ended");
    });
    return result == "ended";
}

/// @return what finds the objects that are disposed of, by name
const std::map<std::string, Finder>&
GetDisposed()
{
    static const std::map<std::string, Finder> all{
        {"agent", FindApplicationOf("ns3::OcsAgent")},
        {"controller", FindApplicationOf("ns3::OpusController")},
        {"manager", FindApplicationOf("ns3::OpusManager")},
        {"shim", FindApplicationOf("ns3::OpusShim")},
        {"rank", FindApplicationOf("ns3::TrainingApplication")},
        {"engine", FindAggregated<CollectiveEngine>()},
        {"NIC", FindAggregated<RdmaNic>()},
        {"switch", FindAggregated<OpticalCircuitSwitch>()},
        {"port", FindPort},
        {"GPU", [](Ptr<Node> node) -> Ptr<Object> {
             return node->GetObject<CollectiveEngine>() ? node : nullptr;
         }}};
    return all;
}

/// @return the names of what is disposed of
std::vector<std::string>
ListDisposed()
{
    std::vector<std::string> names;
    for (const auto& [name, find] : GetDisposed())
    {
        names.push_back(name);
    }
    return names;
}

/// Applications that stop, and flags of a job that has them.
struct StoppedClass
{
    const char* type;
    std::vector<std::string> flags;
};

/// @return the applications that stop, with names for tests
const std::map<std::string, StoppedClass>&
GetStopped()
{
    const std::vector<std::string> spares{"--spareGpus=1", "--fault=gpu:5@150us"};
    static const std::map<std::string, StoppedClass> all{
        {"agent", {"ns3::OcsAgent", {}}},
        {"controller", {"ns3::OpusController", {}}},
        {"manager", {"ns3::OpusManager", {}}},
        {"shim", {"ns3::OpusShim", {}}},
        {"rank", {"ns3::TrainingApplication", {}}},
        {"rotor", {"ns3::RotorScheduler", {"--policy=rotor", "--reconfigDelay=10us"}}},
        {"recovery", {"ns3::RecoveryAgent", spares}},
        {"coordinator", {"ns3::RecoveryCoordinator", spares}},
        {"host", {"ns3::RecoveryHost", spares}}};
    return all;
}

/// @return the names of the applications that stop
std::vector<std::string>
ListStopped()
{
    std::vector<std::string> names;
    for (const auto& [name, stopped] : GetStopped())
    {
        names.push_back(name);
    }
    return names;
}

/// Set the StopTime of all applications of a class. @return the number of applications
uint32_t
StopAll(const std::string& type, Time at)
{
    const Finder find = FindApplicationOf(type);
    uint32_t count = 0;
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        if (const auto application = DynamicCast<Application>(find(*node)))
        {
            application->SetStopTime(at);
            ++count;
        }
    }
    return count;
}

/// @return how many applications of a small job stop at a time; empty if the job does not end
std::string
CountStopped(const StoppedClass& stopped, Time at)
{
    const auto result = RunInChild([&] {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        Time::SetResolution(Time::PS);
        std::vector<std::string> flags = SmallJob({"--seqLen=64", "--iterations=2"});
        flags.insert(flags.end(), stopped.flags.begin(), stopped.flags.end());
        TrainingSettings settings;
        ReadFlags(settings, flags);
        NS_ABORT_MSG_UNLESS(settings.Check().empty(), settings.Check());
        uint32_t count = 0;
        // Before nodes start their applications, which is an event of the same time.
        Simulator::Schedule(Time(), [&] { count = StopAll(stopped.type, at); });
        TrainingExperiment(settings).Run(nullptr);
        return std::to_string(count);
    });
    return result.value_or("");
}

} // namespace

/// An object, and moments from the first messages to the end of the job.
class Dispose : public testing::TestWithParam<std::string>
{
};

TEST_P(Dispose, TheSimulationEnds)
{
    const std::vector<int64_t>
        all{1, 15, 40, 25'100, 25'400, 26'000, 27'000, 60'000, 200'000, 400'000};
    for (const int64_t us : test::TakeSample(all, std::hash<std::string>()(GetParam())))
    {
        EXPECT_TRUE(EndsWithout(GetDisposed().at(GetParam()), MicroSeconds(us)))
            << GetParam() << " at " << us << " us";
    }
}

INSTANTIATE_TEST_SUITE_P(All, Dispose, testing::ValuesIn(ListDisposed()));

/// Applications of a class, and moments from the first messages to the end of the job.
class StopTime : public testing::TestWithParam<std::string>
{
};

TEST_P(StopTime, TheSimulationEnds)
{
    for (const int64_t us : {1, 40, 160, 26'000, 200'000})
    {
        const std::string count = CountStopped(GetStopped().at(GetParam()), MicroSeconds(us));
        EXPECT_TRUE(!count.empty() && count != "0")
            << GetParam() << " at " << us << " us: " << count;
    }
}

INSTANTIATE_TEST_SUITE_P(All, StopTime, testing::ValuesIn(ListStopped()));
