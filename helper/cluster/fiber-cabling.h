// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FIBER_CABLING_H
#define PHOTONIC_RAILS_FIBER_CABLING_H

#include "ns3/attribute.h"
#include "ns3/fiber-net-device.h"
#include "ns3/mac48-address.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/optical-fiber-link.h"
#include "ns3/ptr.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Attributes by name, kept until the objects exist on which they are set; the last value counts.
class AttributeList : public std::vector<std::pair<std::string, Ptr<const AttributeValue>>>
{
  public:
    /// @param name of an attribute @param value gets copied
    void Set(const std::string& name, const AttributeValue& value)
    {
        emplace_back(name, value.Copy());
    }

    /// @param name of an attribute @param value holds unless Set sets the attribute
    void SetDefault(const std::string& name, const AttributeValue& value)
    {
        insert(begin(), {name, value.Copy()});
    }
};

/// Puts devices into nodes and fibers between them; used by all helpers.
class FiberCabling
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
     * @brief Join two devices by a fiber.
     *
     * The devices may belong to different processes of a distributed run. Both processes then have
     * both ends and the fiber, and light is always there, since no circuit is on the way. A
     * frame is sent to the process of the far end when its first bit leaves. There it arrives, in
     * simulated time, just after its first bit, and is then handled as any other. ns-3 takes the
     * fiber's delay as lookahead of a process.
     *
     * @param factory makes an OpticalFiberLink
     * @param a a device, on a node; an EthernetPortNetDevice if b belongs to another process
     * @param b a device, on a node; an EthernetPortNetDevice if a belongs to another process
     */
    static void Connect(const ObjectFactory& factory, Ptr<FiberNetDevice> a, Ptr<FiberNetDevice> b);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FIBER_CABLING_H
