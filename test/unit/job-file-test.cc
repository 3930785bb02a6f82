// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/job-file.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

using namespace ns3;

namespace
{

const JobFile::Settings KNOWN{{"model", "llama3-8b"}, {"tp", "4"}, {"pfc", "true"}, {"rate", ""}};

std::string
ErrorOf(const std::string& text)
{
    const JobFile job = JobFile::Parse(text, KNOWN);
    EXPECT_TRUE(job.error.empty() || job.settings.empty()) << text;
    return job.error;
}

} // namespace

TEST(JobFile, ValuesBecomeTheTextOfFlags)
{
    const JobFile job = JobFile::Parse(
        R"({"tp": 8, "pfc": false, "rate": "100Gbps", "model": {"layers": 2, "name": "x"}})",
        KNOWN);
    EXPECT_EQ(job.error, "");
    JobFile::Settings sorted = job.settings;
    std::sort(sorted.begin(), sorted.end());
    const JobFile::Settings expected{{"model", R"({"layers":2,"name":"x"})"},
                                     {"pfc", "false"},
                                     {"rate", "100Gbps"},
                                     {"tp", "8"}};
    EXPECT_EQ(sorted, expected);
    const auto textOf = [](const char* value) {
        return JobFile::Parse(std::string("{\"tp\": ") + value + "}", KNOWN).settings[0].second;
    };
    EXPECT_EQ(textOf("0.28"), "0.28");
    EXPECT_EQ(textOf("\"8\""), "8");
    EXPECT_EQ(textOf("-1"), "-1");
    EXPECT_EQ(textOf("true"), "true");
    // Whether a text may be empty, or have blanks, is for the flag to say.
    EXPECT_EQ(textOf("\"\""), "");
    EXPECT_EQ(textOf("\"my file.txt\""), "my file.txt");
}

TEST(JobFile, WrongFilesAreRefusedByName)
{
    EXPECT_EQ(ErrorOf("{}"), "");
    EXPECT_EQ(ErrorOf(R"({"tpp": 4})"),
              "tpp is no flag of a job; the nearest is tp, and --help=all lists them");
    EXPECT_EQ(ErrorOf(R"({"mode": 4})"),
              "mode is no flag of a job; the nearest is model, and --help=all lists them");
    EXPECT_EQ(ErrorOf(R"({"fp": 4})"),
              "fp is no flag of a job; the nearest is tp, and --help=all lists them");
    EXPECT_EQ(ErrorOf(R"({"speed": 4})"), "speed is no flag of a job; --help=all lists them");
    EXPECT_NE(ErrorOf(R"({"pfc": ""})"), "");
    EXPECT_NE(ErrorOf("[]"), "");
    EXPECT_NE(ErrorOf("null"), "");
    EXPECT_NE(ErrorOf(R"({"tp": [1]})").find("tp"), std::string::npos);
    EXPECT_NE(ErrorOf(R"({"tp": 1, "tp": 2})").find("once"), std::string::npos);
    EXPECT_NE(ErrorOf(R"({"pfc": 1})").find("true or false"), std::string::npos);
    EXPECT_NE(ErrorOf("{\"tp\": \"a\\u0007\"}").find("control"), std::string::npos);
}

TEST(JobFile, FlagsOfTheFileComeBeforeTheOthers)
{
    std::vector<std::string> arguments{"program", "--tp=2"};
    EXPECT_EQ(JobFile::Insert(arguments, KNOWN), "");
    EXPECT_EQ(arguments.size(), 2u);
    arguments.emplace_back("-job=/nowhere/at/all");
    const std::string error = JobFile::Insert(arguments, KNOWN);
    EXPECT_EQ(error, "--job=/nowhere/at/all: it cannot be read");
    std::vector<std::string> notTheFlag{"program", "job=x", "---job=x"};
    EXPECT_EQ(JobFile::Insert(notTheFlag, KNOWN), "");
}

TEST(JobFile, NoBytesAreTooMuchForIt)
{
    const std::string good =
        R"({"tp": 8, "pfc": false, "rate": "100Gbps", "model": {"layers": [1, {"x": null}]}})";
    std::mt19937 random(20240917);
    uint32_t refused = 0;
    for (int i = 0; i < 20000; ++i)
    {
        std::string text = good;
        const uint32_t edits = 1 + random() % 8;
        for (uint32_t edit = 0; edit < edits && !text.empty(); ++edit)
        {
            const std::size_t at = random() % text.size();
            switch (random() % 4)
            {
            case 0:
                text[at] = static_cast<char>(random());
                break;
            case 1:
                text.erase(at, 1 + random() % 10);
                break;
            case 2:
                text.insert(at, text.substr(random() % text.size(), random() % 20));
                break;
            default:
                text.insert(at, 1, "{}[]\",:0-e\\"[random() % 11]);
                break;
            }
        }
        const JobFile job = JobFile::Parse(text, KNOWN);
        refused += job.error.empty() ? 0 : 1;
        for (const char c : job.error)
        {
            ASSERT_TRUE(c >= ' ' && c < 0x7f) << text;
        }
        for (const auto& [name, value] : job.settings)
        {
            const auto isControl = [](char c) { return static_cast<unsigned char>(c) < ' '; };
            ASSERT_TRUE(std::none_of(value.begin(), value.end(), isControl)) << text;
        }
    }
    EXPECT_GT(refused, 10000u);
    EXPECT_LT(refused, 20000u);
}
