// SPDX-License-Identifier: GPL-2.0-only

#include "csv-row.h"

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

} // namespace ns3
