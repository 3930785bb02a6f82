// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_GRANT_TIMES_H
#define PHOTONIC_RAILS_GRANT_TIMES_H

#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/**
 * @brief How long a rank's calls wait for grants, and how long it takes to be granted a group.
 *
 * Pure but for the times that it is told, which never go back.
 */
class GrantTimes
{
  public:
    /// How long calls waited for a grant.
    struct Wait
    {
        Time waited;  //!< the first of them
        Time exposed; //!< of that, while switches were switching for them
    };

    /**
     * @param group on which a call waits from now on
     * @param now the time
     */
    void CallWaits(uint64_t group, Time now);

    /**
     * @param group which is asked for; a request that is repeated does not count
     * @param now the time
     */
    void Request(uint64_t group, Time now);

    /// @param group which is given back, or asked for no more
    void Release(uint64_t group);

    /**
     * @param group which is granted
     * @param duration for how long switches were switching for it; zero if they were not
     * @param now the time
     * @return for how long calls waited
     */
    Wait Grant(uint64_t group, Time duration, Time now);

    /// @return the least time from a request to a grant that was switched for; 0: not known
    Time GetFastest() const;

    /// @return the groups on which calls wait, in order; from now on they do not
    std::vector<uint64_t> TakeWaiting();

    /// Forget what has been asked for, as the shim does.
    void ForgetRequests();

  private:
    std::map<uint64_t, Time> m_waitSince; //!< first call that waits, by group
    std::map<uint64_t, Time> m_askedAt;   //!< first request that is not granted, by group
    Time m_fastest;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_GRANT_TIMES_H
