// SPDX-License-Identifier: GPL-2.0-only

#include "expert-routing.h"

#include "ns3/assert.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <sstream>

namespace ns3
{

namespace
{

constexpr double MAX_WEIGHT = 1e9;

/// @return the weight of each expert; with ZIPF, in order of falling popularity
std::vector<double>
GetWeights(uint32_t experts, const ExpertPopularity& popularity)
{
    if (popularity.kind == ExpertPopularity::LISTED)
    {
        return popularity.weights;
    }
    std::vector<double> weights(experts, 1);
    if (popularity.kind == ExpertPopularity::ZIPF)
    {
        for (uint32_t i = 0; i < experts; ++i)
        {
            weights[i] = std::pow(1.0 + i, -popularity.exponent);
        }
    }
    return weights;
}

/**
 * @brief Distribute rows in proportion to weights, with an upper limit for each share.
 * @param weights not negative
 * @param rows at most the limit times the number of weights
 * @param limit largest share
 * @return shares, which are not whole numbers
 */
std::vector<double>
ShareRows(std::vector<double> weights, uint64_t rows, uint64_t limit)
{
    std::vector<double> shares(weights.size(), 0);
    std::vector<bool> isFull(weights.size(), false);
    auto left = static_cast<double>(rows);
    const auto most = static_cast<double>(limit);
    // Each round fills at least one expert or ends the loop.
    while (left > 0)
    {
        double sum = 0;
        for (std::size_t i = 0; i < weights.size(); ++i)
        {
            sum += isFull[i] ? 0 : weights[i];
        }
        if (sum <= 0)
        {
            // Only experts of weight zero have room left.
            std::fill(weights.begin(), weights.end(), 1.0);
            sum = static_cast<double>(std::count(isFull.begin(), isFull.end(), false));
        }
        const double perWeight = left / sum;
        bool isFilled = false;
        for (std::size_t i = 0; i < weights.size(); ++i)
        {
            if (!isFull[i] && weights[i] * perWeight >= most)
            {
                shares[i] = most;
                isFull[i] = true;
                left -= most;
                isFilled = true;
            }
        }
        if (isFilled)
        {
            continue;
        }
        for (std::size_t i = 0; i < weights.size(); ++i)
        {
            shares[i] = isFull[i] ? most : weights[i] * perWeight;
        }
        break;
    }
    return shares;
}

/**
 * @brief Round shares to whole numbers, largest remainders first.
 * @param shares none above the limit
 * @param rows their sum
 * @param limit largest number
 * @return numbers whose sum is exactly rows
 */
std::vector<uint64_t>
Round(const std::vector<double>& shares, uint64_t rows, uint64_t limit)
{
    std::vector<uint64_t> counts;
    std::vector<double> remainders;
    for (const double share : shares)
    {
        counts.push_back(std::min(static_cast<uint64_t>(share), limit));
        remainders.push_back(share - std::floor(share));
    }
    std::vector<std::size_t> order(shares.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&remainders](std::size_t a, std::size_t b) {
        return remainders[a] > remainders[b];
    });
    uint64_t sum = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
    // The sum of the shares has a rounding error, so a second round may be needed.
    while (sum != rows)
    {
        for (const std::size_t i : order)
        {
            if (sum < rows && counts[i] < limit)
            {
                ++counts[i];
                ++sum;
            }
            else if (sum > rows && counts[i] > 0)
            {
                --counts[i];
                --sum;
            }
        }
    }
    return counts;
}

/// @return a number below a bound, uniformly distributed
uint64_t
DrawPlace(std::mt19937_64& random, uint64_t bound)
{
    const uint64_t most = std::mt19937_64::max() - std::mt19937_64::max() % bound;
    uint64_t value = random();
    while (value >= most)
    {
        value = random();
    }
    return value % bound;
}

/// @return for each expert its rank in the order of popularity of a layer
std::vector<uint32_t>
Shuffle(uint32_t experts, uint64_t seed, uint32_t layer)
{
    std::seed_seq seeds{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), layer};
    std::mt19937_64 random(seeds);
    std::vector<uint32_t> places(experts);
    std::iota(places.begin(), places.end(), 0);
    // Fisher-Yates; the result of std::shuffle differs between standard libraries.
    for (uint32_t i = experts - 1; i > 0; --i)
    {
        std::swap(places[i], places[DrawPlace(random, i + 1)]);
    }
    return places;
}

