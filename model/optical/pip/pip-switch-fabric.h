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
 * @brief A circuit fabric made of programmable integrated photonics, as PipSwitch has it (Ding and
 * Singh, arXiv 2501.18136): a hexagonal mesh of cells in bar or cross state.
 *
 * Circuits that are up keep their light paths and the states of their cells; new ones are routed
 * around them, all that are made at once by negotiation. So what can be made depends on what is up:
 * a matching that fits into an idle mesh may not fit beside others. A light path's cells say how
 * long light takes and how much of it is lost.
 *
 * Which circuits fit is found by a heuristic: a circuit may be refused although there is a way.
 *
 * With a plan, each pair of ports has a light path of choice, that of the matching of the plan to
 * which it belongs. It is taken where it is free. So a matching of the plan, or some circuits of
 * one, can always follow another one, as rotors and schedules for AllToAll have it, and what is
 * asked for beside them is routed around them.
 */
class PipSwitchFabric : public CircuitFabric
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    PipSwitchFabric();
    ~PipSwitchFabric() override;

    uint32_t GetPorts() const override;
    std::string UsePorts(uint32_t ports) override;
    Ptr<CircuitFabric> Copy() const override;
    std::string Change(const CircuitSet& drop, const CircuitSet& make) override;
    void Clear() override;
    Time GetDelay(const Circuit& circuit) const override;
    double GetLoss(const Circuit& circuit) const override;

    /**
     * @brief Take mesh, ports and light paths of choice from a plan. Only while no circuit is up.
     * @param plan a plan
     * @return an empty string, or what the check of the plan says; then nothing has changed
     */
    std::string SetPlan(const PipPlan& plan);
    /// @return the matchings of the plan; none if there is no plan
    std::vector<CircuitSet> GetPlannedMatchings() const;

    /**
     * @param circuit one that is up
     * @return number of cells that its light passes
     */
    uint32_t GetCells(const Circuit& circuit) const;

    /// @return the circuits that are up, each with its lower port first, in order
    CircuitSet GetCircuits() const;

    /// @return the mesh
    const PipMesh& GetMesh() const;
    /// @return for each port its free end
    const std::vector<uint32_t>& GetPlaces() const;
    /// @return the states of all cells; those that no light passes are in bar state
    PipStates GetStates() const;

    /**
     * @param rows of hexagons
     * @param columns of hexagons
     * @param ports of the switch
     * @return an empty string, or why there is no such switch
     */
    static std::string CheckSize(uint32_t rows, uint32_t columns, uint32_t ports);

    /// Most ports of a switch.
    static constexpr uint32_t MAX_PORTS = 128;

  private:
    /// The ports of a circuit, the lower one first.
    using Key = std::pair<uint32_t, uint32_t>;

    /// What does not change while the fabric is used; copies share it.
    struct Layout
    {
        PipMesh mesh;
        std::vector<uint32_t> places;      //!< for each port its free end
        std::vector<CircuitSet> matchings; //!< of the plan
        std::map<Key, PipPath> planned;    //!< the light path of choice of each pair of ports
    };

    /// @return the key of a circuit
    static Key GetKey(const Circuit& circuit);
    /// Make the mesh, if there is none for the size that is set.
    void Lay() const;
    /// @return paths for circuits, none of them up, beside those that are; empty if not all are
    /// found
    std::vector<PipPath> FindPaths(const CircuitSet& make, std::size_t& missing);
    /// Take matchings and light paths of choice from a plan.
    static void Adopt(const PipPlan& plan, Layout& layout);
    /// With a plan or without: it is made anew when it is needed.
    void SetPlanned(bool isPlanned);
    /// Another size: the mesh is made anew when it is needed.
    void SetRows(uint32_t rows);
    void SetColumns(uint32_t columns);
    void SetPorts(uint32_t ports);
    /// Forget the mesh; only an idle fabric can.
    void Forget();
    /// @return why a change cannot be asked for, or an empty string
    std::string Check(const CircuitSet& drop, const CircuitSet& make) const;

    uint32_t m_rows{0};
    uint32_t m_columns{0};
    uint32_t m_ports{0};
    double m_cellLength{0};   //!< micrometres
    double m_groupIndex{0};   //!< of the waveguides
    double m_cellLoss{0};     //!< dB
    double m_couplingLoss{0}; //!< dB, of one port
    uint32_t m_negotiation{0};
    bool m_isPlanned{false};

    mutable std::shared_ptr<const Layout> m_layout;
    mutable std::unique_ptr<PipRouter> m_router;
    std::map<Key, PipPath> m_paths; //!< of the circuits that are up
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_SWITCH_FABRIC_H
