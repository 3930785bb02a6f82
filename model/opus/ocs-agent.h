// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OCS_AGENT_H
#define PHOTONIC_RAILS_OCS_AGENT_H

#include "opus-message.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

class ManagementPort;
class OpticalCircuitSwitch;

/**
 * @brief The management agent of an optical circuit switch, an application on its node.
 *
 * It listens on the management network, carries out the commands it is sent on the
 * OpticalCircuitSwitch aggregated to the node, and reports when there is light or why not.
 */
class OcsAgent : public Application
{
  public:
    static TypeId GetTypeId();

    OcsAgent();
    ~OcsAgent() override;

    /// @return commands carried out and commands refused by the switch
    uint64_t GetCommands() const;
    /// @return messages that could not be read or made no sense here
    uint64_t GetMalformed() const;

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void HandleMessage(const Address& from, const OpusMessage& message);
    void Report(Address to, uint64_t command, Time begin);

    uint16_t m_port{0};
    Ptr<ManagementPort> m_network; //!< of the node
    uint64_t m_commands{0};
    uint64_t m_malformed{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OCS_AGENT_H
