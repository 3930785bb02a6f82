// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SPARE_POOL_H
#define PHOTONIC_RAILS_SPARE_POOL_H

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Which GPUs work, and which of them a job goes on with when some do not. Pure.
 *
 * GPUs are numbers; those below the number of ranks are the ones with which the job begins, the
 * others are spares.
 */
class SparePool
{
  public:
    /// How GPUs that are lost are replaced.
    enum Policy
    {
        IN_DOMAIN, //!< by a spare in the same scale-up domain
        ON_RAIL,   //!< by a spare of another domain on the same rail, behind the fabric
        MIGRATION, //!< all ranks move to an idle rack: as many domains in a row as the job has
    };

    /// Where a GPU is.
    struct Place
    {
        uint32_t domain{0};           //!< its scale-up domain
        std::optional<uint32_t> rail; //!< its rail; none if it can be led to any
    };

    /// GPUs by rank.
    using Map = std::vector<uint32_t>;

    SparePool() = default;

    /**
     * @param policy how GPUs are replaced
     * @param places of all GPUs, those of the ranks first
     * @param ranks of the job
     */
    SparePool(Policy policy, const std::vector<Place>& places, uint32_t ranks);

    /**
     * @brief A GPU does not work any more.
     * @param gpu its number
     * @return false if that was known
     */
    bool Lose(uint32_t gpu);

    /**
     * @param gpu a GPU
     * @return true if it works
     */
    bool IsWorking(uint32_t gpu) const;

    /// @return how many GPUs there are
    uint32_t GetSize() const;

    /// @return spares that work and that no rank is on
    uint32_t CountSpares(const Map& map) const;

    /**
     * @brief Replace the GPUs that do not work.
     * @param map gets others in their place; unchanged if there is an error
     * @return an empty string, or what is missing
     */
    std::string Replace(Map& map) const;

  private:
    std::optional<uint32_t> FindSpare(const Map& map, uint32_t rank) const;
    std::string Migrate(Map& map) const;
    /// @return true if no rank is in some domains in a row, and all their GPUs work
    bool IsIdle(const Map& map, uint32_t firstDomain, uint32_t domains) const;

    Policy m_policy{IN_DOMAIN};
    std::vector<Place> m_places;
    std::vector<bool> m_works;
    uint32_t m_ranks{0};
};

/**
 * @param policy a policy
 * @return its name
 */
std::string ToString(SparePool::Policy policy);

} // namespace ns3

#endif // PHOTONIC_RAILS_SPARE_POOL_H
