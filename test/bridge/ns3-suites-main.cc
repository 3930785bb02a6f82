// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Runs the ns-3 test suites that are linked into this program as GoogleTests,
 * so that a build without an ns-3 tree has a test runner.
 */

#include "ns3/config.h"
#include "ns3/ipv4-address-generator.h"
#include "ns3/names.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <gtest/gtest.h>
#include <iostream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace
{

/**
 * Call the test runner of ns-3.
 *
 * @param arguments what follows the program's name
 * @return the exit code of the runner
 */
int
RunTestRunner(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "photonic-rails-suites");
    std::vector<char*> argv;
    for (auto& argument : arguments)
    {
        argv.push_back(argument.data());
    }
    // The runner ignores argc and reads up to a null pointer.
    argv.push_back(nullptr);
    return ns3::TestRunner::Run(static_cast<int>(arguments.size()), argv.data());
}

/** @return the names of the linked suites, which the runner can only print */
std::vector<std::string>
ListSuites()
{
    std::ostringstream printed;
    auto* console = std::cout.rdbuf(printed.rdbuf());
    RunTestRunner({"--print-test-name-list"});
    std::cout.rdbuf(console);

    std::vector<std::string> names;
    std::istringstream lines(printed.str());
    for (std::string line; std::getline(lines, line);)
    {
        // The suite with the module's name only runs all others.
        if (!line.empty() && line != "photonic-rails")
        {
            names.push_back(line);
        }
    }
    return names;
}

/**
 * @param suite name of an ns-3 suite
 * @return a name that GoogleTest filters can name: '-' means exclusion there
 */
std::string
ToGoogleTestName(std::string suite)
{
    std::replace_if(
        suite.begin(),
        suite.end(),
        [](unsigned char c) { return !std::isalnum(c); },
        '_');
    return suite;
}

/** One ns-3 suite. */
class Ns3Suite : public testing::Test
{
  public:
    /** @param name name of the suite */
    explicit Ns3Suite(std::string name)
        : m_name(std::move(name))
    {
    }

  private:
    void TestBody() override
    {
        const auto files =
            std::filesystem::temp_directory_path() / (m_name + "-" + std::to_string(::getpid()));
        std::filesystem::create_directories(files);
        const int failed = RunTestRunner({"--verbose",
                                          "--test-name=" + m_name,
                                          "--fullness=TAKES_FOREVER",
                                          "--tempdir=" + files.string()});
        EXPECT_EQ(failed, 0) << "ns-3 test suite " << m_name << " failed, its files are in "
                             << files;
        if (failed == 0)
        {
            std::filesystem::remove_all(files);
        }
    }

    void TearDown() override
    {
        // What one simulation leaves behind, if two suites run in one process.
        ns3::Simulator::Destroy();
        ns3::Names::Clear();
        ns3::Config::Reset();
        ns3::Ipv4AddressGenerator::Reset();
    }

    std::string m_name; //!< name of the suite
};

} // namespace

int
main(int argc, char* argv[])
{
    testing::InitGoogleTest(&argc, argv);
    for (const auto& suite : ListSuites())
    {
        testing::RegisterTest("Ns3",
                              ToGoogleTestName(suite).c_str(),
                              nullptr,
                              nullptr,
                              __FILE__,
                              __LINE__,
                              [suite]() -> Ns3Suite* { return new Ns3Suite(suite); });
    }
    return RUN_ALL_TESTS();
}
