// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PARTS_CATALOGUE_H
#define PHOTONIC_RAILS_PARTS_CATALOGUE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Something that networks are made of, as it is bought.
struct NetworkPart
{
    /// What it is.
    enum class Kind
    {
        TRANSCEIVER, //!< pluggable, at one end of a link
        SWITCH,      //!< electrical packet switch, without transceivers
        OCS,         //!< optical circuit switch, whose ports carry any rate
    };

    std::string name;             //!< unique in a catalogue
    Kind kind{Kind::TRANSCEIVER}; //!<
    uint32_t ports{1};            //!< for which price and power are; links, of a transceiver
    uint32_t gbps{0};             //!< line rate of a port in Gbit/s; 0 of an OCS
    double usd{0};                //!< price in US dollars
    double watts{0};              //!< power, as the source rates it
    std::string source;           //!< who says so
    std::string date;             //!< when: a year, a month or a day
};

/// The parts that one network is made of.
struct NetworkParts
{
    NetworkPart transceiver;
    NetworkPart packetSwitch;
    NetworkPart ocs;
};

/**
 * @brief Prices and power of parts, as JSON that users write.
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
     * @brief Read a file's text. Throws nothing, whatever the bytes are.
     * @param text see JsonText for what is refused of any JSON
     * @param catalogue gets the parts, unless there is an error
     * @return an empty string, or one line that begins with the name of what is wrong, such as
     *         "parts[2].watts", and says what is allowed
     */
    static std::string Parse(const std::string& text, PartsCatalogue& catalogue);

    /**
     * @brief The parts of the cost figures of "Photonic Rails in ML Datacenters with Opus" (arXiv
     * 2602.12521): 400G and 800G transceivers and switches, and ports of an OCS.
     * @return the catalogue; every part says where its figures are from
     */
    static const PartsCatalogue& GetDefault();

    /// @return the text of a file; Parse gives back the same catalogue
    std::string ToText() const;

    /// @return all parts, in the order of the file
    const std::vector<NetworkPart>& GetParts() const
    {
        return m_parts;
    }

    /**
     * @brief Take the first transceiver and the first switch of a rate, and the first OCS.
     * @param gbps line rate of a NIC in Gbit/s
     * @param parts gets them, unless there is an error
     * @return an empty string, or one line that says which kind of part is missing
     */
    std::string Select(uint32_t gbps, NetworkParts& parts) const;

    /**
     * @param gbps line rate of a NIC in Gbit/s
     * @return the least rate, of those that are not below, of which there are a transceiver and a
     *         switch; 0 if there is none
     */
    uint32_t FindRate(uint32_t gbps) const;

  private:
    std::vector<NetworkPart> m_parts;
};

/// @return "transceiver", "switch" or "ocs"
std::string ToString(NetworkPart::Kind kind);

} // namespace ns3

#endif // PHOTONIC_RAILS_PARTS_CATALOGUE_H
