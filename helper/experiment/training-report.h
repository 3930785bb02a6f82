// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_REPORT_H
#define PHOTONIC_RAILS_TRAINING_REPORT_H

#include "ns3/fabric-probe.h"
#include "ns3/html-report.h"
#include "ns3/ocs-port-log.h"
#include "ns3/opus-helper.h"
#include "ns3/rail-cluster.h"
#include "ns3/run-share.h"
#include "ns3/training-recorder.h"
#include "ns3/training-settings.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/// What the devices and controllers of a run have counted, as far as they are simulated here.
class RunCounters
{
  public:
    /// @param cluster of the run @return data packets that all NICs have sent
    static uint64_t CountPackets(const RailCluster& cluster);

    /**
     * @param cluster of the run
     * @return ports of switches with a fibre to a rail that is simulated here; a spare has those of
     * a rail
     */
    static uint64_t CountRailPorts(const RailCluster& cluster);

    /**
     * @brief Add what NICs and switches have counted. Those of other processes have counted nothing
     * here.
     * @param cluster of the run
     * @param share of this process
     */
    static void Add(const RailCluster& cluster, RunShare& share);

    /**
     * @brief Add what a control plane has done.
     * @param opus that was installed, or nothing
     * @param sum of this process
     */
    static void Add(const OpusHelper& opus, ControlShare& sum);
};

/// Gathers what the page about a training job needs, if one is asked for; does nothing otherwise.
class TrainingReport
{
  public:
    /// @param settings of the run; they must outlive this object
    explicit TrainingReport(const TrainingSettings& settings);

    /**
     * @param kept rails that others want
     * @return rails of which windows are kept
     */
    uint32_t GetRails(uint32_t kept) const;

    /// @param cluster that has just been built; this object must outlive its simulation
    void Observe(const RailCluster& cluster);

    /**
     * @brief The simulation has ended.
     * @param cluster as it was observed
     * @param mesh of the job
     * @param recorder of the run
     */
    void Take(const RailCluster& cluster, const DeviceMesh& mesh, const TrainingRecorder& recorder);

    /**
     * @brief Write the page.
     * @param summary of the run, complete but for the time it took
     */
    void Write(const RunSummary& summary);

  private:
    /// Find what the network of the run costs, or say why that is not known.
    void FindCost();

    const TrainingSettings& m_settings;
    HtmlReportData m_data;
    OcsPortLog m_ports;
    std::unique_ptr<FabricProbe> m_probe; //!< null: latency is not measured
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_REPORT_H
