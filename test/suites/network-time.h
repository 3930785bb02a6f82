// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_NETWORK_TIME_H
#define PHOTONIC_RAILS_NETWORK_TIME_H

#include "ns3/boolean.h"
#include "ns3/config.h"

namespace ns3
{
namespace test
{

/// While it lives, engines are made whose calls take the time of the network only, as formulas do.
class NetworkTimeOnly
{
  public:
    NetworkTimeOnly()
    {
        Set(false);
    }

    ~NetworkTimeOnly()
    {
        Set(true);
    }

    NetworkTimeOnly(const NetworkTimeOnly&) = delete;
    NetworkTimeOnly& operator=(const NetworkTimeOnly&) = delete;

  private:
    /// @param takesTime the default of engines
    static void Set(bool takesTime)
    {
        Config::SetDefault("ns3::CollectiveEngine::LibraryTime", BooleanValue(takesTime));
    }
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_NETWORK_TIME_H
