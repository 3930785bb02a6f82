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
 * @brief Restarts a job after the loss of GPUs: runs the RecoveryProtocol on the management
 * network.
 *
 * An application on a separate node. The locations of GPUs are configured; messages deliver all
 * other information. The coordinator works on any fabric. If circuits follow the ranks, the fabric
 * has a controller, and the coordinator requests new circuit plans from it. On other fabrics ranks
 * reach each other by address.
 */
class RecoveryCoordinator : public Application
{
  public:
    static TypeId GetTypeId();

    static constexpr uint16_t PORT = 5817; //!< UDP port

    /// @param protocol state machine that decides on the messages
    void SetProtocol(const RecoveryProtocol& protocol)
    {
        m_protocol = protocol;
    }

    /// @param controller address and UDP port of the controller of the fabric
    void SetController(const Address& controller)
    {
        m_controller = controller;
    }

    /**
     * @param gpu a GPU
     * @param host address and UDP port of the RecoveryHost with the link to the GPU
     */
    void SetHost(uint32_t gpu, const Address& host)
    {
        m_hosts[gpu] = host;
    }

    /// @return the protocol with its current state
    const RecoveryProtocol& GetProtocol() const
    {
        return m_protocol;
    }

    /// TracedCallback signature of a GPU that is reported lost.
    typedef void (*LostTracedCallback)(uint32_t gpu);
    /// TracedCallback signature of a step: the new state.
    typedef void (*StepTracedCallback)(const RecoveryProtocol& protocol);
    /// TracedCallback signature of a failed job, with the reason.
    typedef void (*JobFailedTracedCallback)(uint32_t job, const std::string& reason);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void HandleMessage(const Address& from, const OpusMessage& message);
    void Send(const RecoveryProtocol::Outputs& outputs);

    RecoveryProtocol m_protocol;
    Address m_controller;
    std::map<uint32_t, Address> m_hosts; //!< by GPU
    Ptr<ManagementPort> m_network;       //!< management port of the node, set at the start

    TracedCallback<uint32_t> m_lost;
    TracedCallback<const RecoveryProtocol&> m_step;
    TracedCallback<uint32_t, const std::string&> m_jobFailed;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_COORDINATOR_H
