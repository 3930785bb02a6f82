// SPDX-License-Identifier: GPL-2.0-only

#include "ocs-technology.h"

namespace ns3
{

namespace
{

constexpr uint64_t ns = 1000;
constexpr uint64_t us = 1000 * ns;
constexpr uint64_t ms = 1000 * us;

} // namespace

const std::vector<OcsTechnology>&
OcsTechnology::GetTable()
{
    static const std::vector<OcsTechnology> table = {
        {"plzt", "PLZT waveguides (EpiPhotonics)", 10 * ns, 16},
        {"sip", "silicon photonics (Lightmatter)", 7 * us, 32},
        {"rotornet", "rotor (RotorNet, InFocus)", 10 * us, 128},
        {"3d-mems", "3D MEMS mirrors (Calient)", 15 * ms, 320},
        {"polatis", "piezo beam steering (Polatis)", 25 * ms, 576},
        {"liquid-crystal", "liquid crystal (Coherent)", 100 * ms, 512},
        {"robotic", "robotic patch panel (Telescent)", 120000 * ms, 1008},
    };
    return table;
}

const std::vector<OcsTechnology>&
OcsTechnology::GetAll()
{
    static const std::vector<OcsTechnology> all = [] {
        std::vector<OcsTechnology> rows = GetTable();
        rows.push_back({"pip-switch", "programmable photonic mesh (PipSwitch)", 50 * us, 32, true});
        return rows;
    }();
    return all;
}

const OcsTechnology*
OcsTechnology::Find(const std::string& name)
{
    for (const auto& technology : GetAll())
    {
        if (technology.name == name)
        {
            return &technology;
        }
    }
    return nullptr;
}

std::string
OcsTechnology::GetNames()
{
    std::string names;
    for (const auto& technology : GetAll())
    {
        names += (names.empty() ? "" : ", ") + technology.name;
    }
    return names;
}

} // namespace ns3
