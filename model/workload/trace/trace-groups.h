// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRACE_GROUPS_H
#define PHOTONIC_RAILS_TRACE_GROUPS_H

#include "ns3/process-group.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The process groups of a set of traces by name, each list of ranks once, with an id.
 *
 * Pairs of ranks that exchange messages get a group when they are first named.
 */
class TraceGroups
{
  public:
    /**
     * @param worldSize number of ranks
     * @param isReplicated true if every name stands for all ranks
     */
    TraceGroups(uint32_t worldSize, bool isReplicated);

    /**
     * @brief Read names and ranks: a JSON object with a list of ranks for each name.
     * @param file name of the file
     */
    void Read(const std::string& file);

    /**
     * @param name name of a group; empty for all ranks
     * @return the id of the group; without a file of groups, the only name stands for all ranks
     */
    uint32_t Find(const std::string& name);

    /**
     * @param a a rank
     * @param b another rank
     * @return the id of the group of both
     */
    uint32_t FindPair(uint32_t a, uint32_t b);

    /**
     * @param ranks ranks, each once
     * @return the id of the group of these ranks in this order
     */
    uint32_t Add(const std::vector<uint32_t>& ranks);

    /// @return true if there is at least one rank, and each is there once
    static bool AreDistinct(std::vector<uint32_t> ranks);

    /// @return number of ranks of the job
    uint32_t GetWorldSize() const
    {
        return m_worldSize;
    }

    /// @return the groups by id
    const std::vector<ProcessGroup>& GetGroups() const
    {
        return m_groups;
    }

    /// @return the groups, with one of each rank alone; the object is empty afterwards
    std::vector<ProcessGroup> Take();

  private:
    uint32_t m_worldSize;
    bool m_isReplicated;
    bool m_hasFile{false};
    std::string m_only; //!< the only name, without a file
    std::vector<ProcessGroup> m_groups;
    std::map<std::vector<uint32_t>, uint32_t> m_ids; //!< by ranks
    std::map<std::string, uint32_t> m_names;         //!< ids by name
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRACE_GROUPS_H
