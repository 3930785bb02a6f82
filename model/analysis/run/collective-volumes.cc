// SPDX-License-Identifier: GPL-2.0-only

#include "collective-volumes.h"

#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

/// @return a number of bytes in MiB
std::string
Mebibytes(uint64_t bytes)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(bytes < (1 << 20) ? 4 : 1)
         << static_cast<double>(bytes) / (1 << 20);
    return text.str();
}

} // namespace

void
CountVolume(CollectiveVolumes& volumes, const RankOperation& operation)
{
    if (operation.place != RankOperation::GPU)
    {
        CollectiveVolume& volume = volumes[{operation.kind, operation.dimension}];
        ++volume.count;
        volume.inputBytes += operation.bytes;
    }
}

std::string
ToJson(const CollectiveVolumes& volumes)
{
    Json kinds = Json::object();
    for (const auto& [key, volume] : volumes)
    {
        Json& kind = kinds[ToString(key.first)];
        if (kind.is_null())
        {
            kind = Json{{"count", 0}, {"input_bytes", 0}, {"by_dimension", Json::object()}};
        }
        kind["count"] = kind["count"].get<uint64_t>() + volume.count;
        kind["input_bytes"] = kind["input_bytes"].get<uint64_t>() + volume.inputBytes;
        kind["by_dimension"][ToString(key.second)] =
            Json{{"count", volume.count}, {"input_bytes", volume.inputBytes}};
    }
    return kinds.dump();
}

void
WriteVolumes(std::ostream& os, const std::string& title, const CollectiveVolumes& volumes)
{
    os << std::left << std::setw(26) << title << std::right
       << "parallelism      count      input MiB\n";
    for (const auto& [key, volume] : volumes)
    {
        os << std::left << std::setw(26) << ToString(key.first) << std::setw(12)
           << ToString(key.second) << std::right << std::setw(10) << volume.count << std::setw(15)
           << Mebibytes(volume.inputBytes) << "\n";
    }
}

} // namespace ns3
