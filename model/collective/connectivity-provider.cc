// SPDX-License-Identifier: GPL-2.0-only

#include "connectivity-provider.h"

#include "ns3/uinteger.h"

#include <array>

namespace ns3
{

std::string
ToString(CollectiveNetwork network)
{
    static constexpr std::array<const char*, 3> NAMES{"scale-up", "rails", "hosts"};
    return NAMES.at(static_cast<std::size_t>(network));
}

uint64_t
NetworkRule::GetVolume(const CollectiveCall& call)
{
    return call.sizes ? call.sizes->GetMost() : call.bytes;
}

CollectiveNetwork
NetworkRule::Choose(const Group& group, const CollectiveCall& call) const
{
    if (group.staysInside)
    {
        return CollectiveNetwork::SCALE_UP;
    }
    if (group.onHosts && (!group.onRails || GetVolume(call) < hostThreshold))
    {
        return CollectiveNetwork::HOSTS;
    }
    return CollectiveNetwork::RAILS;
}

NS_OBJECT_ENSURE_REGISTERED(ConnectivityProvider);
NS_OBJECT_ENSURE_REGISTERED(AlwaysConnected);

TypeId
ConnectivityProvider::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ConnectivityProvider").SetParent<Object>().SetGroupName("PhotonicRails");
    return tid;
}

void
ConnectivityProvider::DoDispose()
{
    m_traffic = Traffic{};
    Object::DoDispose();
}

TypeId
AlwaysConnected::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::AlwaysConnected")
            .SetParent<ConnectivityProvider>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<AlwaysConnected>()
            .AddAttribute("HostThreshold",
                          "Calls of fewer bytes take the host network, if there is one; 0 "
                          "for none. The same on all ranks.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&AlwaysConnected::m_hostThreshold),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

CollectiveNetwork
AlwaysConnected::ChooseNetwork(const ProcessGroup&, const CollectiveCall& call) const
{
    return NetworkRule{m_hostThreshold}.Choose({false, true, true}, call);
}

void
AlwaysConnected::Request(const ProcessGroup&, const CollectiveCall&, Callback<void> granted)
{
    granted();
}

void
AlwaysConnected::Release(const ProcessGroup&, const CollectiveCall&)
{
}

} // namespace ns3
