// SPDX-License-Identifier: GPL-2.0-only

#include "csv-row.h"

namespace ns3
{

bool
ReadCsvRow(std::istream& in, std::vector<std::string>& fields, std::size_t maxBytes)
{
    fields.assign(1, "");
    bool isQuoted = false;
    std::size_t bytes = 0;
    for (int next = in.get(); next != std::istream::traits_type::eof(); next = in.get())
    {
        const auto character = static_cast<char>(next);
        if (++bytes > maxBytes)
        {
            return false;
        }
        if (character == '"')
        {
            if (isQuoted && in.peek() == '"')
            {
                fields.back() += static_cast<char>(in.get());
                continue;
            }
            isQuoted = !isQuoted;
        }
        else if (isQuoted || (character != ',' && character != '\n' && character != '\r'))
        {
            fields.back() += character;
        }
        else if (character == ',')
        {
            fields.emplace_back();
        }
        else if (character == '\n')
        {
            return true;
        }
    }
    return bytes > 0;
}

} // namespace ns3
