// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPTICAL_RAIL_H
#define PHOTONIC_RAILS_OPTICAL_RAIL_H

#include "lambda-call.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/node.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/optical-fiber-link.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * Shared by the tests of the optical layer: an OCS whose ports lead to stations that send frames
 * back to back and note when frames arrive.
 */

namespace ns3
{
namespace test
{

/// Uses a port without any protocol.
class Station : public MacClient
{
  public:
    Ptr<Packet> NextFrame(EthernetPortNetDevice&) override
    {
        if (toSend == 0)
        {
            return nullptr;
        }
        --toSend;
        sentAt.push_back(Simulator::Now());
        return Create<Packet>(frameBytes);
    }

    void Receive(EthernetPortNetDevice&, Ptr<Packet> frame) override
    {
        arrivedAt.push_back(Simulator::Now());
        bytesArrived += frame->GetSize();
    }

    void LinkChanged(EthernetPortNetDevice& port) override
    {
        linkChanges.emplace_back(Simulator::Now(), port.IsLit());
    }

    uint32_t toSend{0};        //!< frames left to send
    uint32_t frameBytes{1000}; //!< size of each
    uint64_t bytesArrived{0};
    std::vector<Time> sentAt;
    std::vector<Time> arrivedAt;
    std::vector<std::pair<Time, bool>> linkChanges;
};

/// 1000 bytes and 24 of overhead at 100 Gbit/s.
inline Time
FrameTime()
{
    return PicoSeconds(81920);
}

/// An OCS and a station at each port.
class OpticalRail
{
  public:
    /**
     * @param ports stations, and ports of the OCS that are cabled
     * @param radix ports of the OCS
     */
    explicit OpticalRail(uint32_t ports, uint32_t radix = 8)
        : ocs(CreateObject<OpticalCircuitSwitch>())
    {
        ocs->SetAttribute("Radix", UintegerValue(radix));
        auto node = CreateObject<Node>();
        node->AggregateObject(ocs);
        for (uint32_t port = 0; port < ports; ++port)
        {
            auto entry = CreateObject<OcsNetDevice>();
            entry->SetNode(node);
            node->AddDevice(entry);
            ocs->AddPort(entry);

            auto host = CreateObject<Node>();
            auto device = CreateObject<EthernetPortNetDevice>();
            device->SetAttribute("DataRate", StringValue("100Gbps"));
            device->SetAddress(Mac48Address::Allocate());
            device->SetNode(host);
            host->AddDevice(device);
            stations.push_back(std::make_unique<Station>());
            device->SetMacClient(stations.back().get());
            devices.push_back(device);

            auto fiber = CreateObject<OpticalFiberLink>();
            fibers.push_back(fiber);
            fiber->Attach(device);
            fiber->Attach(entry);
        }
        ocs->TraceConnectWithoutContext("ReconfigurationStart",
                                        MakeCallback(&OpticalRail::Start, this));
        ocs->TraceConnectWithoutContext("ReconfigurationEnd",
                                        MakeCallback(&OpticalRail::End, this));
        ocs->TraceConnectWithoutContext("CircuitUp", MakeCallback(&OpticalRail::Up, this));
        ocs->TraceConnectWithoutContext("CircuitDown", MakeCallback(&OpticalRail::Down, this));
        ocs->TraceConnectWithoutContext("BitsLost", MakeCallback(&OpticalRail::Lost, this));
    }

    ~OpticalRail()
    {
        Simulator::Destroy();
    }

    /// Send frames of 1000 bytes from a port, starting at a time from now.
    void Send(uint32_t port, uint32_t frames, Time after)
    {
        ScheduleCall(after, [this, port, frames] {
            stations[port]->toSend += frames;
            devices[port]->Kick();
        });
    }

    /// Make circuits at once, and let the light reach the stations.
    void Join(const CircuitSet& circuits)
    {
        TimeValue delay;
        ocs->GetAttribute("ReconfigurationDelay", delay);
        ocs->SetAttribute("ReconfigurationDelay", TimeValue(Time(0)));
        ocs->Reconfigure({}, circuits);
        Simulator::Stop(MicroSeconds(50));
        Simulator::Run();
        ocs->SetAttribute("ReconfigurationDelay", delay);
        for (auto& station : stations)
        {
            station->linkChanges.clear();
        }
        log.clear();
    }

    Ptr<OpticalCircuitSwitch> ocs;
    std::vector<Ptr<EthernetPortNetDevice>> devices;
    std::vector<Ptr<OpticalFiberLink>> fibers;
    std::vector<std::unique_ptr<Station>> stations;
    std::vector<std::string> log; //!< what the OCS has traced, but for lost bits
    uint64_t noCircuitBits{0};    //!< lost at a dark port
    uint64_t circuitDownBits{0};  //!< lost with a circuit

  private:
    static std::string ToString(const Circuit& circuit)
    {
        return std::to_string(circuit.a) + "-" + std::to_string(circuit.b);
    }

    static std::string ToString(const CircuitSet& drop, const CircuitSet& make)
    {
        std::string text;
        for (const auto& circuit : drop)
        {
            text += " -" + ToString(circuit);
        }
        for (const auto& circuit : make)
        {
            text += " +" + ToString(circuit);
        }
        return text;
    }

    void Start(Ptr<const OpticalCircuitSwitch>, const CircuitSet& drop, const CircuitSet& make)
    {
        log.push_back("start" + ToString(drop, make));
    }

    void End(Ptr<const OpticalCircuitSwitch>, const CircuitSet& drop, const CircuitSet& make)
    {
        log.push_back("end" + ToString(drop, make));
    }

    void Up(Ptr<const OpticalCircuitSwitch>, Circuit circuit)
    {
        log.push_back("up " + ToString(circuit));
    }

    void Down(Ptr<const OpticalCircuitSwitch>, Circuit circuit)
    {
        log.push_back("down " + ToString(circuit));
    }

    void Lost(Ptr<const OpticalCircuitSwitch>,
              uint32_t,
              uint64_t bits,
              OpticalCircuitSwitch::LossReason reason)
    {
        (reason == OpticalCircuitSwitch::NO_CIRCUIT ? noCircuitBits : circuitDownBits) += bits;
    }
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_OPTICAL_RAIL_H
