// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_WINDOW_REPORT_H
#define PHOTONIC_RAILS_WINDOW_REPORT_H

#include "rail-phases.h"

#include "ns3/nstime.h"
#include "ns3/report-value.h"

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The durations of the windows on each rail, and the phases that follow the windows: Fig. 4
 * of "Photonic Rails in ML Datacenters" (arXiv 2507.08119). A pure function of windows.
 *
 * The windows of a rail are the windows of one rank of each stage, in all iterations but the first
 * few.
 */
class WindowReport
{
  public:
    /// The distribution of the windows of one rail.
    struct Rail
    {
        std::size_t number{0};    //!< index of the rail
        std::vector<Time> sorted; //!< all windows, the shortest first
        double shareAbove{0};     //!< share of the windows longer than the threshold
        double distance{0};       //!< largest difference of its CDF to that of the first rail

        /**
         * @param share above 0 and at most 1
         * @return the shortest window that at least this share of the windows do not exceed; zero
         * without windows
         */
        Time GetQuantile(double share) const;
    };

    /// The windows before phases of one kind and volume.
    struct Following
    {
        std::string name;       //!< "fsdp AllGather"; empty for all below SMALL
        uint64_t bytes{0};      //!< least volume of a phase
        uint64_t mostBytes{0};  //!< largest volume of a phase
        std::vector<Time> each; //!< the windows, the shortest first
        double perIteration{0}; //!< number of windows in an iteration

        /// @return the mean of the windows
        Time GetMean() const;
    };

    /// All phases of fewer bytes form one class: 1 MiB, as in Fig. 4b.
    static constexpr uint64_t SMALL = uint64_t{1} << 20;
    /// Volumes of one name form a class if the largest is at most so many times the smallest.
    static constexpr double SPREAD = 1.05;

    /**
     * @param rails windows of each rail
     * @param firstIteration the first iteration whose windows count; RailPhases does not keep all
     * iterations
     * @param iterations number of iterations of the job
     * @param threshold for Rail::shareAbove
     */
    WindowReport(std::vector<RailWindows> rails,
                 uint32_t firstIteration,
                 uint32_t iterations,
                 Time threshold);

    /// @return the rails, in order
    const std::vector<Rail>& GetRails() const
    {
        return m_rails;
    }

    /// @return the classes of phases after the windows of the first rail, by ascending volume
    const std::vector<Following>& GetFollowing() const
    {
        return m_following;
    }

    /// @return for each stage the mean number of windows in an iteration on the first rail
    std::vector<double> GetWindowsPerIteration() const;

    /// @return an object with the tables of rails and of the phases after windows on the first rail
    ReportValue MakeTables() const;

    /// Write text tables.
    void WriteTable(std::ostream& os) const;

    /// Write every window as comma-separated values: rail, stage, iteration and next phase.
    void WriteCsv(std::ostream& os) const;

  private:
    /// @return the distribution on a rail
    Rail MakeRail(const RailWindows& windows) const;
    /// Find the classes of phases after the windows of the first rail.
    void FindFollowing();
    /// @return the windows of a rail from the first counted iteration on
    std::vector<PhaseWindow> Select(const RailWindows& windows) const;

    std::vector<RailWindows> m_windows;
    uint32_t m_firstIteration;
    uint32_t m_iterations;
    Time m_threshold;
    std::vector<Rail> m_rails;
    std::vector<Following> m_following;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_WINDOW_REPORT_H
