// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_TIMELINE_H
#define PHOTONIC_RAILS_TRAINING_TIMELINE_H

#include "ns3/application-container.h"
#include "ns3/fault-injector.h"
#include "ns3/opus-helper.h"
#include "ns3/output-file.h"
#include "ns3/output-settings.h"
#include "ns3/rail-cluster.h"
#include "ns3/run-summary.h"
#include "ns3/timeline-recorder.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @brief The timeline of a training job on a cluster, if one is wanted; otherwise it does nothing.
 *
 * It joins a TimelineRecorder with what it listens to, and with its file.
 */
class TrainingTimeline
{
  public:
    /**
     * @param settings that passed their Check
     * @param cluster on which the job runs, in this process alone
     * @param layout domains and groups of the job
     */
    TrainingTimeline(const TimelineSettings& settings,
                     const RailCluster& cluster,
                     const RankLayout& layout);

    /// Listen to optical circuit switches; before circuits are installed.
    void ObserveSwitches();
    /// @param ranks the TrainingApplications; their ports are looked at, too
    void ObserveRanks(const ApplicationContainer& ranks);
    /// @param spares TrainingApplications of spare GPUs, which ranks may move to
    void ObserveSpares(const ApplicationContainer& spares);
    /// @param opus that is installed on the cluster
    void ObserveControl(const OpusHelper& opus);
    /// @param injector before its Install
    void ObserveFaults(Ptr<FaultInjector> injector);
    /**
     * @brief Look at links in bins; see TimelineCounters.
     * @param isRunning whether the job has not ended
     * @param countOthers counts the simulator's events of other observers
     */
    void Start(std::function<bool()> isRunning, std::function<uint64_t()> countOthers);
    /// @return simulator events that it has caused
    uint64_t GetEvents() const;

    /**
     * @brief Write the rest; before Simulator::Destroy. Says so if the bound has been reached.
     * @param summary of the run, as far as the simulation has shown it
     * @return an empty string, or why the file could not be written
     */
    std::string Finish(const RunSummary& summary);

  private:
    /// @return ports of a rail's switch
    TimelineSwitches::Ports GetPorts(uint32_t rail) const;
    /// Add the ports of spare GPUs to those of a rail's switch.
    void AddSparePorts(uint32_t rail, TimelineSwitches::Ports& ports) const;
    /// Measure the ports of a rank's NIC.
    void ObserveNic(uint32_t rank, const std::string& name, Ptr<RdmaNic> nic);

    RailCluster m_cluster;
    std::unique_ptr<OutputFile> m_file;           //!< null: no timeline is wanted
    std::unique_ptr<TimelineRecorder> m_recorder; //!< null: no timeline is wanted
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_TIMELINE_H
