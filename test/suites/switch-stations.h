// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_STATIONS_H
#define PHOTONIC_RAILS_SWITCH_STATIONS_H

#include "picosecond-test-case.h"

#include "ns3/boolean.h"
#include "ns3/electrical-switch.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/node.h"
#include "ns3/optical-fiber-link.h"
#include "ns3/roce-header.h"

#include <deque>
#include <memory>
#include <vector>

/**
 * @file
 * Switches with stations that send frames as a test says, without a transport in between.
 */

namespace ns3
{
namespace test
{

/// Types of service with the priorities 0, 1, 3 and 6; all but the last know ECN.
constexpr uint8_t TOS_0 = 2;
constexpr uint8_t TOS_1 = (8 << 2) | 2;
constexpr uint8_t TOS_3 = RoceHeader::DATA_TOS;
constexpr uint8_t TOS_6 = RoceHeader::CONTROL_TOS;

/// Sends frames in the order given, and keeps the frames that arrive.
class SwitchStation : public MacClient
{
  public:
    struct Arrival
    {
        Time at;
        Ptr<Packet> frame;
        RoceHeader header;
    };

    /// Send a frame of so many bytes without FCS, at least 58.
    Ptr<Packet> Send(Ipv4Address to, uint32_t bytes, uint8_t tos, uint16_t flow = 0)
    {
        RoceHeader header;
        header.opcode = RoceHeader::WRITE_MIDDLE;
        header.payloadBytes = (bytes - RoceHeader::BASE_BYTES - RoceHeader::ICRC_BYTES) / 4 * 4;
        header.sourceIp = address;
        header.destinationIp = to;
        header.sourcePort = 0xc000 + flow;
        header.tos = tos;
        auto frame = Create<Packet>(bytes - RoceHeader::BASE_BYTES);
        frame->AddHeader(header);
        SendFrame(frame, tos >> 5);
        return frame;
    }

    /// Send any frame.
    void SendFrame(Ptr<Packet> frame, uint8_t priority)
    {
        waiting.push_back({frame, priority});
        device->Kick();
    }

    Ptr<Packet> NextFrame(EthernetPortNetDevice& port) override
    {
        if (waiting.empty() || (obeys && port.IsPaused(waiting.front().second)))
        {
            return nullptr;
        }
        Ptr<Packet> frame = waiting.front().first;
        waiting.pop_front();
        return frame;
    }

    void Receive(EthernetPortNetDevice&, Ptr<Packet> frame) override
    {
        RoceHeader header;
        frame->PeekHeader(header);
        arrivals.push_back({Simulator::Now(), frame, header});
    }

    void LinkChanged(EthernetPortNetDevice&) override
    {
    }

    Ipv4Address address;
    Ptr<EthernetPortNetDevice> device;
    std::deque<std::pair<Ptr<Packet>, uint8_t>> waiting;
    std::vector<Arrival> arrivals;
    bool obeys{true}; //!< its link partner's pauses
};

/// Switches and stations, joined by fibers of 100 ns.
class SwitchNetwork
{
  public:
    ~SwitchNetwork()
    {
        for (auto& station : stations)
        {
            station->device->SetMacClient(nullptr);
        }
        Simulator::Destroy();
    }

    /// Add a switch; attributes are set on it before the first frame.
    Ptr<ElectricalSwitch> AddSwitch()
    {
        auto node = CreateObject<Node>();
        auto added = CreateObject<ElectricalSwitch>();
        added->AssignStreams(static_cast<int64_t>(nodes.size()) + 1);
        node->AggregateObject(added);
        nodes.push_back(node);
        switches.push_back(added);
        return added;
    }

    /// Add a station at a switch, which has a route to it unless told otherwise.
    SwitchStation& AddStation(uint32_t at, const std::string& rate = "400Gbps", bool routed = true)
    {
        return AddStation(at, rate, rate, routed);
    }

    /// Add a station whose rate is not that of the switch's port.
    SwitchStation& AddStation(uint32_t at,
                              const std::string& stationRate,
                              const std::string& portRate,
                              bool routed)
    {
        stations.push_back(std::make_unique<SwitchStation>());
        SwitchStation& station = *stations.back();
        station.address = Ipv4Address(0x0a000000 + static_cast<uint32_t>(stations.size()));
        station.device = AddDevice(CreateObject<Node>(), stationRate);
        station.device->SetMacClient(&station);
        auto port = AddDevice(nodes.at(at), portRate);
        const uint32_t number = switches.at(at)->AddPort(port);
        if (routed)
        {
            switches[at]->AddRoute(station.address, number);
        }
        Join(station.device, port);
        return station;
    }

    /// Join two switches. @return the ports' numbers
    std::pair<uint32_t, uint32_t> Join(uint32_t a, uint32_t b, const std::string& rate = "400Gbps")
    {
        auto atA = AddDevice(nodes.at(a), rate);
        auto atB = AddDevice(nodes.at(b), rate);
        const std::pair<uint32_t, uint32_t> ports{switches[a]->AddPort(atA),
                                                  switches[b]->AddPort(atB)};
        Join(atA, atB);
        return ports;
    }

    /// @return a switch's port
    Ptr<EthernetPortNetDevice> GetPort(uint32_t at, uint32_t port) const
    {
        return DynamicCast<EthernetPortNetDevice>(nodes.at(at)->GetDevice(port));
    }

    std::vector<Ptr<Node>> nodes; //!< of the switches
    std::vector<Ptr<ElectricalSwitch>> switches;
    std::vector<std::unique_ptr<SwitchStation>> stations;

  private:
    static Ptr<EthernetPortNetDevice> AddDevice(Ptr<Node> node, const std::string& rate)
    {
        auto device = CreateObject<EthernetPortNetDevice>();
        device->SetAttribute("DataRate", DataRateValue(DataRate(rate)));
        device->SetAddress(Mac48Address::Allocate());
        device->SetNode(node);
        node->AddDevice(device);
        return device;
    }

    static void Join(Ptr<EthernetPortNetDevice> a, Ptr<EthernetPortNetDevice> b)
    {
        auto fiber = CreateObject<OpticalFiberLink>();
        fiber->SetAttribute("Delay", TimeValue(NanoSeconds(100)));
        fiber->Attach(a);
        fiber->Attach(b);
    }
};

/// How long a frame of so many bytes without FCS lasts.
inline Time
FrameTime(uint32_t bytes, const std::string& rate = "400Gbps")
{
    return DataRate(rate).CalculateBytesTxTime(bytes + 24);
}

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_SWITCH_STATIONS_H
