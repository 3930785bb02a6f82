// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FLAG_PARSER_H
#define PHOTONIC_RAILS_FLAG_PARSER_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Reads values of flags in full: ns-3's own parsers abort on some wrong values and pass over
 * text after a number in others.
 */
class FlagParser
{
  public:
    /// A decimal number and the text after it.
    using Quantity = std::pair<double, std::string>;

    /// @param text a number, which may have a sign, and a unit
    /// @return the number and the unit, which may be empty, if the number is finite
    static std::optional<Quantity> ReadQuantity(const std::string& text);

    /// @param number a number @return a text with 12 digits, which ParseFraction reads
    static std::string ToText(double number);

    /// @param time a time @return a number of the largest unit of which the time is a whole number
    static std::string ToText(const Time& time);
    /// @param rate a rate @return the same, such as 100Gbps
    static std::string ToText(const DataRate& rate);

    /**
     * @param text a number and a unit: 25ms, 1.5us, 0s; 0 needs no unit
     * @param most the largest value allowed
     * @return the time if it is well formed, not negative and not above `most`
     */
    static std::optional<Time> ParseTime(const std::string& text, Time most);

    /**
     * @param text such as 100Gbps
     * @return the rate if it is well formed and from 1 Gbit/s to 100 Tbit/s
     */
    static std::optional<DataRate> ParseRate(const std::string& text);

    /**
     * @param text decimal digits
     * @return the number, if that is all there is and it has 32 bits
     */
    static std::optional<uint32_t> ParseCount(const std::string& text);

    /**
     * @param text decimal digits, and K, M, G or T (or KiB, MiB, GiB, TiB) for powers of 1024
     * @return the number of bytes, if that is all there is and it is at most 1 TiB
     */
    static std::optional<uint64_t> ParseBytes(const std::string& text);

    /**
     * @param text a decimal fraction
     * @return the number, if that is all there is and it is finite and not negative
     */
    static std::optional<double> ParseFraction(const std::string& text);

    /**
     * @param names names of choices
     * @param separator text between two names
     * @return the names in a row
     */
    static std::string List(const std::vector<std::string>& names,
                            const std::string& separator = ", ");

    /**
     * @param text a list
     * @param separator character between its pieces
     * @return the pieces; empty ones count, also the last, so that no text is one empty piece
     */
    static std::vector<std::string> Split(const std::string& text, char separator = ',');

    /**
     * @param argument of a program, a flag with or without a value
     * @return the flag without dashes, and the value or an empty string
     */
    static std::pair<std::string, std::string> SplitFlag(const std::string& argument);

    /// The texts that ParseRate accepts, for messages.
    static constexpr const char* RATE_FORM = "a rate from 1Gbps to 100Tbps such as 100Gbps";
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FLAG_PARSER_H
