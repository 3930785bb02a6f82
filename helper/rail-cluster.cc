// SPDX-License-Identifier: GPL-2.0-only

#include "rail-cluster.h"

namespace ns3
{

uint32_t
RailCluster::GetNGpus() const
{
    return m_gpus.GetN();
}

uint32_t
RailCluster::GetNDomains() const
{
    return m_gpus.GetN() / m_gpusPerDomain;
}

uint32_t
RailCluster::GetGpusPerDomain() const
{
    return m_gpusPerDomain;
}

bool
RailCluster::IsPhotonic() const
{
    return m_photonic;
}

Ptr<Node>
RailCluster::GetGpu(uint32_t gpu) const
{
    return m_gpus.Get(gpu);
}

Ptr<RdmaNic>
RailCluster::GetNic(uint32_t gpu) const
{
    return m_gpus.Get(gpu)->GetObject<RdmaNic>();
}

Ptr<Node>
RailCluster::GetRail(uint32_t rail) const
{
    return m_rails.Get(rail);
}

Ptr<OpticalCircuitSwitch>
RailCluster::GetOcs(uint32_t rail) const
{
    return m_rails.Get(rail)->GetObject<OpticalCircuitSwitch>();
}

const std::vector<uint32_t>&
RailCluster::GetOcsPorts(uint32_t gpu) const
{
    return m_ocsPorts.at(gpu);
}

NetDeviceContainer
RailCluster::GetNicPorts() const
{
    NetDeviceContainer ports;
    for (uint32_t gpu = 0; gpu < GetNGpus(); ++gpu)
    {
        auto nic = GetNic(gpu);
        for (uint32_t port = 0; port < nic->GetNPorts(); ++port)
        {
            ports.Add(nic->GetPort(port));
        }
    }
    return ports;
}

} // namespace ns3
