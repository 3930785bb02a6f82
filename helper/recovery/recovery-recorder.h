// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOVERY_RECORDER_H
#define PHOTONIC_RAILS_RECOVERY_RECORDER_H

#include "recovery-helper.h"

#include "ns3/object.h"
#include "ns3/recovery-report.h"
#include "ns3/traced-callback.h"
#include "ns3/training-recorder.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

class FaultInjector;

/// Records the times of the steps of recoveries. The recorder does not influence the simulation.
class RecoveryRecorder : public Object
{
  public:
    static TypeId GetTypeId();

    RecoveryRecorder();
    ~RecoveryRecorder() override;

    /**
     * @brief Connect to the trace sources of a recovery.
     * @param helper helper after Install
     * @param injector source of GPU faults
     * @param recorder notified when the job restarts; must outlive the simulation
     */
    void Observe(const RecoveryHelper& helper,
                 Ptr<FaultInjector> injector,
                 TrainingRecorder& recorder);

    /**
     * @param log iterations of the job
     * @return the completed recoveries, in order
     */
    std::vector<RunRecovery> GetRecoveries(const IterationLog& log) const;

  private:
    void Broke(const std::string& kind, const std::string& target);
    void Lost(uint32_t gpu);
    void Stepped(const RecoveryProtocol& protocol);
    /// Record the ranks whose GPU has changed.
    void Move(const SparePool::Map& map);
    void Resumed(uint32_t gpu, uint32_t generation, uint32_t rank);

    TrainingRecorder* m_recorder{nullptr};
    std::map<uint32_t, Time> m_broken; //!< by GPU
    std::vector<uint32_t> m_lost;      //!< lost GPUs not yet assigned to a recovery
    SparePool::Map m_map; //!< GPUs of ranks since the last recovery; empty while rank i is on GPU i
    bool m_isUnderWay{false};
    RunRecovery m_current;
    std::vector<RunRecovery> m_done;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_RECORDER_H
