// SPDX-License-Identifier: GPL-2.0-only

#include "mesh-order.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

/// Names of dimensions, in the order of the enumeration.
constexpr std::array<const char*, MeshOrder::DIMENSIONS> NAMES{"pp", "dp", "fsdp", "cp", "tp"};

} // namespace

MeshOrder::MeshOrder(const Dimensions& dimensions)
    : m_dimensions(dimensions)
{
}

std::optional<MeshOrder>
MeshOrder::Parse(const std::string& text)
{
    Dimensions dimensions{};
    std::array<bool, DIMENSIONS> isKnown{};
    std::istringstream words(text);
    std::string word;
    std::size_t count = 0;
    while (std::getline(words, word, '-'))
    {
        const auto name = std::find(NAMES.begin(), NAMES.end(), word);
        const auto index = static_cast<std::size_t>(name - NAMES.begin());
        if (count == DIMENSIONS || index == DIMENSIONS || isKnown[index])
        {
            return std::nullopt;
        }
        isKnown[index] = true;
        dimensions[count++] = static_cast<MeshDimension>(index);
    }
    return count == DIMENSIONS && text.back() != '-' ? std::optional(MeshOrder(dimensions))
                                                     : std::nullopt;
}

std::string
MeshOrder::ToString() const
{
    std::string text;
    for (const auto dimension : m_dimensions)
    {
        text += (text.empty() ? "" : "-");
        text += NAMES[static_cast<std::size_t>(dimension)];
    }
    return text;
}

const MeshOrder::Dimensions&
MeshOrder::GetDimensions() const
{
    return m_dimensions;
}

} // namespace ns3
