// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OCS_AGENT_H
#define PHOTONIC_RAILS_OCS_AGENT_H

#include "message-server.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{

class ManagementPort;
class OpticalCircuitSwitch;

/**
 * @brief The management agent of an optical circuit switch, an application on its node.
 *
 * It listens on the management network, carries out the commands it is sent on the
 * OpticalCircuitSwitch aggregated to the node, and reports when there is light or why not.
 *
 * A command is read, one message at a time (MessageTime), and then takes a while until the switch
 * begins to act (CommandLatency): its software checks it and computes positions of mirrors, for
 * several commands at once. Commands keep their order. The duration that is reported is all of the
 * time from the arrival of the command to light.
 */
class OcsAgent : public Application
{
  public:
    static TypeId GetTypeId();

    OcsAgent();
    ~OcsAgent() override;

    /**
     * @brief Name a controller: commands of all that have not been named are then ignored. Without
     * this, anybody's are carried out.
     * @param controller address and UDP port
     */
    void AddController(const Address& controller);

    /// @return commands carried out and commands refused by the switch
    uint64_t GetCommands() const;
    /// @return messages that could not be read or made no sense here
    uint64_t GetMalformed() const;

    /// @return commands that did not come from a controller, and were ignored
    uint64_t GetForeign() const;

    /// @return what its processor has done
    const MessageServer::Stats& GetServerStats() const;

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void HandleMessage(const Address& from, const OpusMessage& message);
    void Serve(const OpusArrival& arrival);
    /// Let the switch act.
    void Act(OpusArrival arrival, Time begin);
    void Report(Address to, uint64_t command, Time begin);

    uint16_t m_port{0};
    Time m_messageTime;
    Time m_byteTime;
    Time m_latency;
    MessageServer m_server;
    std::deque<Time> m_arrivals;   //!< of the messages that the server has
    Ptr<ManagementPort> m_network; //!< of the node
    uint64_t m_commands{0};
    uint64_t m_malformed{0};
    uint64_t m_foreign{0};
    std::vector<Address> m_controllers;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OCS_AGENT_H
