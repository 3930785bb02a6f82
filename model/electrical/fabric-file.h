// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_FILE_H
#define PHOTONIC_RAILS_FABRIC_FILE_H

#include "circuit-cabling.h"
#include "electrical-fabric.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A fabric that a user describes in a JSON file: of electrical switches, or of an optical
 * circuit switch for each rail.
 *
 * A FabricFile is no registered variant: its name is that of the file. The file states the GPUs,
 * the switches, the NIC ports of each switch and the links between switches; see
 * doc/electrical-fabrics.rst. The NIC ports of electrical switches must be connected with each
 * other, or those of each rail with each other and with no others. Of circuit switches only the
 * cabling is used (GetCabling): they have no plan.
 */
class FabricFile : public ElectricalFabric
{
  public:
    static constexpr std::size_t MAX_BYTES = std::size_t{16} << 20; //!< longest file
    static constexpr uint32_t MAX_SWITCHES = 65536;
    static constexpr uint32_t MAX_LINKS = 1 << 20; //!< links of switches, parallel ones included

    /// @param name a name of a fabric @return true if a file is meant: the name ends in .json
    static bool IsFile(const std::string& name);

    /**
     * @param path name of a file
     * @param error receives an empty string, or one line that names the place in the file
     * @return the fabric, or null with an error
     */
    static Ptr<const FabricFile> Read(const std::string& path, std::string& error);

    /**
     * @param text content of a file, which may be any bytes
     * @param name name of the fabric
     * @param error receives an empty string, or one line that names the place in the text
     * @return the fabric, or null with an error
     */
    static Ptr<const FabricFile> Parse(const std::string& text,
                                       const std::string& name,
                                       std::string& error);

    /// @return the fibres to the circuit switches; null if the switches are electrical
    std::shared_ptr<const CircuitCabling> GetCabling() const;

    // inherited from ElectricalFabric
    std::string GetName() const override;
    std::string Describe() const override;
    bool JoinsRails() const override;
    uint32_t GetDefaultRadix(const FabricSpec& spec) const override;

    /// A switch.
    struct Switch
    {
        std::string name;
        uint32_t tier{0};      //!< 1 with NIC ports; otherwise links to the next NIC port
        uint32_t component{0}; //!< the rail of its network; 0 if one network joins all rails
        uint32_t ports{0};     //!< ports that links use
    };

    /// A link of a NIC port.
    struct NicLink
    {
        uint32_t gpu;
        uint32_t port;
        uint32_t switchNumber;
        double delay;        //!< ns; negative if the file has none
        uint32_t circuitPort; //!< of an optical circuit switch
    };

    /// Parallel links between two switches.
    struct SwitchLink
    {
        uint32_t a;
        uint32_t b;
        uint32_t count;
        double rate;  //!< Gbit/s
        double delay; //!< ns
    };

    /// All that a file states.
    struct Content
    {
        uint32_t domains{0};
        uint32_t gpusPerDomain{0};
        uint32_t nicPorts{0};
        bool joinsRails{false};
        bool hasCircuits{false}; //!< the switches are optical circuit switches
        std::vector<Switch> switches;
        std::vector<NicLink> nics;
        std::vector<SwitchLink> links;
    };

  protected:
    FabricPlan DoMakePlan(const FabricSpec& spec) const override;

  private:
    std::string m_name;
    Content m_content;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_FILE_H
