// SPDX-License-Identifier: GPL-2.0-only

#include "gpu-server.h"

#include <algorithm>

namespace ns3
{

const std::vector<GpuServer>&
GpuServer::GetAll()
{
    static const std::vector<GpuServer> all = {
        // One port of 200 Gbit/s (Slingshot 11) a GPU.
        {"a100", 4, 2, "100Gbps", "Perlmutter node, the cluster of the Opus papers"},
        // Eight single-port ConnectX-6 at 200 Gbit/s for the compute network.
        {"dgx-a100", 8, 2, "100Gbps", "NVIDIA DGX A100 data sheet"},
        // Eight ConnectX-7 at 400 Gbit/s for the compute network, and so in the next two.
        {"h100", 8, 2, "200Gbps", "NVIDIA DGX H100 data sheet"},
        {"h200", 8, 2, "200Gbps", "NVIDIA DGX H200 data sheet"},
        {"b200", 8, 2, "200Gbps", "NVIDIA DGX B200 data sheet"},
        // Four ConnectX-7 at 400 Gbit/s in each of 18 trays of four GPUs.
        {"gb200", 72, 2, "200Gbps", "NVIDIA DGX GB200 NVL72 data sheet"},
    };
    return all;
}

const GpuServer*
GpuServer::Find(const std::string& gpu)
{
    const auto& all = GetAll();
    const auto found = std::find_if(all.begin(), all.end(), [&gpu](const GpuServer& server) {
        return server.gpu == gpu;
    });
    return found == all.end() ? nullptr : &*found;
}

std::string
GpuServer::List()
{
    std::string list;
    for (const auto& server : GetAll())
    {
        list += (list.empty() ? "" : ", ") + server.gpu + " (" + server.source + ": " +
                std::to_string(server.gpus) + ", " + std::to_string(server.nicPorts) + " x " +
                server.portRate + ")";
    }
    return list;
}

} // namespace ns3
