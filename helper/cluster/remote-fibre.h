// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_REMOTE_FIBRE_H
#define PHOTONIC_RAILS_REMOTE_FIBRE_H

#include "ns3/ptr.h"

namespace ns3
{

class FibreNetDevice;

/**
 * @brief A fibre whose ends belong to different processes of a distributed run.
 *
 * Both processes have both ends and the fibre, and light is always there, since no circuit is on
 * the way. What differs is that a frame is not handed to the far end but sent to its process when
 * the first bit leaves; it gets there, in simulated time, just after the first bit has arrived, and
 * is then on its way to the port as any other. ns-3 takes the fibre's delay into account when it
 * looks how far a process may run ahead.
 */
class RemoteFibreLink
{
  public:
    /**
     * @brief Do what is needed if the ends of a fibre belong to different processes.
     * @param a an end, on a node; an EthernetPortNetDevice if it is another process's neighbour
     * @param b the other end
     */
    static void Connect(Ptr<FibreNetDevice> a, Ptr<FibreNetDevice> b);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_REMOTE_FIBRE_H
