// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOVERY_COORDINATOR_H
#define PHOTONIC_RAILS_RECOVERY_COORDINATOR_H

#include "recovery-protocol.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <string>

namespace ns3
{

class ManagementPort;

/**
 * @brief Has a job go on when GPUs are lost: the RecoveryProtocol on the management network.
 *
 * An application on a node of its own. It knows by configuration where GPUs are, and hears of all
 * else by messages. It works on any fabric: one whose circuits follow the ranks has a controller,
 * which is asked to plan them, and on others ranks find each other by addresses.
 */
class RecoveryCoordinator : public Application
{
  public:
    static TypeId GetTypeId();

    static constexpr uint16_t PORT = 5817; //!< UDP port

    RecoveryCoordinator();
    ~RecoveryCoordinator() override;

    /// @param protocol what is said to whom
    void SetProtocol(const RecoveryProtocol& protocol);

    /// @param controller address and UDP port of the controller of the fabric
    void SetController(const Address& controller);

    /**
     * @param gpu a GPU
     * @param host address and UDP port of the RecoveryHost that it is linked to
     */
    void SetHost(uint32_t gpu, const Address& host);

    /// @return how far it has come
    const RecoveryProtocol& GetProtocol() const;

    /// TracedCallback signature of a GPU of which it hears that it is lost.
    typedef void (*LostTracedCallback)(uint32_t gpu);
    /// TracedCallback signature of a step: the state that begins.
    typedef void (*StepTracedCallback)(const RecoveryProtocol& protocol);
    /// TracedCallback signature of a job that has failed, and why.
    typedef void (*JobFailedTracedCallback)(uint32_t job, const std::string& reason);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void HandleMessage(const Address& from, const OpusMessage& message);
    void Send(const RecoveryProtocol::Letters& letters);

    RecoveryProtocol m_protocol;
    Address m_controller;
    std::map<uint32_t, Address> m_hosts; //!< by GPU
    Ptr<ManagementPort> m_network;       //!< of the node, from the start on

    TracedCallback<uint32_t> m_lost;
    TracedCallback<const RecoveryProtocol&> m_step;
    TracedCallback<uint32_t, const std::string&> m_jobFailed;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_COORDINATOR_H
