// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STRAGGLER_EXPERIMENT_H
#define PHOTONIC_RAILS_STRAGGLER_EXPERIMENT_H

#include "straggler-settings.h"

#include "ns3/collective-algorithm.h"

#include <optional>
#include <ostream>
#include <string>

namespace ns3
{

/**
 * @brief AllReduces with one rank that is late, by several algorithms.
 *
 * On photonic rails two ways are compared: a ring whose circuits are set up before, and stragglar,
 * each pair of which asks Opus for circuits in each round (StragglarCalls). On all other fabrics an
 * AllReduce is one call on one group, which knows the straggler.
 *
 * Beside each time stands that of the alpha-beta model, whose alpha and beta are measured on the
 * idle fabric (FabricLinks): alpha once for messages of full packets and once for those without
 * data, which switches store for less. For a round on circuits that are lent, alpha is taken from
 * the same calls without data.
 */
class StragglerExperiment
{
  public:
    /// @param settings settings that passed their Check, which this object refers to
    explicit StragglerExperiment(const StragglerSettings& settings);

    /**
     * @brief Make all plans, and run all points unless --planOnly is set.
     * @param os gets the tables as they come
     * @param report gets plans and rows
     * @return an empty string, or the error
     */
    std::string Run(std::ostream& os, StragglerReport& report) const;

  private:
    /// One AllReduce and the fabric that it runs on.
    struct Point
    {
        uint32_t ranks;
        Variant<CollectiveAlgorithm> algorithm;
        uint64_t bytes;
    };

    /// The parameters of a fabric in the model.
    struct Links
    {
        AlphaBeta data;      //!< of messages of full packets
        double callAlpha{0}; //!< seconds from the start of a message without data to its arrival
    };

    /// @return the idle fabric between two of a number of ranks
    Links MeasureLinks(uint32_t ranks) const;
    /// Make the plan for a number of ranks, if there is one.
    static void AddPlan(uint32_t ranks, StragglerReport& report);
    /// @return an empty string, or why an algorithm cannot be used
    std::string CheckPoint(const Point& point) const;
    /// Run all delays of a point. @return an empty string, or the error
    std::string RunPoint(const Point& point,
                         const Links& links,
                         std::ostream& os,
                         StragglerReport& report) const;
    /// @return rounds of an algorithm; of stragglar after the arrival of the straggler
    static uint32_t GetRounds(const RankContext& part, Variant<CollectiveAlgorithm> algorithm);
    /**
     * @param part the AllReduce
     * @param algorithm that carries it out
     * @param links the fabric
     * @param delay by which the straggler is late
     * @param lent latency of a round and of the grant of its circuits, if they are lent
     * @return seconds from the call of the others to the end
     */
    static double GetModel(const RankContext& part,
                           Variant<CollectiveAlgorithm> algorithm,
                           const Links& links,
                           Time delay,
                           std::optional<double> lent);
    /// Run one AllReduce. @return false if it came to a standstill
    bool Simulate(const Point& point, StragglerReport::Row& row) const;
    /// @return true if circuits are lent to the pairs of a point
    bool IsLent(const Point& point) const;
    /// @return the part of a rank in the AllReduce
    RankContext MakePart(const Point& point) const;

    const StragglerSettings& m_settings;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STRAGGLER_EXPERIMENT_H
