// SPDX-License-Identifier: GPL-2.0-only

#include "flag-parser.h"

#include <cmath>
#include <cstdlib>
#include <map>

namespace ns3
{

std::optional<Time>
FlagParser::ParseTime(const std::string& text)
{
    static const std::map<std::string, double> seconds = {{"", 1},
                                                          {"s", 1},
                                                          {"ms", 1e-3},
                                                          {"us", 1e-6},
                                                          {"ns", 1e-9},
                                                          {"ps", 1e-12},
                                                          {"min", 60},
                                                          {"h", 3600}};
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const auto unit = seconds.find(end);
    const bool wellFormed = end != text.c_str() && unit != seconds.end() && std::isfinite(number);
    if (!wellFormed || number < 0 || number * unit->second > 1e6)
    {
        return std::nullopt;
    }
    // ns-3's parser is exact in decimal fractions, and has nothing left to complain about.
    return number == 0 ? Time(0) : Time(unit->first.empty() ? text + "s" : text);
}

std::optional<DataRate>
FlagParser::ParseRate(const std::string& text)
{
    DataRateValue value;
    if (!value.DeserializeFromString(text, MakeDataRateChecker()))
    {
        return std::nullopt;
    }
    const uint64_t rate = value.Get().GetBitRate();
    if (rate < 1000000 || rate > 100000000000000)
    {
        return std::nullopt;
    }
    return value.Get();
}

std::string
FlagParser::List(const std::vector<std::string>& names)
{
    std::string list;
    for (const auto& name : names)
    {
        list += (list.empty() ? "" : ", ") + name;
    }
    return list;
}

} // namespace ns3
