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
 * @brief The working GPUs, and their assignment to ranks when others fail. A pure class.
 *
 * GPUs are numbered. The job starts on the GPUs with numbers below the number of ranks; the others
 * are spares.
 */
class SparePool
{
  public:
    /// Replacement of lost GPUs.
    enum Policy
    {
        IN_DOMAIN, //!< by a spare in the same scale-up domain
        ON_RAIL,   //!< by a spare of another domain on the same rail, behind the fabric
        MIGRATION, //!< all ranks move to an idle rack: as many domains in a row as the job has
    };

    /// Location of a GPU.
    struct Place
    {
        uint32_t domain{0};           //!< its scale-up domain
        std::optional<uint32_t> rail; //!< its rail; none if its fibres can be switched to any rail
    };

    /// GPU of each rank.
    using Map = std::vector<uint32_t>;

    SparePool() = default;

    /**
     * @param policy replacement policy
     * @param places locations of all GPUs, those of the ranks first
     * @param ranks number of ranks of the job
     */
    SparePool(Policy policy, const std::vector<Place>& places, uint32_t ranks);

    /**
     * @brief Mark a GPU as lost.
     * @param gpu number of the GPU
     * @return false if the GPU was already lost
     */
    bool Lose(uint32_t gpu);

    /**
     * @param gpu a GPU
     * @return true if it works
     */
    bool IsWorking(uint32_t gpu) const;

    /// @return the number of GPUs
    uint32_t GetSize() const;

    /// @return the number of working spares without a rank
    uint32_t CountSpares(const Map& map) const;

    /**
     * @brief Replace lost GPUs.
     * @param map GPUs of the ranks, updated; unchanged if there is an error
     * @return an empty string, or the missing resource
     */
    std::string Replace(Map& map) const;

  private:
    std::optional<uint32_t> FindSpare(const Map& map, uint32_t rank) const;
    std::string Migrate(Map& map) const;
    /// @return true if some consecutive domains have no ranks and all their GPUs work
    bool IsIdle(const Map& map, uint32_t firstDomain, uint32_t domains) const;

    Policy m_policy{IN_DOMAIN};
    std::vector<Place> m_places;
    std::vector<bool> m_works;
    uint32_t m_ranks{0};
};

/**
 * @param policy a policy
 * @return the name of the policy
 */
std::string ToString(SparePool::Policy policy);

} // namespace ns3

#endif // PHOTONIC_RAILS_SPARE_POOL_H
