// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PARTS_CATALOGUE_H
#define PHOTONIC_RAILS_PARTS_CATALOGUE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// A part of a network, in the unit of its price.
struct NetworkPart
{
    /// The kind of a part.
    enum class Kind
    {
        TRANSCEIVER, //!< pluggable, at one end of a link
        SWITCH,      //!< electrical packet switch, without transceivers
        OCS,         //!< optical circuit switch, whose ports carry any rate
    };

    std::string name;             //!< unique in a catalogue
    Kind kind{Kind::TRANSCEIVER}; //!<
    uint32_t ports{1};            //!< ports included in price and power; links of a transceiver
    uint32_t gbps{0};             //!< line rate of a port in Gbit/s; 0 for an OCS
    double usd{0};                //!< price in US dollars
    double watts{0};              //!< rated power
    std::string source;           //!< source of price and power
    std::string date;             //!< date of the source: a year, a month or a day
};

/// The parts of one network.
struct NetworkParts
{
    NetworkPart transceiver;
    NetworkPart packetSwitch;
    NetworkPart ocs;
};

/**
 * @brief Prices and power of parts, from a JSON file of the user.
 *
 * An object with the key "parts": an array of objects with the keys name (1 to 64 letters, digits,
 * dots, underscores or hyphens), kind ("transceiver", "switch" or "ocs"), ports (1), gbps (not for
 * an OCS), price_usd, watts, source and date (2026, 2026-02 or 2026-02-13).
 */
class PartsCatalogue
{
  public:
    static constexpr uint32_t MAX_PARTS = 256;   //!< in a catalogue
    static constexpr uint32_t MAX_PORTS = 65536; //!< of a part
    static constexpr uint32_t MAX_GBPS = 100000; //!< of a port
    static constexpr double MAX_USD = 1e9;       //!< of a part
    static constexpr double MAX_WATTS = 1e6;     //!< of a part
    static constexpr std::size_t MAX_TEXT = 400; //!< characters of a source

    /**
     * @brief Parse the text of a file. Throws nothing for any bytes.
     * @param text the text; JsonText states general limits of JSON
     * @param catalogue receives the parts, unless there is an error
     * @return an empty string, or one line with the path of the wrong value, such as
     *         "parts[2].watts", and the allowed values
     */
    static std::string Parse(const std::string& text, PartsCatalogue& catalogue);

    /**
     * @brief The parts of the cost figures of "Photonic Rails in ML Datacenters with Opus" (arXiv
     * 2602.12521): 400G and 800G transceivers and switches, and ports of an OCS.
     * @return the catalogue; every part names the source of its figures
     */
    static const PartsCatalogue& GetDefault();

    /// @return the text of a file from which Parse makes an equal catalogue
    std::string ToText() const;

    /// @return all parts, in the order of the file
    const std::vector<NetworkPart>& GetParts() const
    {
        return m_parts;
    }

    /**
     * @brief Select the first transceiver and the first switch of a rate, and the first OCS.
     * @param gbps line rate of a NIC in Gbit/s
     * @param parts receives the parts, unless there is an error
     * @return an empty string, or one line that names the missing kind of part
     */
    std::string Select(uint32_t gbps, NetworkParts& parts) const;

    /**
     * @param gbps line rate of a NIC in Gbit/s
     * @return the lowest rate, not below gbps, with a transceiver and a switch in the catalogue; 0
     *         without such a rate
     */
    uint32_t FindRate(uint32_t gbps) const;

  private:
    std::vector<NetworkPart> m_parts;
};

/// @return "transceiver", "switch" or "ocs"
std::string ToString(NetworkPart::Kind kind);

} // namespace ns3

#endif // PHOTONIC_RAILS_PARTS_CATALOGUE_H
