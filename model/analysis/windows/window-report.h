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
 * @brief How long the windows between the phases of a job are, rail by rail, and what follows them:
 * Fig. 4 of "Photonic Rails in ML Datacenters" (arXiv 2507.08119). A pure function of windows.
 *
 * The windows of a rail are those of one rank of each of its stages, in all iterations but the
 * first few.
 */
class WindowReport
{
  public:
    /// How the windows of one rail are distributed.
    struct Rail
    {
        std::size_t number{0};    //!< of the rail
        std::vector<Time> sorted; //!< all of them, the shortest first
        double shareAbove{0};     //!< of windows longer than the threshold
        double distance{0};       //!< largest difference of its CDF to that of the first rail

        /**
         * @param share above 0 and at most 1
         * @return the shortest window that at least this share of all do not exceed; zero of none
         */
        Time GetQuantile(double share) const;
    };

    /// Windows that phases of one kind and volume follow.
    struct Following
    {
        std::string name;       //!< "fsdp AllGather"; empty for all below SMALL
        uint64_t bytes{0};      //!< least volume of a phase
        uint64_t mostBytes{0};  //!< largest volume of a phase
        std::vector<Time> each; //!< the windows, the shortest first
        double perIteration{0}; //!< how many there are in an iteration

        /// @return their sum over their number
        Time GetMean() const;
    };

    /// Phases of fewer bytes are one class, whatever they are: 1 MiB, as in Fig. 4b.
    static constexpr uint64_t SMALL = uint64_t{1} << 20;
    /// Volumes of one name are a class if the largest is at most this times the least.
    static constexpr double SPREAD = 1.05;

    /**
     * @param rails windows of each rail
     * @param firstIteration windows of earlier ones are left out, and those of iterations that
     * RailPhases does not keep
     * @param iterations how many there are in all
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

    /// @return what follows the windows of the first rail, from the least volume on
    const std::vector<Following>& GetFollowing() const
    {
        return m_following;
    }

    /// @return per stage, windows of its rank on the first rail in an iteration, on average
    std::vector<double> GetWindowsPerIteration() const;

    /// @return an object with the tables of rails and of what follows on the first of them
    ReportValue MakeTables() const;

    /// Write tables for people.
    void WriteTable(std::ostream& os) const;

    /// Write every window as comma-separated values: rail, stage, iteration and what follows.
    void WriteCsv(std::ostream& os) const;

  private:
    /// @return the distribution on a rail
    Rail MakeRail(const RailWindows& windows) const;
    /// Find the classes of what follows on the first rail.
    void FindFollowing();
    /// @return windows of a rail that count
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
