// SPDX-License-Identifier: GPL-2.0-only

#include "csv-row.h"

#include <algorithm>
#include <regex>

namespace ns3
{

namespace
{

/// Spreadsheets begin a text with it.
constexpr const char* BYTE_ORDER_MARK = "\xEF\xBB\xBF";

} // namespace

bool
ReadCsvRow(std::istream& in,
           std::vector<std::string>& fields,
           CsvPlace& place,
           std::size_t maxBytes)
{
    fields.assign(1, "");
    const std::size_t begin = place.bytes;
    bool isQuoted = false;
    bool wasQuoted = false; // the field has ended with a quote
    ++place.line;
    place.isWhole = false;
    const auto refuse = [&place](const char* reason) {
        place.error = "line " + std::to_string(place.line) + reason;
        return false;
    };
    for (char c = 0; in.get(c);)
    {
        if (++place.bytes - begin > maxBytes)
        {
            return refuse(" is too long");
        }
        const bool isQuote = c == '"';
        if (isQuoted && isQuote && in.peek() != '"')
        {
            isQuoted = false;
            wasQuoted = true;
        }
        else if (isQuoted)
        {
            place.line += c == '\n' ? 1 : 0;
            place.bytes += isQuote ? 1 : 0;
            fields.back() += isQuote ? static_cast<char>(in.get()) : c;
        }
        else if (c == ',')
        {
            fields.emplace_back();
            wasQuoted = false;
        }
        else if (c == '\n')
        {
            place.isWhole = true;
            return true;
        }
        else if (isQuote && fields.back().empty() && !wasQuoted)
        {
            isQuoted = true;
        }
        else if (c != '\r')
        {
            if (wasQuoted || isQuote)
            {
                return refuse(" has a quote within a field");
            }
            fields.back() += c;
            if (begin == 0 && place.bytes == 3 && fields.back() == BYTE_ORDER_MARK)
            {
                fields.back().clear();
            }
        }
    }
    return place.bytes > begin;
}

std::string
TrimField(const std::string& field)
{
    const std::size_t begin = field.find_first_not_of(" \t");
    return begin == std::string::npos
               ? ""
               : field.substr(begin, field.find_last_not_of(" \t") + 1 - begin);
}

std::optional<uint64_t>
ParseWholeNumber(const std::string& field, uint64_t most)
{
    constexpr std::size_t MAX_DIGITS = 18; // of 64 bits
    std::string digits = field;
    if (field.empty() || field.find_first_not_of("0123456789") != std::string::npos)
    {
        static const std::regex NUMBER("([0-9]+)(\\.([0-9]*))?([eE]([+-]?[0-9]{1,2}))?");
        std::smatch parts;
        if (field.size() > 4 * MAX_DIGITS || !std::regex_match(field, parts, NUMBER))
        {
            return std::nullopt;
        }
        // The digits without the point are the number times a power of ten.
        digits = parts.str(1) + parts.str(3);
        int power =
            (parts[5].matched ? std::stoi(parts.str(5)) : 0) - static_cast<int>(parts.length(3));
        for (; power < 0 && !digits.empty() && digits.back() == '0'; ++power)
        {
            digits.pop_back();
        }
        if (power < 0 && !digits.empty())
        {
            return std::nullopt;
        }
        digits.append(static_cast<std::size_t>(std::max(0, power)), '0');
    }
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.size() > MAX_DIGITS)
    {
        return std::nullopt;
    }
    const uint64_t number = digits.empty() ? 0 : std::stoull(digits);
    return number <= most ? std::make_optional(number) : std::nullopt;
}

} // namespace ns3
