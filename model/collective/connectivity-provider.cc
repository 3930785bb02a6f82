// SPDX-License-Identifier: GPL-2.0-only

#include "connectivity-provider.h"

namespace ns3
{

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
ConnectivityProvider::SetTraffic(const Traffic& traffic)
{
    m_traffic = traffic;
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
    static TypeId tid = TypeId("ns3::AlwaysConnected")
                            .SetParent<ConnectivityProvider>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<AlwaysConnected>();
    return tid;
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