/**
 * @param popularity INITIAL
 * @param experts experts of a layer
 * @param topK experts of a token
 * @param layer a layer
 * @return the share of the rows that each expert gets, whose sum is 1
 */
std::vector<double>
DrawShares(const ExpertPopularity& popularity, uint32_t experts, uint32_t topK, uint32_t layer)
{
    constexpr uint64_t MAX_DRAWN = 256;
    const uint64_t drawn = std::min(popularity.vocabulary, MAX_DRAWN);
    std::vector<double> frequencies;
    double sum = 0;
    for (uint64_t i = 0; i < drawn; ++i)
    {
        frequencies.push_back(std::pow(1.0 + static_cast<double>(i), -popularity.exponent));
        sum += frequencies.back();
    }
    // The sum over the other entries, as the integral over each entry and half of its neighbours.
    const double from = static_cast<double>(drawn) + 0.5;
    const double to = static_cast<double>(popularity.vocabulary) + 0.5;
    const double power = 1 - popularity.exponent;
    const double others = std::abs(power) < 1e-9
                              ? std::log(to / from)
                              : (std::pow(to, power) - std::pow(from, power)) / power;
    sum += others;
    std::vector<double> shares(experts, others / sum / experts);
    std::seed_seq seeds{static_cast<uint32_t>(popularity.seed),
                        static_cast<uint32_t>(popularity.seed >> 32),
                        layer};
    std::mt19937_64 random(seeds);
    std::vector<uint32_t> order(experts);
    std::iota(order.begin(), order.end(), 0);
    for (const double frequency : frequencies)
    {
        for (uint32_t i = 0; i < topK; ++i)
        {
            std::swap(order[i], order[i + DrawPlace(random, experts - i)]);
            shares[order[i]] += frequency / sum / topK;
        }
    }
    return shares;
}

/// @return true if all numbers are equal
bool
AreAlike(const std::vector<uint64_t>& numbers)
{
    return std::adjacent_find(numbers.begin(), numbers.end(), std::not_equal_to<>()) ==
           numbers.end();
}

} // namespace

std::string
ExpertPopularity::Validate(uint32_t experts) const
{
    std::ostringstream line;
    if (IsDrawn() && !(exponent >= 0 && exponent <= 10))
    {
        line << "popularity: the exponent must be 0 to 10, not " << exponent;
    }
    else if (kind == INITIAL && vocabulary == 0)
    {
        line << "popularity: the vocabulary must have 1 entry at least, not 0";
    }
    if (kind != LISTED)
    {
        return line.str();
    }
    if (weights.size() != experts)
    {
        line << "popularity: there must be a weight for each of " << experts << " experts, not "
             << weights.size();
        return line.str();
    }
    double sum = 0;
    for (const double weight : weights)
    {
        if (!(weight >= 0 && weight <= MAX_WEIGHT))
        {
            line << "popularity: weights must be 0 to 1e9, not " << weight;
            return line.str();
        }
        sum += weight;
    }
    return sum > 0 ? "" : "popularity: one weight at least must be above 0";
}

ExpertRouting::ExpertRouting(uint32_t experts,
                             uint32_t topK,
                             uint32_t ranks,
                             uint64_t tokens,
                             const ExpertPopularity& popularity)
    : m_experts(experts),
      m_ranks(ranks),
      m_topK(topK),
      m_tokens(tokens),
      m_rows(tokens * topK),
      m_popularity(popularity),
      m_isByLayer(popularity.IsDrawn()),
      m_isUniform(ranks == 1 || m_rows % ranks == 0)
{
    NS_ASSERT_MSG(ranks > 0 && experts % ranks == 0 && topK <= experts,
                  experts << " experts, " << topK << " of a token, on " << ranks << " ranks");
    NS_ASSERT_MSG(popularity.Validate(experts).empty(), popularity.Validate(experts));
    if (HasCounts())
    {
        m_isUniform = ranks == 1;
        return;
    }
    const std::vector<double> weights = GetWeights(experts, popularity);
    const bool isFlat =
        std::adjacent_find(weights.begin(), weights.end(), std::not_equal_to<>()) == weights.end();
    if (isFlat || topK == experts)
    {
        return;
    }
    m_counts = Round(ShareRows(weights, m_rows, tokens), m_rows, tokens);
    m_isUniform =
        ranks == 1 || AreAlike(m_counts) || (!m_isByLayer && AreAlike(CountRowsOfRanks(0)));
}

