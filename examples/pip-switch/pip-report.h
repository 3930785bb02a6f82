// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_REPORT_H
#define PHOTONIC_RAILS_PIP_REPORT_H

#include "ns3/pip-plan.h"
#include "ns3/report-value.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// How many cells light passes in a plan.
struct PipPlanCells
{
    double mean{0};    //!< over all circuits
    uint32_t least{0}; //!< of any
    uint32_t most{0};  //!< of any
};

/**
 * @param plan one that has passed its check
 * @return the cells that its light passes
 */
PipPlanCells CountPipPlanCells(const PipPlan& plan);

/**
 * @brief Plans of switches of programmable photonics side by side: matchings, cells that light
 * passes, the resulting delay and loss, and the time to plan. The JSON is documented in
 * doc/pip-switch-json.md.
 */
struct PipReport
{
    /// A quantity of light paths, over all circuits of a plan.
    struct Light
    {
        double mean{0};
        double most{0};
    };

    /// One switch.
    struct Row
    {
        uint32_t ports{0};
        uint32_t rows{0};             //!< of hexagons
        uint32_t columns{0};          //!< of hexagons
        uint32_t cells{0};            //!< of the mesh
        uint32_t freeEnds{0};         //!< of the mesh
        uint32_t least{0};            //!< matchings that any switch needs
        uint32_t lowerBound{0};       //!< matchings that this mesh needs, as far as that is proven
        uint32_t matchings{0};        //!< of the plan; 0 if there is none
        PipPlanCells passed;          //!< cells that light passes
        Light delay;                  //!< ps
        Light loss;                   //!< dB
        double seconds{0};            //!< to plan
        uint32_t smallerSide{0};      //!< rows and columns of a mesh that was too small; 0 if none
        uint32_t smallerMatchings{0}; //!< of the best plan there; 0 if there is none
        uint32_t smallerBound{0};     //!< that are proven to be needed there
        std::string error;            //!< why there is no plan
    };

    std::string solver;    //!< its name, or "none"
    std::vector<Row> rows; //!< in order of what was asked for

    /// @param os gets the names of the columns of the table for people
    void WriteHead(std::ostream& os) const;
    /**
     * @param os gets a line of the table for people
     * @param row the values of the line
     */
    static void WriteRow(std::ostream& os, const Row& row);
    /// @return a row for each switch, for plots
    CsvTable GetCsv() const;
    /// @param os gets the JSON object
    void WriteJson(std::ostream& os) const;
};

/**
 * @brief Where the light of all matchings of a plan passes, for pictures: a row for each cell in
 * each matching.
 * @param plan one that has passed its check
 * @return for each cell where its corners are, its state, the circuits whose light is at the ends
 * of its first corner, and the ports at its ends
 */
CsvTable MakePipLights(const PipPlan& plan);

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_REPORT_H
