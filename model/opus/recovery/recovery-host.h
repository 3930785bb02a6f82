// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOVERY_HOST_H
#define PHOTONIC_RAILS_RECOVERY_HOST_H

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/host-link.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <memory>

namespace ns3
{

class ManagementPort;

/**
 * @brief The host of a scale-up domain in a recovery, as the agent of an elastic framework: detects
 * lost GPUs, keeps the states of ranks and forwards messages.
 *
 * A GPU whose link has been down for DetectionTime counts as lost. The host reports the loss to the
 * coordinator, with the number of iterations that the rank of the GPU had ended: their state is in
 * the memory of the host.
 */
class RecoveryHost : public Application
{
  public:
    static TypeId GetTypeId();

    static constexpr uint16_t PORT = 5816; //!< UDP port

    /// @param coordinator address and UDP port of the RecoveryCoordinator
    void SetCoordinator(const Address& coordinator)
    {
        m_coordinator = coordinator;
    }

    /**
     * @param device the host's end of the link to a GPU
     * @param gpu number of the GPU
     */
    void AddGpu(Ptr<NetDevice> device, uint32_t gpu);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void HandleGpu(uint32_t gpu, const OpusMessage& message);
    void HandleCoordinator(const Address& from, const OpusMessage& message);
    void ReportLoss(uint32_t gpu);

    Time m_detectionTime;
    Address m_coordinator;
    Ptr<ManagementPort> m_network; //!< management port of the node, set at the start
    std::map<uint32_t, std::unique_ptr<HostLink>> m_links; //!< by GPU
    std::map<uint32_t, uint32_t> m_iterations; //!< iterations that ranks have ended, by GPU
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_HOST_H
