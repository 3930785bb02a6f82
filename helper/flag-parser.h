// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FLAG_PARSER_H
#define PHOTONIC_RAILS_FLAG_PARSER_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// Reads values that ns-3's own parsers abort on when they are wrong.
class FlagParser
{
  public:
    /**
     * @param text a number and a unit: 25ms, 1.5us, 0s; a bare number counts seconds
     * @return the time if it is well formed, not negative and at most 1e6 seconds
     */
    static std::optional<Time> ParseTime(const std::string& text);

    /**
     * @param text such as 100Gbps
     * @return the rate if it is well formed and from 1 Mbit/s to 100 Tbit/s
     */
    static std::optional<DataRate> ParseRate(const std::string& text);

    /**
     * @param names names of choices
     * @return them in a row, separated by commas
     */
    static std::string List(const std::vector<std::string>& names);

    /// What ParseTime accepts, for messages.
    static constexpr const char* TIME_FORM = "a time from 0s to 1e6s such as 25ms or 10us";
    /// What ParseRate accepts, for messages.
    static constexpr const char* RATE_FORM = "a rate from 1Mbps to 100Tbps such as 100Gbps";
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FLAG_PARSER_H
