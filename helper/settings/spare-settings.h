// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SPARE_SETTINGS_H
#define PHOTONIC_RAILS_SPARE_SETTINGS_H

#include "ns3/command-line.h"
#include "ns3/data-rate.h"
#include "ns3/flag.h"
#include "ns3/spare-pool.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class RailClusterHelper;
class RecoveryHelper;

/// Which GPUs are spares, and what it takes until a job goes on with them, as flags give it.
class SpareSettings
{
  public:
    SpareSettings();

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /// @return an empty string, or one line that names the flag and the allowed values
    std::string Check();

    /// @return true if there are spare GPUs, after Check
    bool IsGiven() const;
    /// @return spare GPUs among so many domains of so many GPUs, after Check
    uint32_t Count(uint32_t domains, uint32_t gpusPerDomain) const;
    /// @return how GPUs are replaced, after Check
    SparePool::Policy GetPolicy() const;

    /// @param cluster gets spares
    void Apply(RailClusterHelper& cluster) const;
    /// @param recovery gets times and policy
    void Apply(RecoveryHelper& recovery) const;

    /// @return flags and their values
    std::vector<std::pair<std::string, std::string>> GetList() const;

  private:
    CountFlag m_gpus{"spareGpus", 0, 0, 16};
    CountFlag m_domains{"spareDomains", 0, 0, 4096};
    ChoiceFlag m_recovery{"recovery", "", {"spare", "rail", "migration"}};
    TimeFlag m_selectionTime;
    TimeFlag m_abortTime;
    TimeFlag m_processTime;
    TimeFlag m_communicatorTime;
    Flag m_stateRate{"stateRate", "200Gbps"};
    DataRate m_stateDataRate;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SPARE_SETTINGS_H
