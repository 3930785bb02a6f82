// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RANDOM_SEARCH_H
#define PHOTONIC_RAILS_RANDOM_SEARCH_H

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/// Whether scenarios take ten times as long as they should: instrumented or unoptimized code.
#ifdef NS3_ASSERT_ENABLE
constexpr bool SLOW_BUILD = true;
#else
constexpr bool SLOW_BUILD = false;
#endif

/// Which builds go through a part of the seeds of a random search only.
enum class SearchLimit
{
    SLOW_BUILDS, //!< a twentieth where few seeds are wanted, otherwise all
    ALL_BUILDS,  //!< a hundredth where few seeds are wanted, otherwise a tenth, and 40 seeds at
                 //!< least: the search is one of the widest
};

/// @return PHOTONIC_RAILS_SEEDS of the environment: all, as `test/run --long` has it; few, for code
/// that is not optimized; otherwise the build decides
inline std::string
GetWantedSeeds()
{
    const char* wanted = std::getenv("PHOTONIC_RAILS_SEEDS");
    return wanted ? wanted : SLOW_BUILD ? "few" : "";
}

/**
 * @brief How far a random search goes.
 *
 * It says so in a line that test/run adds up.
 *
 * @param name of the search
 * @param all its seeds
 * @param limit which builds go through a part of them
 * @return number of seeds to go through
 */
inline uint64_t
CountSeeds(const std::string& name, uint64_t all, SearchLimit limit = SearchLimit::SLOW_BUILDS)
{
    const bool isWide = limit == SearchLimit::ALL_BUILDS;
    const std::string wanted = GetWantedSeeds();
    uint64_t seeds = all;
    if (wanted == "few")
    {
        seeds = std::max<uint64_t>(1, all / (isWide ? 100 : 20));
    }
    else if (wanted != "all" && isWide)
    {
        seeds = std::min(all, std::max<uint64_t>(40, all / 10));
    }
    std::cout << "random search " << name << ": " << seeds << " of " << all << " seeds"
              << std::endl;
    return seeds;
}

/**
 * @param all cases of a long list
 * @param first number of the first case that is wanted where few are, for tests with one list
 * @return every case, or every fifth where few seeds are wanted: the release build has all
 */
template <typename T>
std::vector<T>
TakeSample(const std::vector<T>& all, std::size_t first = 0)
{
    constexpr std::size_t STEP = 5;
    if (GetWantedSeeds() != "few")
    {
        return all;
    }
    std::vector<T> sample;
    for (std::size_t i = first % STEP; i < all.size(); i += STEP)
    {
        sample.push_back(all[i]);
    }
    return sample;
}

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_RANDOM_SEARCH_H
