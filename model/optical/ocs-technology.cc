// SPDX-License-Identifier: GPL-2.0-only

#include "ocs-technology.h"

namespace ns3
{

const std::vector<OcsTechnology>&
OcsTechnology::GetAll()
{
    constexpr uint64_t ns = 1000;
    constexpr uint64_t us = 1000 * ns;
    constexpr uint64_t ms = 1000 * us;
    static const std::vector<OcsTechnology> all = {
        {"plzt", "PLZT waveguides (EpiPhotonics)", 10 * ns, 16, false},
        {"sip", "silicon photonics (Lightmatter)", 7 * us, 32, false},
        // A rotor steps through its matchings as a whole.
        {"rotornet", "rotor (RotorNet, InFocus)", 10 * us, 128, true},
        {"3d-mems", "3D MEMS mirrors (Calient)", 15 * ms, 320, false},
        {"polatis", "piezo beam steering (Polatis)", 25 * ms, 576, false},
        {"liquid-crystal", "liquid crystal (Coherent)", 100 * ms, 512, false},
        {"robotic", "robotic patch panel (Telescent)", 120000 * ms, 1008, false},
    };
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
