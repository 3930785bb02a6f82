// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ALGORITHM_CHOICE_H
#define PHOTONIC_RAILS_ALGORITHM_CHOICE_H

#include "collective-algorithm.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The algorithm of a group for each kind of collective, as NCCL_ALGO selects it.
 *
 * A group has connectors for the algorithms chosen here. A call of a kind without a choice uses the
 * default (CollectiveAlgorithm::GetDefault) and requires that its connectors exist for other kinds.
 */
class CollectiveAlgorithms
{
  public:
    /// @return the kinds of collectives that a whole group takes part in
    static const std::vector<CollectiveKind>& GetKinds();

    /// @return a choice of rings for every kind that rings can carry out
    static CollectiveAlgorithms Rings();

    /**
     * @brief Choose.
     * @param kind a collective of a whole group
     * @param algorithm how it is carried out
     * @return this choice, so that several can follow each other
     */
    CollectiveAlgorithms& Choose(CollectiveKind kind, Variant<CollectiveAlgorithm> algorithm);

    /**
     * @param kind a collective of a whole group
     * @return true if an algorithm has been chosen for the kind
     */
    bool IsChosen(CollectiveKind kind) const;

    /**
     * @param kind a collective of a whole group
     * @return how it is carried out
     */
    Variant<CollectiveAlgorithm> Get(CollectiveKind kind) const;

    /**
     * @param shape a group
     * @return an empty string, or which of the chosen algorithms cannot serve it and why
     */
    std::string Check(const GroupShape& shape) const;

    /**
     * @param shape a group
     * @param index one of its ranks
     * @return the connectors that the chosen algorithms need, sorted, each once
     */
    std::vector<CollectiveConnectorId> GetConnectors(const GroupShape& shape, uint32_t index) const;

  private:
    static constexpr std::size_t KINDS = 6; //!< kinds that are not point-to-point

    /// @return the place of a kind; aborts if it is point-to-point
    static std::size_t GetPlace(CollectiveKind kind);

    std::array<std::optional<Variant<CollectiveAlgorithm>>, KINDS> m_chosen; //!< by kind
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ALGORITHM_CHOICE_H