bool
ExpertRouting::HasCounts() const
{
    const bool isDrawn = m_popularity.kind == ExpertPopularity::INITIAL && m_topK < m_experts;
    return isDrawn || !m_counts.empty();
}

std::vector<uint64_t>
ExpertRouting::CountRowsOfExperts(uint32_t layer) const
{
    if (m_popularity.kind == ExpertPopularity::INITIAL)
    {
        const auto shares = DrawShares(m_popularity, m_experts, m_topK, layer);
        return Round(ShareRows(shares, m_rows, m_tokens), m_rows, m_tokens);
    }
    if (m_popularity.kind != ExpertPopularity::ZIPF)
    {
        return m_counts;
    }
    std::vector<uint64_t> counts;
    for (const uint32_t place : Shuffle(m_experts, m_popularity.seed, layer))
    {
        counts.push_back(m_counts[place]);
    }
    return counts;
}

std::vector<uint64_t>
ExpertRouting::CountRowsOfRanks(uint32_t layer) const
{
    const std::vector<uint64_t> counts = CountRowsOfExperts(layer);
    std::vector<uint64_t> rows(m_ranks, 0);
    for (uint32_t expert = 0; expert < m_experts; ++expert)
    {
        rows[expert / (m_experts / m_ranks)] += counts[expert];
    }
    return rows;
}

const std::vector<uint64_t>&
ExpertRouting::GetRowsOfRanks(uint32_t layer) const
{
    auto& rows = m_rowsOfRanks[m_isByLayer ? layer : 0];
    if (rows.empty())
    {
        rows = CountRowsOfRanks(layer);
    }
    return rows;
}

uint64_t
ExpertRouting::GetRows(uint32_t layer, uint32_t from, uint32_t to) const
{
    NS_ASSERT_MSG(from < m_ranks && to < m_ranks, "no rank " << from << " or " << to);
    if (HasCounts())
    {
        return GetRowsOfRanks(layer)[to];
    }
    // All experts are alike: the remaining rows go to the ranks in turn. The next sender continues
    // after the last rank of the sender before it.
    const uint64_t over = m_rows % m_ranks;
    const uint64_t turn = (to + m_ranks - from * over % m_ranks) % m_ranks;
    return m_rows / m_ranks + (turn < over ? 1 : 0);
}

uint64_t
ExpertRouting::GetReceived(uint32_t layer, uint32_t to) const
{
    if (HasCounts())
    {
        return GetRowsOfRanks(layer)[to] * m_ranks;
    }
    // The remaining rows of all senders go round all ranks a whole number of times, so every rank
    // receives equally many.
    return m_rows;
}

double
ExpertRouting::GetImbalance(uint32_t layer) const
{
    uint64_t most = 0;
    for (uint32_t to = 0; to < m_ranks; ++to)
    {
        most = std::max(most, GetReceived(layer, to));
    }
    return m_rows == 0 ? 1 : static_cast<double>(most) / static_cast<double>(m_rows);
}

Ptr<const AllToAllSizes>
ExpertRouting::GetSizes(uint32_t layer, uint64_t rowBytes, bool isCombine) const
{
    if (m_isUniform)
    {
        return nullptr;
    }
    auto& sizes = m_sizes[{m_isByLayer ? layer : 0, rowBytes, isCombine}];
    if (!sizes)
    {
        // Either every rank sends the same row counts, or the counts of the first rank rotate from
        // sender to sender.
        const bool isAlike = HasCounts();
        std::vector<uint64_t> bytes;
        if (isAlike)
        {
            bytes = GetRowsOfRanks(layer);
        }
        for (uint32_t to = 0; !isAlike && to < m_ranks; ++to)
        {
            bytes.push_back(GetRows(layer, 0, to));
        }
        for (uint64_t& size : bytes)
        {
            size *= rowBytes;
        }
        const auto over = static_cast<uint32_t>(m_rows % m_ranks);
        const uint32_t step = isAlike ? 0 : (m_ranks - over) % m_ranks;
        using Pattern = AllToAllSizes::Pattern;
        sizes = Create<const AllToAllSizes>(std::move(bytes),
                                            isCombine ? Pattern{1, step} : Pattern{step, 1});
    }
    return sizes;
}

} // namespace ns3
