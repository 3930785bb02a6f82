// SPDX-License-Identifier: GPL-2.0-only

#include "rail-cluster-helper.h"

#include "fibre-ascii.h"
#include "fibre-capture.h"

#include "ns3/abort.h"
#include "ns3/ocs-technology.h"

namespace ns3
{

RailClusterHelper::RailClusterHelper()
    : m_nicFactory("ns3::RdmaNic"),
      m_portFactory("ns3::TransceiverNetDevice"),
      m_switchFactory("ns3::ElectricalSwitch"),
      m_fibreFactory("ns3::FibreChannel")
{
}

void
RailClusterHelper::SetDomains(uint32_t domains, uint32_t gpusPerDomain)
{
    m_domains = domains;
    m_gpusPerDomain = gpusPerDomain;
}

void
RailClusterHelper::SetProcesses(uint32_t processes)
{
    m_processes = processes;
}

void
RailClusterHelper::SetNic(uint32_t ports, DataRate portRate)
{
    m_nicPorts = ports;
    m_portRate = portRate;
}

bool
RailClusterHelper::SetOcs(const std::string& technology)
{
    if (!OcsTechnology::Find(technology))
    {
        return false;
    }
    m_technology = technology;
    return true;
}

void
RailClusterHelper::SetOcsAttribute(const std::string& name, const AttributeValue& value)
{
    m_ocsAttributes.emplace_back(name, value.Copy());
}

void
RailClusterHelper::SetMesh(uint32_t rows, uint32_t columns)
{
    m_meshRows = rows;
    m_meshColumns = columns;
}

void
RailClusterHelper::SetMeshAttribute(const std::string& name, const AttributeValue& value)
{
    m_meshAttributes.emplace_back(name, value.Copy());
}

void
RailClusterHelper::SetSpareRails(uint32_t spares, Time protectionTime)
{
    m_spares = spares;
    m_protectionTime = protectionTime;
}

void
RailClusterHelper::SetSpareGpus(uint32_t perDomain, Time selectionTime)
{
    m_spareGpus = perDomain;
    m_selectionTime = selectionTime;
}

void
RailClusterHelper::SetSpareDomains(uint32_t domains)
{
    m_spareDomains = domains;
}

void
RailClusterHelper::SetSwitchRadix(uint32_t radix)
{
    NS_ABORT_MSG_IF(radix == 0, "a switch has at least one port");
    m_radix = radix;
}

void
RailClusterHelper::SetOversubscription(uint32_t down, uint32_t up)
{
    m_down = down;
    m_up = up;
}

void
RailClusterHelper::SetFabricLinkRate(DataRate rate)
{
    m_fabricRate = rate;
}

void
RailClusterHelper::SetFabricDelay(Time spine, Time core)
{
    m_spineDelay = spine;
    m_coreDelay = core;
}

void
RailClusterHelper::SetFatTreeArity(uint32_t k)
{
    m_arity = k;
}

void
RailClusterHelper::SetEcmpSeed(uint32_t base)
{
    m_ecmpSeed = base;
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
RailClusterHelper::SetScaleUp(const ScaleUpGeneration& generation)
{
    m_scaleUp = generation;
    m_scaleUpInstaller.SetGeneration(generation);
}

void
RailClusterHelper::SetScaleUpSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_scaleUpInstaller.SetSwitchAttribute(name, value);
}

void
RailClusterHelper::SetScaleUpQueuePairAttribute(const std::string& name,
                                                const AttributeValue& value)
{
    m_scaleUpInstaller.SetQueuePairAttribute(name, value);
}

void
RailClusterHelper::SetHostNetwork(const HostNetworkSpec& spec)
{
    m_hostNetwork = spec;
    m_hostNetworkInstaller.SetSpec(spec);
}

void
RailClusterHelper::SetHostNetwork(DataRate nicRate)
{
    HostNetworkSpec spec;
    spec.nicRate = nicRate;
    SetHostNetwork(spec);
}

void
RailClusterHelper::SetHostNetworkSwitchAttribute(const std::string& name,
                                                 const AttributeValue& value)
{
    m_hostNetworkInstaller.SetSwitchAttribute(name, value);
}

void
RailClusterHelper::SetHostNetworkQueuePairAttribute(const std::string& name,
                                                    const AttributeValue& value)
{
    m_hostNetworkInstaller.SetQueuePairAttribute(name, value);
}

void
RailClusterHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switchFactory.Set(name, value);
}

void
RailClusterHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicFactory.Set(name, value);
    m_scaleUpInstaller.SetNicAttribute(name, value);
    m_hostNetworkInstaller.SetNicAttribute(name, value);
}

void
RailClusterHelper::SetFibreAttribute(const std::string& name, const AttributeValue& value)
{
    m_fibreFactory.Set(name, value);
    if (name == "Delay")
    {
        m_fibreDelay = ToFibreDelay(value);
    }
}

void
RailClusterHelper::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_queuePairAttributes.emplace_back(name, value.Copy());
}

void
RailClusterHelper::SetCongestionControlAttribute(const std::string& name,
                                                 const AttributeValue& value)
{
    m_controlAttributes.emplace_back(name, value.Copy());
}

void
RailClusterHelper::SetPcapSnapLength(uint32_t bytes)
{
    NS_ABORT_MSG_IF(bytes < 96, "a snap length of " << bytes << " would cut off headers");
    m_pcapSnapLength = bytes;
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
