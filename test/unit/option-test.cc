// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/config.h"
#include "ns3/option-group.h"
#include "ns3/program.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

/// Options of each kind.
struct Inner : OptionGroup
{
    using OptionGroup::OptionGroup;

    OptionHeading heading{this, "wires"};
    CountOption ports{this, "ports", 2, CountLimits::OneOf({1, 2, 4}), "ports"};
    CountOption seats{this, "seats", 3, {1, 9}, "seats"};
    CountOption spare{this, "spare", "", {}, "spare; as many as seats if not given"};
    NumberOption share{this, "share", "0.5", {0, 1}, "share"};
    BytesOption bytes{this, "bytes", "1M", {8}, "bytes"};
    TimeOption delay{this, "delay", "1us", {"0s", "1ms", "500ns"}, "delay"};
    TimeOption other{this, "other", "", {"0s", "1ms", "500ns"}, "delay if not given"};
    TimeOption bin{this, "bin", "1ms", {"1us", "1s", nullptr, true}, "bin"};
    RateOption rate{this, "rate", "none", {"none"}, "rate"};
};

struct Outer : OptionGroup
{
    Outer()
    {
        inner.rate.Needs({color.Is({"blue"})});
        inner.bin.Needs({file.IsUsed()});
    }

    ChoiceOption color{this, "color", "red", {"red", "blue"}, OptionHelp("color: {}").First()};
    BoolOption loud{this, "loud", false, OptionHelp("loud").Unlisted()};
    FileOption file{this, "file", "file"};
    TextOption job{this, "job", "", OptionHelp("a file of flags").HoldsFlags()};
    Inner inner{this};
    OptionHeading heading{this, "words"};
    TextOption word{this,
                    "word",
                    "a",
                    OptionHelp("word").SetsIfGiven("ns3::OpusShim::Provisioning")};
};

/// @return what is wrong with the flags
std::string
Parse(Outer& outer, std::vector<std::string> flags)
{
    CommandLine cmd("option-test.cc");
    flags.insert(flags.begin(), "option-test");
    return FindError([&] { return ParseFlags(cmd, outer, flags); },
                     [&] { return outer.CheckOptions(); },
                     [&] {
                         outer.inner.spare.DeriveFrom(outer.inner.seats);
                         outer.inner.other.DeriveFrom(outer.inner.delay);
                         return outer.CheckNeeds();
                     });
}

std::string
GetOptionError(const std::string& flag)
{
    Outer outer;
    return Parse(outer, {flag});
}

std::string
HelpOf(const std::string& page)
{
    std::ostringstream help;
    return Outer().WriteHelp(help, "program", page) ? help.str() : "none";
}

} // namespace

TEST(Option, OneDeclarationIsReadByAll)
{
    Outer outer;
    EXPECT_EQ(Parse(outer, {"--color=blue", "--ports=4", "--delay=2us", "-rate=100Gbps"}), "");
    EXPECT_EQ(outer.inner.ports.Get(), 4U);
    EXPECT_EQ(outer.inner.rate.Get(), DataRate("100Gbps"));
    EXPECT_EQ(outer.inner.other.Get(), MicroSeconds(2));
    EXPECT_EQ(outer.inner.spare.Get(), 3U);
    const OptionGroup::Settings list{{"color", "blue"},
                                     {"job", ""},
                                     {"ports", "4"},
                                     {"seats", "3"},
                                     {"spare", ""},
                                     {"share", "0.5"},
                                     {"bytes", "1M"},
                                     {"delay", "2us"},
                                     {"other", ""},
                                     {"bin", "1ms"},
                                     {"rate", "100Gbps"},
                                     {"word", "a"}};
    OptionGroup::Settings expected = list;
    expected.erase(expected.begin() + 1); // a file of flags is no setting
    EXPECT_EQ(outer.GetList(), expected);
    const OptionGroup::Settings derived{{"spare", "3"}, {"other", "2us"}};
    EXPECT_EQ(outer.GetDerived(), derived);
    EXPECT_EQ(outer.inner.GetInForce()[2].second, "3");
    EXPECT_EQ(outer.GetJobSettings().size(), expected.size() + 1); // also what is not listed
}

