// SPDX-License-Identifier: GPL-2.0-only

// Attributes of the module as flags: whatever their values are, a program ends by itself, with exit
// code 0, or with an error that is no longer than a few lines and exit code 1.

#include "../random-search.h"

#include "ns3/attribute-flags.h"
#include "ns3/child-process.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/experiment-programs.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace ns3;

namespace
{

/// Values that are wrong for most attributes, or at the limit of a type.
const std::vector<std::string> HOSTILE{"",
                                       "-1",
                                       "0",
                                       "1",
                                       "0.5",
                                       "1e400",
                                       "nan",
                                       "maybe",
                                       "4294967295",
                                       "18446744073709551615",
                                       "18446744073709551616",
                                       "ns3::Node",
                                       "ns3::NoSuchClass",
                                       "ns3::UniformRandomVariable[Max=-5|Min=",
                                       "0s",
                                       "-1s",
                                       "1ps",
                                       "100000h",
                                       "1e300s",
                                       "0bps",
                                       "1bps",
                                       "-1Gbps",
                                       "1e30Gbps",
                                       "%s%n"};

/// Seconds of CPU time after which a run counts as endless.
constexpr rlim_t MOST_SECONDS = 20;

/// @return the attributes of the module's classes that have constructors, as names of flags
std::vector<std::string>
ListAttributeFlags()
{
    std::vector<std::string> flags;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        for (std::size_t k = 0; type.GetGroupName() == "PhotonicRails" && k < type.GetAttributeN();
             ++k)
        {
            flags.push_back(type.GetAttributeFullName(k));
        }
    }
    std::sort(flags.begin(), flags.end());
    return flags;
}

/// How a program has ended.
struct Ending
{
    int status;
    std::string errors; //!< on standard error
};

/// @return how a small job ends with a flag, in a process of its own
Ending
TrainWith(const std::string& flag, const std::string& fabric)
{
    FILE* const errors = std::tmpfile();
    const pid_t child = fork();
    if (child == 0)
    {
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        dup2(fileno(errors), STDERR_FILENO);
        const rlimit limit{MOST_SECONDS, MOST_SECONDS};
        setrlimit(RLIMIT_CPU, &limit);
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        std::vector<std::string> words{"training",
                                       "--quiet",
                                       "--model=debugmodel",
                                       "--seqLen=64",
                                       "--iterations=1",
                                       "--fabric=" + fabric,
                                       flag};
        std::vector<char*> arguments;
        for (auto& word : words)
        {
            arguments.push_back(word.data());
        }
        arguments.push_back(nullptr);
        _exit(RunTrainingProgram(static_cast<int>(words.size()), arguments.data(), "training"));
    }
    Ending ending{};
    waitpid(child, &ending.status, 0);
    std::rewind(errors);
    for (int c = std::fgetc(errors); c != EOF; c = std::fgetc(errors))
    {
        ending.errors += static_cast<char>(c);
    }
    std::fclose(errors);
    return ending;
}

/// @return whether a text is a line, and perhaps lines that belong to it
bool
IsOneError(const std::string& text)
{
    std::istringstream lines(text);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
    {
        if (count > 0 && line.rfind("  ", 0) != 0)
        {
            return false;
        }
    }
    return count > 0 && count < 40;
}

} // namespace

/// All hostile values of an attribute.
class AttributeFlagsOf : public testing::TestWithParam<std::string>
{
};

TEST_P(AttributeFlagsOf, HostileValuesEndInOneLine)
{
    for (const auto& value : test::TakeSample(HOSTILE, std::hash<std::string>()(GetParam())))
    {
        const std::string flag = "--" + GetParam() + "=" + value;
        if (const auto error = AttributeFlags::CheckAttribute(GetParam(), value); !error.empty())
        {
            EXPECT_EQ(error.find('\n'), std::string::npos) << error;
            EXPECT_EQ(error.find("--" + GetParam()), 0u) << error;
            continue;
        }
        const bool isElectrical = GetParam().find("Electrical") != std::string::npos ||
                                  GetParam().find("Priority") != std::string::npos;
        const Ending ending = TrainWith(flag, isElectrical ? "leaf-spine" : "photonic");
        ASSERT_TRUE(WIFEXITED(ending.status)) << flag << "\n" << ending.errors;
        if (WEXITSTATUS(ending.status) != 0)
        {
            EXPECT_EQ(WEXITSTATUS(ending.status), 1) << flag << "\n" << ending.errors;
            EXPECT_TRUE(IsOneError(ending.errors)) << flag << "\n" << ending.errors;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, AttributeFlagsOf, testing::ValuesIn(ListAttributeFlags()));

TEST(AttributeFlags, ValuesThatAreTaken)
{
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
             {"ns3::RdmaQueuePair::Mtu", "1024"},
             {"ns3::RdmaQueuePair::LossRecovery", "SelectiveRepeat"},
             {"ns3::RdmaQueuePair::CongestionControl", "ns3::RdmaDcqcn"},
             {"ns3::RdmaQueuePair::CnpInterval", "50us"},
             {"ns3::RdmaQueuePair::InvariantCrc", "true"},
             {"ns3::TrainingApplication::ComputeJitter", "ns3::UniformRandomVariable[Max=1.5]"}})
    {
        EXPECT_EQ(AttributeFlags::CheckAttribute(name, value), "") << name;
    }
}

