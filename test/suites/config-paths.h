// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONFIG_PATHS_H
#define PHOTONIC_RAILS_CONFIG_PATHS_H

#include <map>
#include <string>

namespace ns3
{
namespace test
{

/**
 * @return by the names of the classes of this module that register attributes or trace sources: the
 * path of their objects for Config::Set and Config::Connect, or why they have none
 */
inline const std::map<std::string, std::string>&
GetConfigPaths()
{
    const std::string pair = "/NodeList/*/$ns3::RdmaNic/QueuePairs/*";
    const auto application = [](const std::string& name) {
        return "/NodeList/*/ApplicationList/*/$ns3::" + name;
    };
    static const std::map<std::string, std::string> paths{
        {"ns3::AlwaysConnected", "/NodeList/*/$ns3::AlwaysConnected"},
        {"ns3::ClosFabric", "none: a fabric is made when its name is looked up"},
        {"ns3::CollectiveEngine", "/NodeList/*/$ns3::CollectiveEngine"},
        {"ns3::ControllerStandby", application("ControllerStandby")},
        {"ns3::ElectricalSwitch", "/NodeList/*/$ns3::ElectricalSwitch"},
        {"ns3::FabricRerouter", "none: it belongs to a fabric and to no node"},
        {"ns3::FatTreeFabric", "none: a fabric is made when its name is looked up"},
        {"ns3::FaultInjector", "none: it belongs to the program and to no node"},
        {"ns3::FaultMonitor", application("FaultMonitor")},
        {"ns3::HostThread", "none: a rank has one of its own from its start on"},
        {"ns3::OpticalFiberLink", "/ChannelList/*/$ns3::OpticalFiberLink"},
        {"ns3::FiberSelector", "/NodeList/*/$ns3::FiberSelector"},
        {"ns3::FiberNetDevice", "/NodeList/*/DeviceList/*/$ns3::FiberNetDevice"},
        {"ns3::ManagementPort", "/NodeList/*/$ns3::ManagementPort"},
        {"ns3::OcsAgent", application("OcsAgent")},
        {"ns3::OpticalCircuitSwitch", "/NodeList/*/$ns3::OpticalCircuitSwitch"},
        {"ns3::OpusController", application("OpusController")},
        {"ns3::OpusManager", application("OpusManager")},
        {"ns3::OpusShim", application("OpusShim")},
        {"ns3::PipSwitchFabric",
         "/NodeList/*/$ns3::OpticalCircuitSwitch/Fabric/$ns3::PipSwitchFabric"},
        {"ns3::ProtectionSwitch", "/NodeList/*/$ns3::ProtectionSwitch"},
        {"ns3::RdmaCongestionControl", pair + "/Control/$ns3::RdmaCongestionControl"},
        {"ns3::RdmaDcqcn", pair + "/Control/$ns3::RdmaDcqcn"},
        {"ns3::RdmaDcqcnPaper", pair + "/Control/$ns3::RdmaDcqcnPaper"},
        {"ns3::RdmaNic", "/NodeList/*/$ns3::RdmaNic"},
        {"ns3::RdmaQueuePair", pair},
        {"ns3::RdmaSwift", pair + "/Control/$ns3::RdmaSwift"},
        {"ns3::RecoveryAgent", application("RecoveryAgent")},
        {"ns3::RecoveryCoordinator", application("RecoveryCoordinator")},
        {"ns3::RecoveryHost", application("RecoveryHost")},
        {"ns3::RotorScheduler", application("RotorScheduler")},
        {"ns3::SecondaryNic", "/NodeList/*/$ns3::ScaleUpNic, /NodeList/*/$ns3::HostNic"},
        {"ns3::TrainingApplication", application("TrainingApplication")},
        {"ns3::EthernetPortNetDevice", "/NodeList/*/DeviceList/*/$ns3::EthernetPortNetDevice"},
    };
    return paths;
}

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_CONFIG_PATHS_H
