// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MAC_CLIENT_H
#define PHOTONIC_RAILS_MAC_CLIENT_H

#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

namespace ns3
{

class EthernetPortNetDevice;

/**
 * @brief Who uses a port: the NIC or switch above an EthernetPortNetDevice (IEEE 802.3 calls it the
 * MAC client).
 *
 * The port pulls frames when it is free to send, so nothing has to be queued twice and the client
 * decides at the last moment what goes next. Frames begin with an Ethernet header and carry no FCS.
 *
 * What happens does not depend on the order in which events of one instant run: at any instant a
 * client first takes in everything that arrives at that instant, in the order of its ports, and
 * only then its ports decide what to send. So a port has its client take arrivals before it asks
 * for a frame.
 */
class MacClient
{
  public:
    virtual ~MacClient() = default;

    /**
     * @param port a port that is free and lit
     * @return the frame to send now, or null; the client calls EthernetPortNetDevice::Kick when it
     * has one later
     */
    virtual Ptr<Packet> NextFrame(EthernetPortNetDevice& port) = 0;

    /**
     * @param port where a frame has arrived: its last bit, or its first 64 bytes if set to be early
     * @param frame the frame
     */
    virtual void Receive(EthernetPortNetDevice& port, Ptr<Packet> frame) = 0;

    /// @param port a port that has become dark or lit, or whose link partner has changed
    virtual void LinkChanged(EthernetPortNetDevice& port) = 0;

    /**
     * @brief Take what has arrived by now at all ports, in their order: see
     * EthernetPortNetDevice::DeliverDue. By default there is one port.
     * @param port one that is about to decide what to send, or where something arrives
     */
    virtual void TakeArrivals(EthernetPortNetDevice& port);

    /**
     * @brief A client of many ports may wait for arrivals itself.
     * @param port where the next frame arrives
     * @param at when
     * @return true if it calls EthernetPortNetDevice::DeliverAwaited then; by default the port
     * waits and calls TakeArrivals
     */
    virtual bool AwaitArrival(EthernetPortNetDevice& port, const Time& at);

    /**
     * @brief Something happens to a port beside what its client sends and receives. One that
     * computes ahead what it sends goes back to frames.
     * @param port the port, as it still is
     */
    virtual void Interrupt(EthernetPortNetDevice& port);

    /**
     * @param port one that no frame is leaving
     * @return true if it is busy nevertheless, with what has been computed ahead
     */
    virtual bool IsSendingAhead(const EthernetPortNetDevice& port) const;

    /// @param port one whose counters are wanted: one that computes ahead brings them up to date
    virtual void Settle(const EthernetPortNetDevice& port);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MAC_CLIENT_H
