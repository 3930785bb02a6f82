// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_REPORT_H
#define PHOTONIC_RAILS_TRAINING_REPORT_H

#include "ns3/application-container.h"
#include "ns3/fabric-probe.h"
#include "ns3/fault-injector.h"
#include "ns3/html-page.h"
#include "ns3/ocs-port-log.h"
#include "ns3/opus-helper.h"
#include "ns3/output-file.h"
#include "ns3/output-settings.h"
#include "ns3/rail-cluster.h"
#include "ns3/run-summary.h"
#include "ns3/timeline-recorder.h"
#include "ns3/training-recorder.h"
#include "ns3/training-settings.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @brief The timeline of a training job on a cluster.
 *
 * It connects a TimelineRecorder to its trace sources and its file.
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
    /**
     * @param ranks the TrainingApplications; their ports are looked at, too
     * @param spares TrainingApplications of spare GPUs, which ranks may move to
     */
    void ObserveRanks(const ApplicationContainer& ranks, const ApplicationContainer& spares);
    /// @param opus that is installed on the cluster
    void ObserveControl(const OpusHelper& opus);
    /// @param injector before its Install
    void ObserveFaults(Ptr<FaultInjector> injector);

    /// @return the utilisation of links, to be started
    TimelineCounters& GetCounters()
    {
        return m_recorder.counters;
    }

    /**
     * @brief Write the rest; before Simulator::Destroy. Says so if the bound has been reached.
     * @param summary of the run, as far as the simulation has shown it
     * @return an empty string, or why the file could not be written
     */
    std::string Finish(const RunSummary& summary);

  private:
    /// @return ports of a rail's switch, spare GPUs included if any port is written
    TimelineSwitches::Ports GetPorts(uint32_t rail) const;
    /// Measure the ports of a rank's NIC.
    void ObserveNic(uint32_t rank, const std::string& name, Ptr<RdmaNic> nic);

    RailCluster m_cluster;
    OutputFile m_file;
    TimelineRecorder m_recorder;
};

/// Counters of the devices and controllers that this process simulates.
class RunCounters
{
  public:
    /// @param cluster of the run @return data packets that all NICs have sent
    static uint64_t CountPackets(const RailCluster& cluster);

    /**
     * @param cluster of the run
     * @return ports of switches with a fiber to a rail that this process simulates; a spare
     * replaces the ports of a rail
     */
    static uint64_t CountRailPorts(const RailCluster& cluster);

    /**
     * @brief Add the counters of NICs and switches. Devices of other processes have zeros here.
     * @param cluster of the run
     * @param share of this process
     */
    static void Add(const RailCluster& cluster, RunShare& share);

    /**
     * @brief Add the counters of a control plane.
     * @param opus control plane; adds nothing if it is not installed
     * @param sum of this process
     */
    static void Add(const OpusHelper& opus, ControlShare& sum);
};

/// Collects the data of the page of --report; does nothing without that flag.
class TrainingReport
{
  public:
    /// @param settings of the run; they must outlive this object
    explicit TrainingReport(const TrainingSettings& settings);

    /**
     * @param kept number of rails whose windows are kept in any case
     * @return number of rails whose windows must be kept
     */
    uint32_t GetRails(uint32_t kept) const;

    /// @param cluster before the simulation, which this object must outlive
    void Observe(const RailCluster& cluster);

    /**
     * @brief Collect the data at the end of the simulation.
     * @param cluster the observed cluster
     * @param layout domains and groups of the job
     * @param recorder of the run
     */
    void Take(const RailCluster& cluster,
              const RankLayout& layout,
              const TrainingRecorder& recorder);

    /**
     * @brief Write the page.
     * @param summary of the run; the wall time may be missing
     */
    std::string Write(const RunSummary& summary);

  private:
    /// Compute the cost of the network, or set the reason why it is not known.
    void FindCost();

    const TrainingSettings& m_settings;
    HtmlReport m_data;
    OcsPortLog m_ports;
    std::unique_ptr<FabricProbe> m_probe; //!< null: latency is not measured
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_REPORT_H
