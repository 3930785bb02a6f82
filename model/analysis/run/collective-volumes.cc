// SPDX-License-Identifier: GPL-2.0-only

#include "collective-volumes.h"

#include "ns3/report-table.h"

#include <utility>

namespace ns3
{

namespace
{

/// @return a number of bytes in MiB
std::string
Mebibytes(uint64_t bytes)
{
    return ReportValue::Fixed(static_cast<double>(bytes) / (1 << 20), bytes < (1 << 20) ? 4 : 1);
}

const ReportTable<CollectiveVolume> VOLUMES{
    {"count", "calls", &CollectiveVolume::count},
    {"input_bytes", "bytes", &CollectiveVolume::inputBytes}};

/// Volumes of a kind of collective.
struct KindVolume
{
    CollectiveVolume sum;
    ReportValue::Object byDimension;
};

const ReportTable<KindVolume> KIND_VOLUMES{
    {"count", "calls", [](const KindVolume& kind) { return kind.sum.count; }},
    {"input_bytes", "bytes", [](const KindVolume& kind) { return kind.sum.inputBytes; }},
    {"by_dimension", "", &KindVolume::byDimension},
};

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

ReportValue
MakeJson(const CollectiveVolumes& volumes)
{
    std::map<CollectiveKind, KindVolume> kinds;
    for (const auto& [key, volume] : volumes)
    {
        KindVolume& kind = kinds[key.first];
        kind.sum.count += volume.count;
        kind.sum.inputBytes += volume.inputBytes;
        kind.byDimension.emplace_back(ToString(key.second), VOLUMES.MakeObject(volume));
    }
    ReportValue::Object json;
    for (const auto& [kind, volume] : kinds)
    {
        json.emplace_back(ToString(kind), KIND_VOLUMES.MakeObject(volume));
    }
    return json;
}

ReportKeys
ListVolumeKeys()
{
    ReportKeys keys{{"", "object", ""}};
    const auto add = [&keys](const std::string& path, const ReportKeys& more) {
        for (const auto& key : more)
        {
            keys.push_back({path + key.path, key.type, key.unit});
        }
    };
    add(".KIND", KIND_VOLUMES.ListKeys("object", "", "."));
    add(".KIND.by_dimension.DIMENSION", VOLUMES.ListKeys("object", "", "."));
    return keys;
}

void
WriteVolumes(std::ostream& os, const std::string& title, const CollectiveVolumes& volumes)
{
    using Row = CollectiveVolumes::value_type;
    ReportTable<Row>(
        {
            {"", "", [](const Row& row) { return ToString(row.first.first); }, {title, -26}},
            {"",
             "",
             [](const Row& row) { return ToString(row.first.second); },
             {"parallelism", -12}},
            {"", "", [](const Row& row) { return row.second.count; }, {"count", 10}},
            {"",
             "",
             [](const Row& row) { return Mebibytes(row.second.inputBytes); },
             {"input MiB", 15}},
        })
        .WriteText(os, volumes);
}

} // namespace ns3
