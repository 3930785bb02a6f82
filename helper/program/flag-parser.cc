// SPDX-License-Identifier: GPL-2.0-only

#include "flag-parser.h"

#include <algorithm>
#include <boost/algorithm/string/split.hpp>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <locale>
#include <map>
#include <sstream>

namespace ns3
{

namespace
{

/// Units and their factors.
using Units = std::map<std::string, double>;

/// @return a number and a unit as a product, if they are well formed and not negative
std::optional<double>
ParseQuantity(const std::string& text, const Units& units)
{
    const auto quantity = FlagParser::ReadQuantity(text);
    const auto unit = quantity ? units.find(quantity->second) : units.end();
    const bool hasSign = !text.empty() && (text[0] == '-' || text[0] == '+');
    if (hasSign || unit == units.end())
    {
        return std::nullopt;
    }
    return quantity->first * unit->second;
}

/// @return a number of the largest of some units of which it is a whole number
std::string
ToWholeUnits(int64_t number, const std::vector<std::pair<int64_t, const char*>>& units)
{
    const auto isWhole = [number](const auto& unit) { return number % unit.first == 0; };
    const auto unit = std::find_if(units.begin(), units.end(), isWhole);
    return std::to_string(number / unit->first) + unit->second;
}

} // namespace

std::optional<FlagParser::Quantity>
FlagParser::ReadQuantity(const std::string& text)
{
    const auto end = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
    const std::string digits = text.substr(0, end);
    char* rest = nullptr;
    const double number = std::strtod(digits.c_str(), &rest);
    if (digits.empty() || *rest != '\0' || !std::isfinite(number))
    {
        return std::nullopt;
    }
    return Quantity(number, text.substr(end));
}

std::string
FlagParser::ToText(const Time& time)
{
    return ToWholeUnits(
        time.GetPicoSeconds(),
        {{1000000000000, "s"}, {1000000000, "ms"}, {1000000, "us"}, {1000, "ns"}, {1, "ps"}});
}

std::string
FlagParser::ToText(const DataRate& rate)
{
    return ToWholeUnits(
        static_cast<int64_t>(rate.GetBitRate()),
        {{1000000000000, "Tbps"}, {1000000000, "Gbps"}, {1000000, "Mbps"}, {1, "bps"}});
}

std::string
FlagParser::ToText(double number)
{
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << std::setprecision(12) << number;
    return text.str();
}

std::optional<Time>
FlagParser::ParseTime(const std::string& text, Time most)
{
    static const Units seconds = {{"", 1},
                                  {"s", 1},
                                  {"ms", 1e-3},
                                  {"us", 1e-6},
                                  {"ns", 1e-9},
                                  {"ps", 1e-12},
                                  {"min", 60},
                                  {"h", 3600}};
    const auto value = ParseQuantity(text, seconds);
    const bool hasUnit = value && std::isalpha(static_cast<unsigned char>(text.back())) != 0;
    if (!value || *value > most.GetSeconds() || (*value > 0 && !hasUnit))
    {
        return std::nullopt;
    }
    // ns-3's parser is exact in decimal fractions, and has nothing left to complain about.
    return *value == 0 ? Time(0) : Time(text);
}

std::optional<DataRate>
FlagParser::ParseRate(const std::string& text)
{
    static const Units bitsPerSecond =
        {{"bps", 1}, {"kbps", 1e3}, {"Kbps", 1e3}, {"Mbps", 1e6}, {"Gbps", 1e9}, {"Tbps", 1e12}};
    const auto value = ParseQuantity(text, bitsPerSecond);
    if (!value || *value < 1e9 || *value > 1e14)
    {
        return std::nullopt;
    }
    return DataRate(static_cast<uint64_t>(std::llround(*value)));
}

std::optional<uint32_t>
FlagParser::ParseCount(const std::string& text)
{
    uint32_t count = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, count);
    return error == std::errc() && stop == end ? std::optional<uint32_t>(count) : std::nullopt;
}

std::optional<uint64_t>
FlagParser::ParseBytes(const std::string& text)
{
    static const std::map<std::string, uint32_t> shifts = {{"", 0},
                                                           {"K", 10},
                                                           {"KiB", 10},
                                                           {"M", 20},
                                                           {"MiB", 20},
                                                           {"G", 30},
                                                           {"GiB", 30},
                                                           {"T", 40},
                                                           {"TiB", 40}};
    constexpr uint64_t most = uint64_t{1} << 40;
    uint64_t count = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, count);
    const auto shift = shifts.find(stop);
    if (error != std::errc() || shift == shifts.end() || count > (most >> shift->second))
    {
        return std::nullopt;
    }
    return count << shift->second;
}

std::optional<double>
FlagParser::ParseFraction(const std::string& text)
{
    return ParseQuantity(text, {{"", 1}});
}

std::string
FlagParser::List(const std::vector<std::string>& names, const std::string& separator)
{
    std::string list;
    for (const auto& name : names)
    {
        list += (list.empty() ? "" : separator) + name;
    }
    return list;
}

std::vector<std::string>
FlagParser::Split(const std::string& text, char separator)
{
    std::vector<std::string> pieces;
    const auto isSeparator = [separator](char c) { return c == separator; };
    return boost::algorithm::split(pieces, text, isSeparator);
}

std::pair<std::string, std::string>
FlagParser::SplitFlag(const std::string& argument)
{
    const std::size_t begin = std::min(argument.find_first_not_of('-'), argument.size());
    const std::size_t equals = std::min(argument.find('=', begin), argument.size());
    return {argument.substr(begin, equals - begin),
            argument.substr(std::min(equals + 1, argument.size()))};
}

} // namespace ns3
