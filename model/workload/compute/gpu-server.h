// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_GPU_SERVER_H
#define PHOTONIC_RAILS_GPU_SERVER_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The server or rack that a GPU comes in: its scale-up domain, and the NIC of a GPU.
 *
 * A NIC has two ports at half of its rate each, because a ring of circuits takes two ports of a
 * GPU. ConnectX-7 at 400 Gbit/s may have one port of 400, two of 200 or four of 100 Gbit/s.
 */
struct GpuServer
{
    std::string gpu;      //!< name of the GPU, see GpuSpec
    uint32_t gpus;        //!< GPUs of a scale-up domain
    uint32_t nicPorts;    //!< ports of the NIC of a GPU
    std::string portRate; //!< line rate of a port
    std::string source;   //!< the server, and where these figures are from

    /// @return a server for each GPU of GpuSpec, in the same order
    static const std::vector<GpuServer>& GetAll();
    /// @param gpu name of a GPU @return its server, or null
    static const GpuServer* Find(const std::string& gpu);
    /// @return all servers in a line, for messages to users
    static std::string List();
};

} // namespace ns3

#endif // PHOTONIC_RAILS_GPU_SERVER_H
