// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FIBER_NET_DEVICE_H
#define PHOTONIC_RAILS_FIBER_NET_DEVICE_H

#include "light-path.h"
#include "optical-fiber-link.h"

#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/traced-callback.h"

namespace ns3
{

/**
 * @brief Base class of devices at the end of a fiber: addresses, node, fiber, and the NetDevice
 * interface of a device that cannot send by itself.
 */
class FiberNetDevice : public NetDevice
{
  public:
    static TypeId GetTypeId();

    /**
     * @brief Extend a light path that reaches this device from its fiber.
     * @param path the path up to this device; extended by the path behind this device
     */
    virtual void FollowLight(LightPath& path) = 0;

    /// A device has been attached to the other end of the fiber.
    virtual void FarEndChanged() = 0;

    /// @param channel the fiber that has been attached to this device
    void PlugIn(Ptr<OpticalFiberLink> channel)
    {
        m_channel = channel;
    }

    /// @return the fiber, or null
    OpticalFiberLink* GetFiber() const
    {
        return PeekPointer(m_channel);
    }

    // inherited from NetDevice
    void SetIfIndex(const uint32_t index) override
    {
        m_ifIndex = index;
    }

    uint32_t GetIfIndex() const override
    {
        return m_ifIndex;
    }

    Ptr<Channel> GetChannel() const override
    {
        return m_channel;
    }

    void SetAddress(Address address) override
    {
        m_address = Mac48Address::ConvertFrom(address);
    }

    Address GetAddress() const override
    {
        return m_address;
    }

    bool SetMtu(const uint16_t mtu) override;

    uint16_t GetMtu() const override
    {
        return m_mtu;
    }

    bool IsLinkUp() const override
    {
        return m_channel != nullptr;
    }

    void AddLinkChangeCallback(Callback<void> callback) override
    {
        m_linkChange.ConnectWithoutContext(callback);
    }

    bool IsBroadcast() const override
    {
        return true;
    }

    Address GetBroadcast() const override
    {
        return Mac48Address::GetBroadcast();
    }

    bool IsMulticast() const override
    {
        return false;
    }

    Address GetMulticast(Ipv4Address group) const override
    {
        return Mac48Address::GetMulticast(group);
    }

    Address GetMulticast(Ipv6Address group) const override
    {
        return Mac48Address::GetMulticast(group);
    }

    bool IsBridge() const override
    {
        return false;
    }

    bool IsPointToPoint() const override
    {
        return true;
    }

    bool Send(Ptr<Packet>, const Address&, uint16_t) override
    {
        return false;
    }

    bool SendFrom(Ptr<Packet>, const Address&, const Address&, uint16_t) override
    {
        return false;
    }

    Ptr<Node> GetNode() const override
    {
        return m_node;
    }

    void SetNode(Ptr<Node> node) override
    {
        m_node = node;
    }

    bool NeedsArp() const override
    {
        return false;
    }

    void SetReceiveCallback(ReceiveCallback callback) override
    {
        m_receive = callback;
    }

    void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override
    {
        m_promiscReceive = callback;
    }

    bool SupportsSendFrom() const override
    {
        return false;
    }

  protected:
    void DoDispose() override;

    /// Notify callbacks and traces of a changed link state.
    void NotifyLinkChange()
    {
        m_linkChange();
    }

    Mac48Address m_address;                  //!< MAC address
    ReceiveCallback m_receive;               //!< upper layer
    PromiscReceiveCallback m_promiscReceive; //!< upper layer, all frames

  private:
    Ptr<OpticalFiberLink> m_channel;
    Ptr<Node> m_node;
    uint32_t m_ifIndex{0};
    uint16_t m_mtu;
    TracedCallback<> m_linkChange;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FIBER_NET_DEVICE_H
