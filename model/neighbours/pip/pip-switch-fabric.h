// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_SWITCH_FABRIC_H
#define PHOTONIC_RAILS_PIP_SWITCH_FABRIC_H

#include "pip-mesh.h"
#include "pip-plan.h"
#include "pip-router.h"

#include "ns3/circuit-fabric.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief A circuit fabric of programmable integrated photonics, as in PipSwitch (Ding and Singh,
 * arXiv 2501.18136): a hexagonal mesh of cells in bar or cross state.
 *
 * Present circuits keep their light paths and the states of their cells. New circuits are routed
 * around them, all circuits of a change together by negotiation. Whether a matching is possible
 * therefore depends on the present circuits. The cells on a light path determine its delay and
 * loss.
 *
 * Routing is a heuristic: a circuit may be refused although a light path exists.
 *
 * With a plan, each pair of ports has a preferred light path, that of its matching in the plan,
 * which is used if it is free. A matching of the plan, or a part of one, can therefore always
 * follow another one, as in rotors and schedules for AllToAll. Other circuits are routed around
 * them.
 */
class PipSwitchFabric : public CircuitFabric
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    uint32_t GetPorts() const override
    {
        return m_ports;
    }

    std::string UsePorts(uint32_t ports) override;
    Ptr<CircuitFabric> Copy() const override;
    std::string Change(const CircuitSet& drop, const CircuitSet& make) override;
    void Clear() override;
    /// Find a plan, if there is none, and use it. @return its matchings
    std::vector<CircuitSet> PlanMatchings() override;
    Time GetDelay(const Circuit& circuit) const override;
    double GetLoss(const Circuit& circuit) const override;

    /**
     * @brief Use mesh, ports and preferred light paths of a plan. Requires an idle fabric.
     * @param plan a plan
     * @return an empty string; or, without a change, the error of PipPlan::Check
     */
    std::string SetPlan(const PipPlan& plan);
    /// @return the matchings of the plan; empty without a plan
    std::vector<CircuitSet> GetPlannedMatchings() const;

    /**
     * @param circuit a present circuit
     * @return number of cells on its light path
     */
    uint32_t GetCells(const Circuit& circuit) const;

    /// @return the present circuits in order, with the lower port first
    CircuitSet GetCircuits() const;

    /// @return the mesh
    const PipMesh& GetMesh() const;
    /// @return the free end of each port
    const std::vector<uint32_t>& GetPlaces() const;
    /// @return the states of all cells; cells without light are in bar state
    PipStates GetStates() const;

    /**
     * @param rows rows of hexagons
     * @param columns columns of hexagons
     * @param ports ports of the switch
     * @return an empty string, or the reason for which there is no such switch
     */
    static std::string CheckSize(uint32_t rows, uint32_t columns, uint32_t ports);

    /// Maximum number of ports of a switch.
    static constexpr uint32_t MAX_PORTS = 128;

  private:
    /// The ports of a circuit, the lower one first.
    using Key = std::pair<uint32_t, uint32_t>;

    /// The immutable part of a fabric, which copies share.
    struct Layout
    {
        PipMesh mesh;
        std::vector<uint32_t> places;      //!< the free end of each port
        std::vector<CircuitSet> matchings; //!< matchings of the plan
        std::map<Key, PipPath> planned;    //!< preferred light path of each pair of ports
    };

    /// @return the key of a circuit
    static Key GetKey(const Circuit& circuit);
    /// Create the mesh for the attributes, unless it exists.
    void Lay() const;
    /// @return paths for new circuits in addition to the present ones; empty if a path is not found
    std::vector<PipPath> FindPaths(const CircuitSet& make, std::size_t& missing);
    /// Take places, matchings and preferred light paths from a plan for a mesh.
    void Adopt(PipMesh mesh, const PipPlan& plan) const;
    /// Enable or disable the plan and discard the mesh.
    void SetPlanned(bool isPlanned);
    /// Set the size and discard the mesh.
    void SetRows(uint32_t rows);
    void SetColumns(uint32_t columns);
    void SetPorts(uint32_t ports);
    /// Discard the mesh, which requires an idle fabric.
    void Forget();
    /// @return an empty string, or the reason for which a change is invalid
    std::string Check(const CircuitSet& drop, const CircuitSet& make) const;

    uint32_t m_rows{0};
    uint32_t m_columns{0};
    uint32_t m_ports{0};
    double m_cellLength{0};   //!< micrometres
    double m_groupIndex{0};   //!< group index of the waveguides
    double m_cellLoss{0};     //!< dB
    double m_couplingLoss{0}; //!< dB per port
    uint32_t m_negotiation{0};
    bool m_isPlanned{false};

    mutable std::shared_ptr<const Layout> m_layout;
    mutable std::unique_ptr<PipRouter> m_router;
    std::map<Key, PipPath> m_paths; //!< light paths of the present circuits
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_SWITCH_FABRIC_H
