// SPDX-License-Identifier: GPL-2.0-only

#include "collective-report.h"

#include "ns3/collective-time.h"
#include "ns3/texts-to-json.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

/// @return true if the ranks have a part each of the tensor
bool
IsDivided(CollectiveKind kind)
{
    return kind == CollectiveKind::ALL_GATHER || kind == CollectiveKind::REDUCE_SCATTER ||
           kind == CollectiveKind::ALL_TO_ALL;
}

/// @return the operation as nccl-tests print it
std::string
GetReduction(CollectiveKind kind)
{
    const bool reduces = kind == CollectiveKind::ALL_REDUCE || kind == CollectiveKind::REDUCE ||
                         kind == CollectiveKind::REDUCE_SCATTER;
    return reduces ? "sum" : "none";
}

/// @return the root as nccl-tests print it: -1 if there is none
int
GetRoot(CollectiveKind kind)
{
    return kind == CollectiveKind::BROADCAST || kind == CollectiveKind::REDUCE ? 0 : -1;
}

} // namespace

CollectiveSize
CollectiveSize::Make(CollectiveKind kind, uint32_t ranks, uint64_t bytes)
{
    const uint64_t elements = bytes / ELEMENT_BYTES;
    if (!IsDivided(kind))
    {
        return {elements * ELEMENT_BYTES, elements, elements * ELEMENT_BYTES};
    }
    const uint64_t ofRank = elements / ranks;
    const uint64_t total = ofRank * ranks * ELEMENT_BYTES;
    return {total, ofRank, kind == CollectiveKind::ALL_GATHER ? ofRank * ELEMENT_BYTES : total};
}

uint64_t
CollectiveSize::GetLeast(CollectiveKind kind, uint32_t ranks)
{
    return uint64_t{ELEMENT_BYTES} * (IsDivided(kind) ? ranks : 1);
}

std::vector<uint64_t>
CollectiveReport::GetSizes() const
{
    std::vector<uint64_t> sizes;
    for (uint64_t size = minBytes; size <= maxBytes; size *= stepFactor)
    {
        sizes.push_back(size);
    }
    return sizes;
}

CollectiveReport::Row
CollectiveReport::MakeRow(const CollectiveSize& size, Time time) const
{
    Row row;
    row.size = size;
    row.time = time;
    row.algorithmBandwidth = GetAlgorithmBandwidth(kind, ranks, size.callBytes, time);
    row.busBandwidth = GetBusBandwidth(kind, ranks, size.callBytes, time);
    return row;
}

double
CollectiveReport::GetAverageBusBandwidth() const
{
    double sum = 0;
    for (const auto& row : rows)
    {
        sum += row.busBandwidth;
    }
    return rows.empty() ? 0 : sum / static_cast<double>(rows.size());
}

std::optional<CollectiveReport::Fit>
CollectiveReport::GetFit() const
{
    // Minimise the sum of (p a + q b - 1)^2 with a and b the parts over the time: two normal
    // equations.
    double aa = 0;
    double ab = 0;
    double bb = 0;
    double a1 = 0;
    double b1 = 0;
    for (const auto& row : rows)
    {
        const double seconds = row.time.ToDouble(Time::S);
        const double a = row.alphaSeconds / seconds;
        const double b = row.betaSeconds / seconds;
        aa += a * a;
        ab += a * b;
        bb += b * b;
        a1 += a;
        b1 += b;
    }
    const double determinant = aa * bb - ab * ab;
    constexpr double rounding = 1e-12; // of what would be 0 in exact numbers
    if (rows.size() < 2 || determinant <= rounding * aa * bb)
    {
        return std::nullopt;
    }
    Fit fit{(a1 * bb - b1 * ab) / determinant, (b1 * aa - a1 * ab) / determinant, 0};
    for (const auto& row : rows)
    {
        const double fitted = fit.alpha * row.alphaSeconds + fit.beta * row.betaSeconds;
        fit.worst = std::max(fit.worst, std::abs(fitted / row.time.ToDouble(Time::S) - 1));
    }
    return fit;
}

