// SPDX-License-Identifier: GPL-2.0-only

#include "job-placement.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace ns3
{

std::vector<std::string>
JobPlacement::GetNames()
{
    return {"packed", "spread", "random"};
}

std::vector<std::vector<uint32_t>>
JobPlacement::Make(const std::string& name,
                   uint32_t domains,
                   const std::vector<uint32_t>& needs,
                   uint32_t seed)
{
    std::vector<uint32_t> order(domains);
    std::iota(order.begin(), order.end(), 0);
    if (name == "random")
    {
        // std::shuffle differs between libraries; the Mersenne Twister does not.
        std::mt19937 random(seed);
        for (uint32_t i = domains; i > 1; --i)
        {
            std::swap(order[i - 1], order[random() % i]);
        }
    }
    std::vector<std::vector<uint32_t>> places(needs.size());
    std::size_t next = 0;
    if (name == "spread")
    {
        const uint32_t rounds = *std::max_element(needs.begin(), needs.end());
        for (uint32_t round = 0; round < rounds; ++round)
        {
            for (std::size_t job = 0; job < needs.size(); ++job)
            {
                if (round < needs[job])
                {
                    places[job].push_back(order[next++]);
                }
            }
        }
        return places;
    }
    for (std::size_t job = 0; job < needs.size(); ++job)
    {
        places[job].assign(order.begin() + static_cast<std::ptrdiff_t>(next),
                           order.begin() + static_cast<std::ptrdiff_t>(next + needs[job]));
        next += needs[job];
    }
    return places;
}

} // namespace ns3
