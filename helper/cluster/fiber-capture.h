// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FIBER_CAPTURE_H
#define PHOTONIC_RAILS_FIBER_CAPTURE_H

#include "ns3/net-device.h"
#include "ns3/output-stream-wrapper.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief Writes frames that transceivers send, receive and drop as lines of ns-3's ascii traces.
 *
 * A line is a letter, the time in seconds to the picosecond, the trace source if several devices
 * share a file, and the frame:
 *
 * - `+` a frame is handed to the port (MacTx), `-` its first bit leaves (PhyTxBegin). A NIC or a
 *   switch hands over a frame when the port is free, so both have the same time.
 * - `r` the port has received it (MacRx).
 * - `d` it is lost (MacTxDrop, PhyTxDrop, PhyRxDrop), with the reason at the end.
 *
 * Frames of priority flow control are shown as others are (PfcTx, PfcRx). Frames of NICs and
 * switches are shown by their headers, whether or not packets keep metadata
 * (Packet::EnablePrinting); frames of a port without a client are shown if they do.
 */
class FiberAscii
{
  public:
    /**
     * @brief Write lines with the path of the trace source, from now on.
     * @param device a transceiver; of any other device there is nothing to write
     * @param stream an open stream
     */
    static void Start(Ptr<NetDevice> device, Ptr<OutputStreamWrapper> stream);

    /**
     * @brief Write lines without a path to a file of its own, from now on. A file that cannot be
     * written ends the program with one line.
     * @param device a transceiver; of any other device there is nothing to write
     * @param filename the file
     */
    static void Start(Ptr<NetDevice> device, const std::string& filename);
};

/// Writes the frames of transceivers to files in pcap format.
class FiberCapture
{
  public:
    /**
     * @brief Write the frames that a port sends and receives, from now on.
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

#endif // PHOTONIC_RAILS_FIBER_CAPTURE_H