TEST(Option, WrongValuesAreRefusedInOneLine)
{
    for (const auto& [flag, allowed] : std::vector<std::pair<std::string, std::string>>{
             {"--ports=3", "1, 2 or 4"},
             {"--ports=x", "a whole number"},
             {"--seats=10", "from 1 to 9"},
             {"--share=2", "a number from 0 to 1"},
             {"--bytes=7", "a size of at least 8 bytes and at most 1T such as 4096, 64K or 1MiB"},
             {"--delay=2ms", "a time from 0s to 1ms such as 500ns"},
             {"--delay=2", "a time from 0s to 1ms such as 500ns"},
             {"--bin=1ns", "0s, or a time from 1us to 1s"},
             {"--rate=100", "none, or a rate from 1Gbps to 100Tbps such as 100Gbps"},
             {"--color=green", "one of red, blue"},
             {"--loud=maybe", "true or false"}})
    {
        EXPECT_EQ(GetOptionError(flag), flag + " is not allowed: it must be " + allowed);
    }
    for (const auto* flag : {"--ports=1", "--delay=0", "--spare=", "--loud", "--loud=1"})
    {
        EXPECT_EQ(GetOptionError(flag), "");
    }
    EXPECT_EQ(GetOptionError("--nothing=1"),
              "--nothing=1 is no flag of this program; --help lists them");
    EXPECT_EQ(GetOptionError("nothing"), "nothing is no flag: flags begin with --");
}

TEST(Option, FlagWithoutAValueIsTheOppositeOfTheDefault)
{
    Outer outer;
    EXPECT_EQ(Parse(outer, {"--loud"}), "");
    EXPECT_TRUE(outer.loud.Get());
    EXPECT_EQ(outer.loud.GetText(), "true");
    EXPECT_EQ(outer.CheckOptions(), "");
    EXPECT_TRUE(outer.loud.Get());
}

TEST(Option, OptionsWithoutEffectAreRefused)
{
    EXPECT_EQ(GetOptionError("--rate=100Gbps"),
              "--rate=100Gbps has no effect with --color=red; allowed with --color=blue");
    EXPECT_EQ(GetOptionError("--bin=1s"), "--bin=1s has no effect without --file");
    Outer varied;
    varied.Vary({"color"});
    EXPECT_EQ(Parse(varied, {"--rate=100Gbps"}), "");
    Outer fixed;
    fixed.color.Fix();
    EXPECT_EQ(Parse(fixed, {"--rate=100Gbps"}), "");
    Outer given;
    EXPECT_EQ(Parse(given, {"--bin=1s", "--file=x"}), "");
}

TEST(Option, AttributeBesideItsOptionIsRefused)
{
    EXPECT_EQ(GetOptionError("--word=b"), "");
    EXPECT_EQ(GetOptionError("--ns3::OpusShim::Provisioning=false"), "");
    EXPECT_EQ(GetOptionError("--word=b"),
              "--ns3::OpusShim::Provisioning=false and --word=b set the same; allowed: one of "
              "them");
    Config::Reset();
    EXPECT_EQ(GetOptionError("--word=b"), "");
}

TEST(Option, HelpHasPages)
{
    const std::string all = HelpOf("all");
    EXPECT_NE(all.find("\nprogram:\n    --color:"), std::string::npos) << all;
    EXPECT_NE(all.find("color: red, blue [red]\n"), std::string::npos);
    EXPECT_NE(all.find("\nwires:\n    --ports:"), std::string::npos);
    const std::string wires = HelpOf("wires");
    EXPECT_EQ(wires.find("--color:"), std::string::npos);
    EXPECT_NE(wires.find("--seats:"), std::string::npos);
    EXPECT_EQ(HelpOf("fires"), "none");
    EXPECT_EQ(GetOptionError("--help=fires"),
              "--help=fires is not allowed: it must be all, json, or one of program, wires, words");
}
