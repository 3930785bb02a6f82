// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FIBRE_CAPTURE_H
#define PHOTONIC_RAILS_FIBRE_CAPTURE_H

#include "ns3/net-device.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// Writes the frames of transceivers to files in pcap format.
class FibreCapture
{
  public:
    /**
     * @brief Write what a port sends and receives, from now on.
     *
     * A NIC's queue pairs compute the invariant CRC from then on. A file that cannot be written
     * ends the program with one line.
     * @param device a transceiver; of any other device there is nothing to write
     * @param filename the file
     * @param snapLength bytes kept of each frame
     */
    static void Start(Ptr<NetDevice> device, const std::string& filename, uint32_t snapLength);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FIBRE_CAPTURE_H
