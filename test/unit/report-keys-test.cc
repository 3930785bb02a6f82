// SPDX-License-Identifier: GPL-2.0-only

// The pages of the documentation list the keys of the JSON that programs write. What the programs
// declare is compared with the pages: no key is missing on either side, and types and units agree.

#include "../../examples/recovery/recovery-report.h"
#include "../../examples/straggler/straggler-report.h"

#include "ns3/collective-report.h"
#include "ns3/cost-report.h"
#include "ns3/fabric-report.h"
#include "ns3/job-description.h"
#include "ns3/job-mix.h"
#include "ns3/job-verdict.h"
#include "ns3/run-summary.h"

#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>

using namespace ns3;

namespace
{

/// @return the rows of a page that describe keys, but for those of flags
std::multiset<std::string>
ReadKeys(const std::string& page)
{
    std::ifstream file(std::string(PHOTONIC_RAILS_SOURCE_DIR) + "/doc/" + page);
    const std::regex row("^\\| `([^`]+)` \\| (\\w+) \\| ([^|]*)\\|.*");
    std::multiset<std::string> keys;
    std::smatch match;
    for (std::string line; std::getline(file, line);)
    {
        if (std::regex_match(line, match, row) && match[1].str().rfind("settings.", 0) != 0)
        {
            std::string unit = match[3];
            unit.erase(unit.find_last_not_of(' ') + 1);
            keys.insert(match[1].str() + " | " + match[2].str() + " | " + unit);
        }
    }
    return keys;
}

/// A page, and the keys that a report declares.
using Pages = std::vector<std::pair<std::string, ReportKeys>>;

} // namespace

TEST(ReportKeys, PagesListWhatReportsDeclare)
{
    for (const auto& [page, declared] : Pages{{"run-summary.md", RunSummary::ListKeys()},
                                              {"job-description.md", JobDescription::ListKeys()},
                                              {"collectives-json.md", CollectiveReport::ListKeys()},
                                              {"comparison-json.md", FabricReport::ListKeys()},
                                              {"straggler-json.md", StragglerReport::ListKeys()},
                                              {"recovery-json.md", RecoveryReport::ListKeys()},
                                              {"cost-json.md", CostReport::ListKeys()},
                                              {"jobs-json.md", MixReport::ListKeys()},
                                              {"verdict-json.md", JobVerdict::ListKeys()}})
    {
        const auto listed = ReadKeys(page);
        std::multiset<std::string> expected;
        for (const auto& key : declared)
        {
            expected.insert(key.path + " | " + key.type + " | " + key.unit);
        }
        for (const auto& key : expected)
        {
            EXPECT_EQ(listed.count(key), 1u) << page << " should have: " << key;
        }
        for (const auto& key : listed)
        {
            EXPECT_EQ(expected.count(key), 1u) << page << " has, but no report: " << key;
        }
    }
}
