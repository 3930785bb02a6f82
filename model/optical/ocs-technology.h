// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OCS_TECHNOLOGY_H
#define PHOTONIC_RAILS_OCS_TECHNOLOGY_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A kind of optical circuit switch: a row of Table 3 of "Photonic Rails in ML Datacenters"
 * (arXiv 2507.08119), which names the vendors' data sheets.
 *
 * The table counts every row among the switches that could be reconfigured group by group, so a row
 * says how long that takes and for how many ports, no more. A device that steps through its
 * matchings as a whole, as a rotor does, is modelled by the attribute Mode of OpticalCircuitSwitch.
 *
 * Beside the table there is `pip-switch`: programmable integrated photonics (PipSwitch, arXiv
 * 2501.18136), up to 32 ports on a mesh of 9 x 9 hexagons, which is no non-blocking switch: it has a
 * PipSwitchFabric. Its cells are set by heaters. 50 us is an assumption: thermo-optic phase shifters
 * of silicon settle in 10 to 100 us (Bogaerts et al., "Programmable photonic circuits", Nature
 * 586:207, 2020).
 */
struct OcsTechnology
{
    std::string name;                    //!< by which users select it
    std::string description;             //!< principle and vendor
    uint64_t reconfigurationPicoseconds; //!< reconfiguration time
    uint32_t radix;                      //!< ports
    bool isMesh{false};                  //!< with a PipSwitchFabric; otherwise non-blocking

    /**
     * @brief GPUs that one OCS per rail can serve with two bidirectional ports a GPU.
     * @param gpusPerDomain GPUs of a scale-up domain, which is also the number of rails
     * @return gpusPerDomain x radix / 2
     */
    uint64_t GetMaxGpus(uint32_t gpusPerDomain) const
    {
        return uint64_t{gpusPerDomain} * radix / 2;
    }

    /// @return the technologies of the table, in its order
    static const std::vector<OcsTechnology>& GetTable();
    /// @return all technologies: those of the table, then others
    static const std::vector<OcsTechnology>& GetAll();

    /**
     * @param name a name
     * @return the technology, or null if there is none of that name
     */
    static const OcsTechnology* Find(const std::string& name);

    /// @return all names, separated by commas, for messages to users
    static std::string GetNames();
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OCS_TECHNOLOGY_H
