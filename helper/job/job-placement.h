// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_PLACEMENT_H
#define PHOTONIC_RAILS_JOB_PLACEMENT_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// How the scale-up domains of a cluster are given to jobs.
class JobPlacement
{
  public:
    /// @return packed: domains in a row; spread: domains in turns; random
    static std::vector<std::string> GetNames();

    /**
     * @param name one of GetNames()
     * @param domains number of domains of the cluster, at least as many as all jobs need
     * @param needs domains that each job needs
     * @param seed of a random placement
     * @return the domains of each job; no domain has two jobs
     */
    static std::vector<std::vector<uint32_t>> Make(const std::string& name,
                                                   uint32_t domains,
                                                   const std::vector<uint32_t>& needs,
                                                   uint32_t seed);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_PLACEMENT_H