TEST(AttributeFlags, ChangesOfAProgramAreListed)
{
    AttributeFlags::Clear();
    Config::Reset();
    EXPECT_TRUE(AttributeFlags::ListChanges().empty());
    const auto jitter = CreateObject<UniformRandomVariable>();
    jitter->SetAttribute("Max", DoubleValue(1.0000000123));
    Config::SetDefault("ns3::RdmaQueuePair::Mtu", UintegerValue(1024));
    Config::SetDefault("ns3::RdmaQueuePair::Window", UintegerValue(1 << 20)); // as it was
    Config::SetDefault("ns3::RdmaQueuePair::CnpInterval", TimeValue(NanoSeconds(1234567)));
    Config::SetDefault("ns3::TrainingApplication::ComputeSlowdown", DoubleValue(1.0000000123));
    Config::SetDefault("ns3::TrainingApplication::ComputeJitter", PointerValue(jitter));
    const auto changes = AttributeFlags::ListChanges();
    Config::Reset();
    EXPECT_EQ(changes.size(), 4u);
    EXPECT_EQ(changes.at("ns3::RdmaQueuePair::Mtu"), "1024");
    EXPECT_EQ(changes.at("ns3::RdmaQueuePair::CnpInterval"), "1234567ns");
    EXPECT_EQ(changes.at("ns3::TrainingApplication::ComputeSlowdown"), "1.0000000123");
    const std::string text = changes.at("ns3::TrainingApplication::ComputeJitter");
    EXPECT_NE(text.find("ns3::UniformRandomVariable["), std::string::npos) << text;
    EXPECT_NE(text.find("Max=1.0000000123"), std::string::npos) << text;
    for (const auto& [name, value] : changes)
    {
        EXPECT_EQ(AttributeFlags::CheckAttribute(name, value), "") << name;
    }
    EXPECT_TRUE(AttributeFlags::ListChanges().empty());
}

TEST(AttributeFlags, TheEnvironmentIsListed)
{
    Config::Reset();
    const auto record = [](const char* environment) {
        AttributeFlags::Clear();
        setenv("NS_ATTRIBUTE_DEFAULT", environment, 1);
        return AttributeFlags::RecordEnvironment();
    };
    EXPECT_EQ(record("ns3::RdmaQueuePair::Mtu=1024;;ns3::RdmaQueuePair::CnpInterval=9us;"), "");
    EXPECT_EQ(AttributeFlags::ListChanges(),
              (std::map<std::string, std::string>{{"ns3::RdmaQueuePair::CnpInterval", "9us"},
                                                  {"ns3::RdmaQueuePair::Mtu", "1024"}}));
    EXPECT_EQ(record("ns3::RdmaQueuePair::Mtu=1"),
              "NS_ATTRIBUTE_DEFAULT: --ns3::RdmaQueuePair::Mtu=1 is not allowed: it must be a "
              "whole number from 256 to 8192");
    unsetenv("NS_ATTRIBUTE_DEFAULT");
    AttributeFlags::Clear();
}

TEST(AttributeFlags, WhatTheLineSays)
{
    EXPECT_EQ(AttributeFlags::CheckAttribute("ns3::RdmaQueuePair::InvariantCrc", "maybe"),
              "--ns3::RdmaQueuePair::InvariantCrc=maybe is not allowed: it must be true or false");
    EXPECT_NE(AttributeFlags::CheckAttribute("ns3::RdmaQueuePair::LossRecovery", "Some")
                  .find("one of GoBackN,SelectiveRepeat"),
              std::string::npos);
    EXPECT_NE(AttributeFlags::CheckAttribute("ns3::RdmaQueuePair::Control", "x").find("is no flag"),
              std::string::npos);
    EXPECT_EQ(AttributeFlags::CheckAttribute("ns3::RdmaQueuePair::NoSuch", "1"),
              "--ns3::RdmaQueuePair::NoSuch sets no attribute: ns3::RdmaQueuePair has no attribute "
              "NoSuch");
    EXPECT_EQ(AttributeFlags::CheckAttribute("RdmaQueuePair::NoSuch", "1"),
              "--RdmaQueuePair::NoSuch sets no attribute: there is no class RdmaQueuePair");
    EXPECT_NE(AttributeFlags::CheckAttribute("RdmaQueuePair::Mtu", "1").find("allowed: --ns3::"),
              std::string::npos);
    EXPECT_EQ(AttributeFlags::CheckGlobalValue("NoSuchGlobalValue", "x"), "");
    EXPECT_NE(AttributeFlags::CheckGlobalValue("SchedulerType", "ns3::Node"), "");
    EXPECT_EQ(AttributeFlags::CheckGlobalValue("SchedulerType", "ns3::HeapScheduler"), "");
    EXPECT_NE(AttributeFlags::CheckGlobalValue("RngRun", "-1"), "");
}