void
CollectiveReport::WriteHeader(std::ostream& os) const
{
    os << "# " << ToString(kind) << ", " << algorithm << ", nRanks " << ranks << " minBytes "
       << minBytes << " maxBytes " << maxBytes << " step: " << stepFactor
       << "(factor) warmup iters: " << warmups << " iters: " << iterations << "\n#\n";
    for (const auto& remark : remarks)
    {
        os << "# " << remark << "\n";
    }
    os << "#\n# " << std::setw(10) << "size" << std::setw(14) << "count" << std::setw(8) << "type"
       << std::setw(8) << "redop" << std::setw(8) << "root" << std::setw(12) << "time"
       << std::setw(9) << "algbw" << std::setw(9) << "busbw" << std::setw(8) << "#wrong\n"
       << "# " << std::setw(10) << "(B)" << std::setw(14) << "(elements)" << std::setw(36) << "(us)"
       << std::setw(9) << "(GB/s)" << std::setw(9) << "(GB/s)" << std::endl;
}

void
CollectiveReport::WriteRow(std::ostream& os, const Row& row) const
{
    os << std::fixed << std::setw(12) << row.size.bytes << std::setw(14) << row.size.count
       << std::setw(8) << "float" << std::setw(8) << GetReduction(kind) << std::setw(8)
       << GetRoot(kind) << std::setw(12) << std::setprecision(2) << row.time.ToDouble(Time::US)
       << std::setw(9) << row.algorithmBandwidth / 1e9 << std::setw(9) << row.busBandwidth / 1e9
       << std::setw(7) << "N/A" << std::endl;
}

void
CollectiveReport::WriteFooter(std::ostream& os) const
{
    os << "# Out of bounds values : N/A (payload is not simulated)\n# Avg bus bandwidth    : "
       << std::fixed << std::setprecision(5) << GetAverageBusBandwidth() / 1e9 << std::endl;
    if (const auto fit = GetFit())
    {
        os << "# Textbook alpha-beta  : times fit " << std::setprecision(3) << fit->alpha
           << " alpha and " << fit->beta << " beta, within " << std::setprecision(1)
           << 100 * fit->worst << " %" << std::endl;
    }
}

void
CollectiveReport::WriteJson(std::ostream& os) const
{
    Json rowsJson = Json::array();
    for (const auto& row : rows)
    {
        rowsJson.push_back(Json{{"size_bytes", row.size.bytes},
                                {"count", row.size.count},
                                {"type", "float"},
                                {"redop", GetReduction(kind)},
                                {"root", GetRoot(kind)},
                                {"time_s", row.time.ToDouble(Time::S)},
                                {"textbook_alpha_s", row.alphaSeconds},
                                {"textbook_beta_s", row.betaSeconds},
                                {"algbw_bytes_per_s", row.algorithmBandwidth},
                                {"busbw_bytes_per_s", row.busBandwidth},
                                {"packets_sent", row.packetsSent},
                                {"retransmissions", row.retransmissions},
                                {"bytes_posted", row.bytesPosted},
                                {"bytes_delivered", row.bytesDelivered},
                                {"events", row.events}});
    }
    Json json{{"collective", ToString(kind)},
              {"algorithm", algorithm},
              {"fabric", fabric},
              {"ranks", ranks},
              {"warmups", warmups},
              {"iterations", iterations},
              {"settings", TextsToJson(settings)},
              {"remarks", remarks},
              {"rows", rowsJson},
              {"average_busbw_bytes_per_s", GetAverageBusBandwidth()}};
    if (const auto fit = GetFit())
    {
        json["fit"] = Json{{"alpha", fit->alpha}, {"beta", fit->beta}, {"worst", fit->worst}};
    }
    json["wall_s"] = wallSeconds;
    json["peak_rss_bytes"] = peakRssBytes;
    os << json.dump(2) << "\n";
}

std::string
CollectiveReport::CheckInvariants() const
{
    for (const auto& row : rows)
    {
        if (row.bytesDelivered != row.bytesPosted)
        {
            return std::to_string(row.bytesPosted) + " bytes were posted but " +
                   std::to_string(row.bytesDelivered) + " delivered, size " +
                   std::to_string(row.size.bytes);
        }
    }
    return "";
}

} // namespace ns3
