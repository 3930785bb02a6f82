// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOVERY_RECORDER_H
#define PHOTONIC_RAILS_RECOVERY_RECORDER_H

#include "recovery-helper.h"

#include "ns3/iteration-log.h"
#include "ns3/object.h"
#include "ns3/run-recovery.h"
#include "ns3/traced-callback.h"
#include "ns3/training-recorder.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

class FaultInjector;

/// Notes when the steps of recoveries were done. It listens, and nothing depends on it.
class RecoveryRecorder : public Object
{
  public:
    static TypeId GetTypeId();

    RecoveryRecorder();
    ~RecoveryRecorder() override;

    /**
     * @param helper what has been installed
     * @param injector lets GPUs break
     * @param recorder is told when the job begins anew; it outlives the simulation
     */
    void Observe(const RecoveryHelper& helper,
                 Ptr<FaultInjector> injector,
                 TrainingRecorder& recorder);

    /**
     * @param log of the job
     * @return the recoveries that were completed, in order
     */
    std::vector<RunRecovery> GetRecoveries(const IterationLog& log) const;

  private:
    void Broke(const std::string& kind, const std::string& target);
    void Lost(uint32_t gpu);
    void Stepped(const RecoveryProtocol& protocol);
    /// Note which ranks are on other GPUs than before.
    void Move(const SparePool::Map& map);
    void Resumed(uint32_t gpu, uint32_t generation, uint32_t rank);

    TrainingRecorder* m_recorder{nullptr};
    std::map<uint32_t, Time> m_broken; //!< by GPU
    std::vector<uint32_t> m_lost;      //!< that no recovery counts yet
    SparePool::Map m_map;              //!< GPUs of ranks since the last recovery; empty: those of
                                       //!< the same numbers
    bool m_isUnderWay{false};
    RunRecovery m_current;
    std::vector<RunRecovery> m_done;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_RECORDER_H
