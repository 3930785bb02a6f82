// SPDX-License-Identifier: GPL-2.0-only

#include "algorithm-limits.h"

#include "ns3/flag-parser.h"

#include <algorithm>
#include <vector>

namespace ns3
{

namespace
{

/// @return the algorithms of a kind that the calls of a job can use
std::vector<std::string>
ListForJobs(CollectiveKind kind)
{
    std::vector<std::string> names;
    for (const auto& algorithm : CollectiveAlgorithm::GetAll(kind))
    {
        if (!algorithm->NeedsRoot())
        {
            names.push_back(algorithm->GetName());
        }
    }
    return names;
}

} // namespace

std::string
AlgorithmLimits::Read(const std::string& text, CollectiveAlgorithms& value) const
{
    const auto& kinds = CollectiveAlgorithms::GetKinds();
    std::vector<std::string> kindNames;
    for (const CollectiveKind kind : kinds)
    {
        kindNames.push_back(ToString(kind));
    }
    std::string list = text;
    std::replace(list.begin(), list.end(), '+', ',');
    CollectiveAlgorithms chosen;
    for (const auto& piece : FlagParser::Split(list))
    {
        const std::size_t equals = std::min(piece.find('='), piece.size());
        const auto name = std::find(kindNames.begin(), kindNames.end(), piece.substr(0, equals));
        const CollectiveKind kind =
            name == kindNames.end() ? CollectiveKind::SEND : kinds[name - kindNames.begin()];
        if (equals == piece.size() || name == kindNames.end() || chosen.IsChosen(kind))
        {
            return "KIND=NAME,KIND=NAME, with kinds from " + FlagParser::List(kindNames) +
                   ", each once";
        }
        const auto names = ListForJobs(kind);
        const std::string wanted = piece.substr(equals + 1);
        if (std::find(names.begin(), names.end(), wanted) == names.end())
        {
            return *name + "=NAME with one of " + FlagParser::List(names);
        }
        chosen.Choose(kind, wanted);
    }
    value = chosen;
    return "";
}

} // namespace ns3
