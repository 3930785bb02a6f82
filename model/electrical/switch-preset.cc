// SPDX-License-Identifier: GPL-2.0-only

#include "switch-preset.h"

namespace ns3
{

namespace
{

/// @return a preset, with the values that all presets share
SwitchPreset
Make(const std::string& name,
     const std::string& chip,
     const std::string& rate,
     uint64_t bufferBytes)
{
    SwitchPreset preset;
    preset.name = name;
    preset.chip = chip;
    preset.portRate = DataRate(rate);
    preset.ports = 64;
    preset.bufferBytes = bufferBytes;
    constexpr uint64_t step = 25'000'000'000; // bit/s per step of the thresholds
    preset.kmin = 100'000 * (preset.portRate.GetBitRate() / step);
    preset.kmax = 400'000 * (preset.portRate.GetBitRate() / step);
    preset.pmax = 0.2;
    preset.alpha = 0.125; // a single input may use a ninth of the shared memory
    preset.lossyAlpha = 1;
    preset.hopLatency = NanoSeconds(500);
    return preset;
}

} // namespace

const std::vector<SwitchPreset>&
SwitchPreset::GetAll()
{
    constexpr uint64_t megabyte = 1'000'000;
    static const std::vector<SwitchPreset> all = {
        Make("100G", "Broadcom Tomahawk 2, 6.4 Tbit/s", "100Gbps", 42 * megabyte),
        Make("200G", "Broadcom Tomahawk 3, 12.8 Tbit/s", "200Gbps", 64 * megabyte),
        Make("400G", "Broadcom Tomahawk 4, 25.6 Tbit/s", "400Gbps", 113 * megabyte),
        Make("800G", "Broadcom Tomahawk 5, 51.2 Tbit/s", "800Gbps", 165 * megabyte),
    };
    return all;
}

SwitchPreset
SwitchPreset::Find(DataRate rate)
{
    const auto& all = GetAll();
    std::size_t i = 0;
    while (i + 1 < all.size() && all[i].portRate < rate)
    {
        ++i;
    }
    SwitchPreset preset = all[i];
    const double scale = static_cast<double>(rate.GetBitRate()) / preset.portRate.GetBitRate();
    preset.kmin = static_cast<uint64_t>(scale * preset.kmin);
    preset.kmax = static_cast<uint64_t>(scale * preset.kmax);
    return preset;
}

} // namespace ns3
