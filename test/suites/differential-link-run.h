// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DIFFERENTIAL_LINK_RUN_H
#define PHOTONIC_RAILS_DIFFERENTIAL_LINK_RUN_H

#include "differential-link-scenario.h"
#include "differential-record.h"

#include "ns3/circuit-fabric.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/optical-fiber-link.h"
#include "ns3/rdma-connection.h"

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/// Carries out a LinkScenario.
class LinkRun
{
  public:
    /**
     * @param scenario nodes, messages and disturbances
     * @param mode of the run
     */
    LinkRun(const LinkScenario& scenario, const RunMode& mode);

    /// @return the record of the run
    Record Run();

  private:
    /// One end of a flow.
    struct End
    {
        uint32_t nic{0};
        std::vector<Ptr<RdmaQueuePair>> queuePairs;
        Ptr<RdmaConnection> connection; //!< null if posts go to the one queue pair
    };

    using Ends = std::array<End, 2>;

    void Build();
    void BuildNic(uint32_t nic);
    void Cable();
    /// Make all flows that are there from the start, and let the others be made later.
    void BuildFlows();
    void Create(uint32_t flow);
    void Watch(uint32_t flow, uint32_t end);
    void WatchNic(uint32_t nic);
    void WatchRepeats(uint32_t flow, uint32_t end);
    /// Let everything happen at its time.
    void Prepare();
    /// Let the packets of IP stacks be sent at their times.
    void PreparePackets();
    /// @return when an action is due
    Time GetTime(const LinkScenario::Action& action) const;

    void Post(uint32_t message);
    /// Post the messages that a message triggers.
    void Follow(uint32_t message, LinkScenario::Trigger trigger);
    void Act(uint32_t index);
    void Pause(const LinkScenario::Action& action);
    void Resume(uint32_t flow, uint32_t end);
    void SetAttribute(const LinkScenario::Action& action);
    void SetErrors(const LinkScenario::Action& action);
    void Switch(const LinkScenario::Action& action);
    void Command(const CircuitSet& drop, const CircuitSet& make);
    void Trace(uint32_t nic, uint32_t port, Time duration);
    void Capture(uint32_t nic, uint32_t port);
    void SendPfc(const LinkScenario::Action& action);
    /// Note all counts of a NIC.
    void Read(uint32_t nic);

    /// Schedule a function on a NIC's node after a delay.
    void After(Time delay, uint32_t nic, std::function<void()> what);
    /// @return the circuits of a link
    CircuitSet GetCircuits(uint32_t a, uint32_t b, uint32_t port) const;
    EthernetPortNetDevice& GetPort(uint32_t nic, uint32_t port);
    void Note(uint32_t nic, const std::string& text);

    const LinkScenario& m_scenario;
    RunMode m_mode;
    Record m_record;
    PacketTraffic m_packets{m_record};
    std::vector<Ptr<Node>> m_nodes;
    std::vector<Ptr<RdmaNic>> m_nics;
    Ptr<OpticalCircuitSwitch> m_ocs;
    std::vector<Ends> m_flows;
    std::vector<bool> m_followed;               //!< by message: posted
    std::map<std::string, std::string> m_files; //!< captures: what they hold, and their names
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_DIFFERENTIAL_LINK_RUN_H
