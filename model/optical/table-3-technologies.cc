// SPDX-License-Identifier: GPL-2.0-only

#include "ocs-technology.h"

#include <array>
#include <utility>

namespace ns3
{

namespace
{

/// A row of Table 3, which cites the data sheets of the vendors.
struct Table3Row
{
    const char* type; //!< name of the TypeId
    const char* name;
    const char* description;
    uint64_t picoseconds; //!< reconfiguration time
    uint32_t radix;
};

constexpr uint64_t NS = 1000;
constexpr uint64_t US = 1000 * NS;
constexpr uint64_t MS = 1000 * US;

constexpr std::array<Table3Row, 7> TABLE_3{{
    {"ns3::PlztTechnology", "plzt", "PLZT waveguides (EpiPhotonics)", 10 * NS, 16},
    {"ns3::SipTechnology", "sip", "silicon photonics (Lightmatter)", 7 * US, 32},
    {"ns3::RotorNetTechnology", "rotornet", "rotor (RotorNet, InFocus)", 10 * US, 128},
    {"ns3::MemsTechnology", "3d-mems", "3D MEMS mirrors (Calient)", 15 * MS, 320},
    {"ns3::PolatisTechnology", "polatis", "piezo beam steering (Polatis)", 25 * MS, 576},
    {"ns3::LiquidCrystalTechnology", "liquid-crystal", "liquid crystal (Coherent)", 100 * MS, 512},
    {"ns3::RoboticTechnology", "robotic", "robotic patch panel (Telescent)", 120000 * MS, 1008},
}};

/// The technology of a row.
template <std::size_t ROW>
class Table3Technology : public OcsTechnology
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId(TABLE_3[ROW].type)
                                .SetParent<OcsTechnology>()
                                .SetGroupName("PhotonicRails")
                                .template AddConstructor<Table3Technology>();
        return tid;
    }

    std::string GetName() const override
    {
        return TABLE_3[ROW].name;
    }

    std::string Describe() const override
    {
        return TABLE_3[ROW].description;
    }

    std::string GetSource() const override
    {
        return "Table 3 of arXiv 2507.08119";
    }

    Time GetReconfigurationDelay() const override
    {
        return PicoSeconds(TABLE_3[ROW].picoseconds);
    }

    uint32_t GetRadix() const override
    {
        return TABLE_3[ROW].radix;
    }
};

/// Registers each row as a class, as NS_OBJECT_ENSURE_REGISTERED does.
template <std::size_t... ROWS>
bool
RegisterTable3(std::index_sequence<ROWS...>)
{
    (Table3Technology<ROWS>::GetTypeId().SetSize(sizeof(Table3Technology<ROWS>)), ...);
    return true;
}

[[maybe_unused]] const bool IS_TABLE_3_REGISTERED =
    RegisterTable3(std::make_index_sequence<TABLE_3.size()>());

} // namespace

} // namespace ns3
