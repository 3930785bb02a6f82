// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_FILE_H
#define PHOTONIC_RAILS_FABRIC_FILE_H

#include "electrical-fabric.h"

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// The GPUs that a fabric is made for.
struct FabricSize
{
    uint32_t domains{0};
    uint32_t gpusPerDomain{0};
    uint32_t nicPorts{0};

    /**
     * @param name of a fabric of this size
     * @param cluster size of a cluster
     * @return an empty string, or one line if the sizes differ
     */
    std::string Check(const std::string& name, const FabricSize& cluster) const;
};

/**
 * @brief All that a user's JSON file states of a fabric, checked: of electrical switches
 * (FabricFile), or of an optical circuit switch for each rail (CircuitCabling).
 *
 * The file states the GPUs, the switches, the NIC ports of each switch and the links between
 * switches; see doc/electrical-fabrics.rst. The NIC ports of electrical switches must be connected
 * with each other, or those of each rail with each other and with no others. Switches are in the
 * order of rails, if each has a network of its own, and of tiers, and NIC ports in the order of
 * switches, GPUs and ports: the hosts behind a switch are a range, and those of a network.
 */
struct FabricContent
{
    static constexpr std::size_t MAX_BYTES = std::size_t{16} << 20; //!< longest file
    static constexpr uint32_t MAX_SWITCHES = 65536;
    static constexpr uint32_t MAX_LINKS = 1 << 20; //!< links of switches, parallel ones included

    /// A switch.
    struct Switch
    {
        std::string name;
        uint32_t tier{0};  //!< 1 with NIC ports; otherwise links to the next NIC port
        uint32_t ports{0}; //!< ports that links use
    };

    /// A link of a NIC port.
    struct NicLink
    {
        uint32_t gpu;
        uint32_t port;
        uint32_t switchNumber;
        std::optional<Time> delay; //!< if the file has one
        uint32_t circuitPort;      //!< of an optical circuit switch
    };

    /// Parallel links between two switches.
    struct SwitchLink
    {
        uint32_t a;
        uint32_t b;
        uint32_t count;
        double rate; //!< Gbit/s
        Time delay;
    };

    std::string name; //!< of the file
    FabricSize size;
    bool joinsRails{false};
    bool hasCircuits{false}; //!< the switches are optical circuit switches
    std::vector<Switch> switches;
    std::vector<NicLink> nics;
    std::vector<SwitchLink> links;

    /// @param name a name of a fabric @return true if a file is meant: the name ends in .json
    static bool IsFile(const std::string& name);

    /**
     * @param path name of a file
     * @param error receives an empty string, or one line that names the place in the file
     * @return the content, or nothing with an error
     */
    static std::optional<FabricContent> Read(const std::string& path, std::string& error);

    /**
     * @param text content of a file, which may be any bytes
     * @param name name of the fabric
     * @param error receives an empty string, or one line that names the place in the text
     * @return the content, or nothing with an error
     */
    static std::optional<FabricContent> Parse(const std::string& text,
                                              const std::string& name,
                                              std::string& error);
};

/**
 * @brief A fabric of electrical switches that a user describes in a JSON file (FabricContent).
 *
 * A FabricFile is no registered variant: its name is that of the file.
 */
class FabricFile : public ElectricalFabric
{
  public:
    /// @param content of the file, without circuits
    explicit FabricFile(FabricContent content)
        : m_content(std::move(content))
    {
    }

    // inherited from ElectricalFabric
    std::string GetName() const override
    {
        return m_content.name;
    }

    std::string Describe() const override
    {
        return "the fabric of " + m_content.name;
    }

    bool JoinsRails() const override
    {
        return m_content.joinsRails;
    }

    uint32_t GetDefaultRadix(const FabricSpec& spec) const override;

  protected:
    FabricPlan DoMakePlan(const FabricSpec& spec) const override;

  private:
    FabricContent m_content;
};

/**
 * @brief The fibers of photonic rails: to which port of the optical circuit switch of its rail each
 * NIC port leads, and how long each fiber is.
 *
 * Without a CircuitCabling, NIC port p of the GPU of domain d leads to OCS port d x nicPorts + p.
 */
class CircuitCabling
{
  public:
    /// The fiber of a NIC port.
    struct Fiber
    {
        uint32_t ocsPort{0};
        std::optional<Time> delay; //!< none: that of all fibers
    };

    /// @param content of the file that states the cabling, with circuits
    explicit CircuitCabling(const FabricContent& content);

    /// @return the name of the file
    const std::string& GetName() const
    {
        return m_name;
    }

    /// @param cluster its size @return an empty string, or why the cabling is not that of a cluster
    std::string Check(const FabricSize& cluster) const
    {
        return m_size.Check(m_name, cluster);
    }

    /// @param gpu a GPU @param port one of its NIC ports @return the fiber of the port
    const Fiber& GetFiber(uint32_t gpu, uint32_t port) const
    {
        return m_fibers.at(std::size_t{gpu} * m_size.nicPorts + port);
    }

    /// @return ports of the largest switch: the highest number of an OCS port with a fiber, and 1
    uint32_t GetOcsPorts() const;

    /// @return the OCS ports with a fiber, by rail, in the order of their numbers
    std::vector<std::set<uint32_t>> ListOcsPorts() const;

    /// @param initial delay of a fiber without one @return the delay of the longest fiber
    Time GetLongestDelay(Time initial) const;

  private:
    std::string m_name;
    FabricSize m_size;
    std::vector<Fiber> m_fibers; //!< by GPU and port
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_FILE_H
