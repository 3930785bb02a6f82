// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FIBRE_CABLING_H
#define PHOTONIC_RAILS_FIBRE_CABLING_H

#include "remote-fibre.h"

#include "ns3/fibre-net-device.h"
#include "ns3/mac48-address.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/optical-fibre-link.h"

namespace ns3
{

/// What every helper does that puts devices into nodes and fibres between them.
class FibreCabling
{
  public:
    /**
     * @brief Make a device, give it an address and add it to a node.
     * @param factory makes a T
     * @param node gets it
     * @return the device
     */
    template <typename T>
    static Ptr<T> AddDevice(const ObjectFactory& factory, Ptr<Node> node)
    {
        auto device = factory.Create<T>();
        device->SetAddress(Mac48Address::Allocate());
        device->SetNode(node);
        node->AddDevice(device);
        return device;
    }

    /**
     * @brief Join two devices by a fibre. They may belong to different processes.
     * @param factory makes an OpticalFibreLink
     * @param a a device
     * @param b a device
     */
    static void Connect(const ObjectFactory& factory, Ptr<FibreNetDevice> a, Ptr<FibreNetDevice> b)
    {
        auto fibre = factory.Create<OpticalFibreLink>();
        fibre->Attach(a);
        fibre->Attach(b);
        RemoteFibreLink::Connect(a, b);
    }
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FIBRE_CABLING_H
