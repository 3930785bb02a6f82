// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TEXTS_TO_JSON_H
#define PHOTONIC_RAILS_TEXTS_TO_JSON_H

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @param texts names and values, such as flags that were given
 * @return an object with a text for each name, in the same order
 */
inline nlohmann::ordered_json
TextsToJson(const std::vector<std::pair<std::string, std::string>>& texts)
{
    auto json = nlohmann::ordered_json::object();
    for (const auto& [name, text] : texts)
    {
        json[name] = text;
    }
    return json;
}

} // namespace ns3

#endif // PHOTONIC_RAILS_TEXTS_TO_JSON_H
