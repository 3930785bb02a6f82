// SPDX-License-Identifier: GPL-2.0-only

#include "collective-report.h"

#include "ns3/report-table.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace ns3
{

namespace
{

using CollectiveRow = CollectiveReport::Row;

// The columns of nccl-tests, then further columns.
const ReportTable<CollectiveRow> COLLECTIVE_ROWS{
    {"size_bytes", "bytes", [](const auto& row) { return row.size.bytes; }, {"size", 12}},
    {"count", "elements", [](const auto& row) { return row.size.count; }, {"count", 14}},
    {"type", "", [](const auto& /* row */) { return "float"; }, {"type", 8}},
    {"redop", "", [](const auto& row) { return row.test->reduction; }, {"redop", 8}},
    {"root", "", [](const auto& row) { return row.test->root; }, {"root", 8}},
    {"time_s",
     "s",
     [](const auto& row) { return row.time.ToDouble(Time::S); },
     {"time", 12, [](const auto& row) { return row.time.ToDouble(Time::US); }, 2}},
    {"textbook_alpha_s", "s", &CollectiveRow::alphaSeconds},
    {"textbook_beta_s", "s", &CollectiveRow::betaSeconds},
    {"textbook_switches", "", &CollectiveRow::switches},
    {"algbw_bytes_per_s",
     "bytes/s",
     &CollectiveRow::algorithmBandwidth,
     {"algbw", 9, [](const auto& row) { return row.algorithmBandwidth / 1e9; }, 2}},
    {"busbw_bytes_per_s",
     "bytes/s",
     &CollectiveRow::busBandwidth,
     {"busbw", 9, [](const auto& row) { return row.busBandwidth / 1e9; }, 2}},
    {"", "", [](const auto& /* row */) { return "N/A"; }, {"#wrong", 7}},
    {"packets_sent", "packets", &CollectiveRow::packetsSent},
    {"retransmissions", "packets", &CollectiveRow::retransmissions},
    {"bytes_posted", "bytes", &CollectiveRow::bytesPosted},
    {"bytes_delivered", "bytes", &CollectiveRow::bytesDelivered},
    {"events", "events", &CollectiveRow::events},
};

const ReportTable<CollectiveReport::Fit> COLLECTIVE_FIT{
    {"alpha", "", &CollectiveReport::Fit::alpha},
    {"beta", "", &CollectiveReport::Fit::beta},
    {"worst", "", &CollectiveReport::Fit::worst},
};

} // namespace

const ReportTable<CollectiveReport>&
CollectiveReport::GetTable()
{
    static const ReportTable<CollectiveReport> table{
        {"collective", "", [](const auto& report) { return report.test->name; }},
        {"algorithm", "", &CollectiveReport::algorithm},
        {"fabric", "", &CollectiveReport::fabric},
        {"ranks", "ranks", &CollectiveReport::ranks},
        {"warmups", "calls", &CollectiveReport::warmups},
        {"iterations", "calls", &CollectiveReport::iterations},
        {"settings", "", &CollectiveReport::settings},
        {"remarks", "", &CollectiveReport::remarks},
        {"rows", "", ReportRows(&CollectiveReport::rows, COLLECTIVE_ROWS)},
        {"average_busbw_bytes_per_s", "bytes/s", &CollectiveReport::GetAverageBusBandwidth},
        {"fit", "", ReportObject(&CollectiveReport::GetFit, COLLECTIVE_FIT)},
        {"interrupted", "", &CollectiveReport::interrupted},
        {"wall_s", "s", &CollectiveReport::wallSeconds},
        {"peak_rss_bytes", "bytes", &CollectiveReport::peakRssBytes},
    };
    return table;
}

template struct JsonReport<CollectiveReport>;

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
    row.test = test;
    row.size = size;
    row.time = time;
    if (size.bytes > 0)
    {
        row.algorithmBandwidth = GetAlgorithmBandwidth(test->kind, ranks, size.callBytes, time);
        row.busBandwidth = GetBusBandwidth(test->kind, ranks, size.callBytes, time);
    }
    return row;
}

std::optional<double>
CollectiveReport::GetAverageBusBandwidth() const
{
    if (rows.empty())
    {
        return std::nullopt;
    }
    double sum = 0;
    for (const auto& row : rows)
    {
        sum += row.busBandwidth;
    }
    return sum / static_cast<double>(rows.size());
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
    std::size_t count = 0;
    for (const auto& row : rows)
    {
        if (!row.alphaSeconds || !row.betaSeconds)
        {
            continue;
        }
        ++count;
        const double seconds = row.time.ToDouble(Time::S);
        const double a = *row.alphaSeconds / seconds;
        const double b = *row.betaSeconds / seconds;
        aa += a * a;
        ab += a * b;
        bb += b * b;
        a1 += a;
        b1 += b;
    }
    const double determinant = aa * bb - ab * ab;
    constexpr double rounding = 1e-12; // of what would be 0 in exact numbers
    if (count < 2 || determinant <= rounding * aa * bb)
    {
        return std::nullopt;
    }
    Fit fit{(a1 * bb - b1 * ab) / determinant, (b1 * aa - a1 * ab) / determinant, 0};
    for (const auto& row : rows)
    {
        if (row.alphaSeconds && row.betaSeconds)
        {
            const double fitted = fit.alpha * *row.alphaSeconds + fit.beta * *row.betaSeconds;
            fit.worst = std::max(fit.worst, std::abs(fitted / row.time.ToDouble(Time::S) - 1));
        }
    }
    return fit;
}

void
CollectiveReport::WriteHeader(std::ostream& os) const
{
    os << "# " << test->name << ", " << algorithm << ", nRanks " << ranks << " minBytes "
       << minBytes << " maxBytes " << maxBytes << " step: " << stepFactor
       << "(factor) warmup iters: " << warmups << " iters: " << iterations << "\n#\n";
    for (const auto& remark : remarks)
    {
        os << "# " << remark << "\n";
    }
    os << "#\n#";
    std::ostringstream headings;
    COLLECTIVE_ROWS.WriteHeadings(headings);
    os << headings.str().substr(1) << "\n"
       << "# " << std::setw(10) << "(B)" << std::setw(14) << "(elements)" << std::setw(36) << "(us)"
       << std::setw(9) << "(GB/s)" << std::setw(9) << "(GB/s)" << std::endl;
}

void
CollectiveReport::WriteRow(std::ostream& os, const Row& row) const
{
    COLLECTIVE_ROWS.WriteRow(os, row);
    os << std::endl;
}

void
CollectiveReport::WriteFooter(std::ostream& os) const
{
    os << "# Out of bounds values : N/A (payload is not simulated)\n# Avg bus bandwidth    : "
       << std::fixed << std::setprecision(5);
    if (const auto average = GetAverageBusBandwidth())
    {
        os << *average / 1e9 << std::endl;
    }
    else
    {
        os << "N/A (no size is complete)" << std::endl;
    }
    if (const auto fit = GetFit())
    {
        os << "# Textbook alpha-beta  : times fit " << std::setprecision(3) << fit->alpha
           << " alpha and " << fit->beta << " beta, within " << std::setprecision(1)
           << 100 * fit->worst << " %\n";
        if (rows.front().switches > 0)
        {
            os << "# alpha has " << std::setprecision(0) << rows.front().switches
               << " grants with switching a call, also where circuits are still up\n";
        }
        os << std::flush;
    }
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
