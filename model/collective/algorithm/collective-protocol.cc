// SPDX-License-Identifier: GPL-2.0-only

#include "collective-protocol.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ns3
{

namespace
{

/// Latencies in us of a protocol with rings, or with trees.
struct Latencies
{
    double base;    //!< baseLatencies
    double domain;  //!< hwLatencies, NVLINK
    double network; //!< hwLatencies, NET
};

/// Correction factors of the bandwidth of trees, for tensors of 64 B, 128 B, ...
using TreeCorrection = std::array<double, 24>;

/// A row of NCCL's tables.
struct ProtocolRow
{
    const char* name;
    Latencies ring;
    Latencies tree;
    double post;        //!< us of a proxy, which steps in a node also wait for if there are several
    double domainShare; //!< of NVLink's rate in one node
    double share;       //!< of any rate
    double treeShare;   //!< of the rate of trees between nodes
    TreeCorrection correction;
};

constexpr double MICROSECOND = 1e-6;

// src/graph/tuning.cc: baseLatencies, hwLatencies, getNetOverhead (1 us, three times with Simple),
// llMaxBws[][0] over the bandwidth of NVLink: 87.7 / 240, 141 / 370.8, 282 / 721.8 GB/s;
// treeCorrectionFactor.
constexpr ProtocolRow ROWS[] = {
    {"Simple", {8.4, 3.4, 14.0}, {8.4, 4.0, 14.0}, 3.0, 1.0, 1.0, 1.0, {.9, .9, .9, .9, .9, .9,
                                                                        .9, .8, .7, .6, .6, .5,
                                                                        .5, .5, .5, .6, .7, .8,
                                                                        .7, .7, .8, .9, .9, .9}},
    {"LL128",
     {14.0, 1.9, 4.0},
     {14.0, 1.25, 8.5},
     1.0,
     120.0 / 128,
     120.0 / 128,
     120.0 / 128,
     {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1}},
    {"LL", {6.6, 0.6, 2.7}, {6.8, 0.6, 5.0}, 1.0, 0.38, 0.5, 1 / 3.8, {1,  1,  1,  1,  .9, .8,
                                                                       .7, .7, .7, .7, .6, .5,
                                                                       .4, .4, .5, .6, .7, .8,
                                                                       .9, 1,  1,  1,  1,  1}},
};

/// @return the rate of a tree as a share of the rate of rings
double
GetTreeShare(const ProtocolRow& row, double bytes)
{
    const double size = std::clamp(std::log2(std::max(bytes, 64.0) / 64), 0.0, 23.0);
    return 0.92 * row.treeShare * row.correction[static_cast<std::size_t>(size)];
}

/// @return the highest rate of LL on a GPU between nodes, byte/s (llMaxBws of Intel's CPUs)
double
GetMostOfLl(uint32_t domains)
{
    return domains == 2 ? 39.0e9 : 20.4e9;
}

/// @return a link of a rate, of which a share and at most a limit is data
CollectiveProtocol::Link
MakeLink(double step, double rate, double share, double limit)
{
    if (rate == 0)
    {
        return {step * MICROSECOND, 0, 0};
    }
    return {step * MICROSECOND, 1 / std::min(share * rate, limit), 1 / rate};
}

} // namespace

double
CollectiveProtocol::Link::GetDelay(double& free, double now, uint64_t bytes) const
{
    if (byte <= simpleByte)
    {
        return step;
    }
    const auto size = static_cast<double>(bytes);
    free = std::max(free, now - size * simpleByte) + size * byte;
    return free - now + step;
}

CollectiveProtocol
CollectiveProtocol::Choose(const CollectiveCost& cost,
                           const GroupShape& shape,
                           const CollectiveRates& rates)
{
    CollectiveProtocol best;
    double least = std::numeric_limits<double>::infinity();
    if (rates.network == 0 && rates.domain == 0)
    {
        return best;
    }
    const bool isInside = shape.GetDomains() == 1 && rates.domain > 0;
    for (const auto& row : ROWS)
    {
        const bool isLl = row.share == 0.5;
        const double limit = isLl && !isInside ? GetMostOfLl(shape.GetDomains())
                                               : std::numeric_limits<double>::infinity();
        const bool isTree = cost.treeBytes > 0;
        const Latencies& latencies = isTree ? row.tree : row.ring;
        // With one GPU a node nothing hides a step of a ring; NCCL takes that of a tree.
        const double network = shape.perDomain == 1 ? row.tree.network : latencies.network;
        const double domain =
            isInside || isTree ? latencies.domain : std::max(latencies.domain, row.post);
        CollectiveProtocol one;
        one.m_name = row.name;
        one.m_launch = latencies.base * MICROSECOND;
        one.m_domain =
            MakeLink(domain, rates.domain, isInside ? row.domainShare : row.share, limit);
        one.m_network = MakeLink(network, rates.network, row.share, limit / shape.perDomain);
        if (isTree)
        {
            // Where GPUs reduce and pass on: in domains, or on NICs with one GPU each. In domains
            // they are as fast as NICs bring the data.
            const bool hasChains = cost.domainRounds > 0 && cost.rounds > 0;
            const double nics = rates.network * shape.perDomain;
            Link& link = cost.domainRounds > 0 ? one.m_domain : one.m_network;
            const double rate = cost.domainRounds == 0 ? rates.network
                                : hasChains            ? std::min(rates.domain, nics)
                                                       : rates.domain;
            const double reached = std::min(rate * GetTreeShare(row, cost.treeBytes), limit);
            link.byte = 1 / reached;
        }
        const double seconds = one.GetSeconds(cost);
        if (seconds < least)
        {
            least = seconds;
            best = one;
        }
    }
    return best;
}

double
CollectiveProtocol::GetSeconds(const CollectiveCost& cost) const
{
    return m_launch +
           cost.GetSeconds({m_network.step, m_network.byte}, {m_domain.step, m_domain.byte});
}

} // namespace ns3
