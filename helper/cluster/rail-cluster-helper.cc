// SPDX-License-Identifier: GPL-2.0-only

#include "rail-cluster-helper.h"

#include "fibre-capture.h"
#include "internet-installer.h"
#include "rail-cluster-builder.h"

#include "ns3/abort.h"

namespace ns3
{

void
RailClusterHelper::SetSwitchRadix(uint32_t radix)
{
    NS_ABORT_MSG_IF(radix == 0, "a switch has at least one port");
    m_spec.switchRadix = radix;
}

void
RailClusterHelper::SetFabricDelay(Time spine, Time core)
{
    NS_ABORT_MSG_IF(spine.IsStrictlyNegative() || core.IsStrictlyNegative(),
                    "delays of " << spine << " and " << core << " between switches");
    m_spec.spineDelay = spine;
    m_spec.coreDelay = core;
}

bool
RailClusterHelper::SetScaleUp(const std::string& name)
{
    const auto* generation = ScaleUpGeneration::Find(name);
    if (!generation)
    {
        return false;
    }
    SetScaleUp(*generation);
    return true;
}

void
RailClusterHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_spec.nic.factory.Set(name, value);
    m_spec.domainNetwork.nics.factory.Set(name, value);
    m_spec.networkOfHosts.nics.factory.Set(name, value);
}

void
RailClusterHelper::SetFibreAttribute(const std::string& name, const AttributeValue& value)
{
    m_spec.fibreFactory.Set(name, value);
    if (name == "Delay")
    {
        m_spec.fibreDelay = RailClusterSpec::ToFibreDelay(value);
    }
}

void
RailClusterHelper::SetPcapSnapLength(uint32_t bytes)
{
    NS_ABORT_MSG_IF(bytes < 96, "a snap length of " << bytes << " would cut off headers");
    m_pcapSnapLength = bytes;
}

RailCluster
RailClusterHelper::Install(const RailFabric& fabric) const
{
    return RailClusterBuilder(m_spec, fabric).Build();
}

Ipv4InterfaceContainer
RailClusterHelper::InstallInternet(const RailCluster& cluster)
{
    return InternetInstaller(cluster).Install();
}

int64_t
RailClusterHelper::AssignStreams(const RailCluster& cluster, int64_t first)
{
    int64_t next = first;
    for (const auto* switches : {&cluster.GetSwitches(), &cluster.GetHostSwitches()})
    {
        for (const auto& one : *switches)
        {
            next += one.device->AssignStreams(next);
        }
    }
    return next - first;
}

Time
RailClusterHelper::GetReconfigurationDelay() const
{
    TimeValue delay;
    m_spec.ocs.Create(m_spec.GetOcsPorts(), nullptr)->GetAttribute("ReconfigurationDelay", delay);
    return delay.Get();
}

void
RailClusterHelper::EnablePcapInternal(std::string prefix,
                                      Ptr<NetDevice> device,
                                      bool /* promiscuous: a port has one peer */,
                                      bool explicitFilename)
{
    PcapHelper pcap;
    FibreCapture::Start(device,
                        explicitFilename ? prefix : pcap.GetFilenameFromDevice(prefix, device),
                        m_pcapSnapLength);
}

void
RailClusterHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                                       std::string prefix,
                                       Ptr<NetDevice> device,
                                       bool explicitFilename)
{
    if (stream)
    {
        FibreAscii::Start(device, stream);
        return;
    }
    AsciiTraceHelper ascii;
    FibreAscii::Start(device,
                      explicitFilename ? prefix : ascii.GetFilenameFromDevice(prefix, device));
}

} // namespace ns3
