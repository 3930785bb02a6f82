// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/test.h"

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace ns3;

namespace
{

/** Common start of the names of the module's suites. */
const std::string SUITE_PREFIX = "photonic-rails-";

/**
 * Call ns-3's test runner once more, from within a test.
 *
 * @param argument the one argument
 * @return the exit code of the runner
 */
int
CallTestRunner(std::string argument)
{
    std::string program = "photonic-rails";
    // The runner reads up to a null pointer.
    char* argv[] = {program.data(), argument.data(), nullptr};
    return TestRunner::Run(2, argv);
}

/** @return the names of the module's other suites, which the runner can only print */
std::vector<std::string>
ListSuites()
{
    std::ostringstream printed;
    auto* console = std::cout.rdbuf(printed.rdbuf());
    CallTestRunner("--print-test-name-list");
    std::cout.rdbuf(console);

    std::vector<std::string> names;
    std::istringstream lines(printed.str());
    for (std::string line; std::getline(lines, line);)
    {
        if (line.compare(0, SUITE_PREFIX.size(), SUITE_PREFIX) == 0)
        {
            names.push_back(line);
        }
    }
    return names;
}

/**
 * Run suites, each in a process of its own: time resolution, packet UIDs and automatic random
 * streams cannot be reset within a process. As many run at a time as there are processors.
 *
 * @param suites their names
 * @return the names of those that failed
 */
std::set<std::string>
RunAlone(const std::vector<std::string>& suites)
{
    const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
    std::map<pid_t, std::string> running;
    std::set<std::string> failed;
    for (std::size_t next = 0; next < suites.size() || !running.empty();)
    {
        if (next < suites.size() && running.size() < most)
        {
            const std::string& suite = suites[next++];
            std::cout.flush();
            const pid_t child = fork();
            if (child == 0)
            {
                const int status = CallTestRunner("--test-name=" + suite);
                std::cout.flush();
                _exit(status);
            }
            if (child < 0)
            {
                failed.insert(suite);
                continue;
            }
            running[child] = suite;
            continue;
        }
        int status = -1;
        const pid_t child = wait(&status);
        const auto ended = running.find(child);
        if (ended != running.end())
        {
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            {
                failed.insert(ended->second);
            }
            running.erase(ended);
        }
        else if (child < 0 && errno != EINTR)
        {
            for (const auto& [lost, name] : running)
            {
                failed.insert(name);
            }
            running.clear();
        }
    }
    return failed;
}

/**
 * @ingroup tests
 * Runs all suites of the module.
 */
class PhotonicRailsAllTestCase : public TestCase
{
  public:
    PhotonicRailsAllTestCase()
        : TestCase("Every suite of the module passes")
    {
    }

  private:
    void DoRun() override
    {
        const auto suites = ListSuites();
        NS_TEST_ASSERT_MSG_EQ(suites.empty(), false, "no suite is linked");
        for (const auto& suite : RunAlone(suites))
        {
            NS_TEST_EXPECT_MSG_EQ(suite, "", "a suite failed");
        }
    }
};

/**
 * @ingroup tests
 * Bears the name of the module, because test.py -s wants the exact name of a
 * suite, and a module's name is what a user tries first.
 */
class PhotonicRailsAllTestSuite : public TestSuite
{
  public:
    PhotonicRailsAllTestSuite()
        : TestSuite("photonic-rails", Type::UNIT)
    {
        AddTestCase(new PhotonicRailsAllTestCase);
    }
};

PhotonicRailsAllTestSuite g_photonicRailsAllTestSuite; //!< the instance

} // namespace
