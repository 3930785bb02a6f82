// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_BCUBE_PLAN_H
#define PHOTONIC_RAILS_BCUBE_PLAN_H

#include "ns3/circuit-planner.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A rail of several levels of optical circuit switches, for more GPUs than one switch has
 * ports, and circuits for groups on the rail: pure functions.
 *
 * **Cabling.** As in BCube (Guo et al., SIGCOMM 2009), which the Photonic Rails paper (arXiv
 * 2507.08119, section 4) names for further scalability "at the cost of requiring more server
 * ports". A GPU has an address of L digits, digit l below n_l, and p ports at each level. A switch
 * of level l joins the n_l GPUs whose addresses differ in digit l only: port p d + k of the switch
 * leads to the k-th port of the GPU with digit d. In the order of the NIC, port l p + k is the k-th
 * port at level l.
 *
 * **Size.** With switches of radix R and n = R / p (rounded down) at each of the L levels,
 *
 *     GPUs of a rail = n^L,   switches of a rail = L n^(L-1),   ports of a GPU = L p
 *
 * There are as many rails as GPUs in a scale-up domain. For L = 1 and p = 2 the size is the R / 2
 * of Table 3 of the paper. The paper has no formula for more levels; the power is from BCube.
 * Levels may differ in size; the number of GPUs is then the product of the n_l.
 *
 * **Groups.** Two GPUs can have a circuit if their addresses differ in one digit. A group is a box
 * if it consists of all addresses with digit l from a set D_l. Circuits for boxes are planned level
 * by level:
 *
 * - Rings at all levels at the same time, each through the ranks that differ in digit l only: each
 *   level has its own ports. A collective runs through the levels one after the other.
 * - One ring through all ranks, in which neighbours differ in one digit, as in a cyclic Gray code.
 * - An AllToAll in L phases. In phase l a rank exchanges messages with the ranks that differ from
 *   it in digit l only, over matchings. A message has |group| / |D_l| blocks: those of ranks with
 *   the sender's digits from l on, for ranks with the receiver's digits up to l. A block takes as
 *   many hops as digits differ, at most L.
 *
 * Rings of three or more ranks at one level need p = 2 or more.
 */
class BcubePlan
{
  public:
    /// Parameters of the cabling.
    struct Layout
    {
        std::vector<uint32_t> sizes; //!< n_l: GPUs that a switch of each level joins
        uint32_t portsPerLevel{2};   //!< p
        uint32_t firstOcs{0};        //!< number of the first switch in the operator's numbering
        uint32_t firstRank{0};       //!< global rank of GPU 0
        /// rank difference of neighbouring GPUs: the GPUs per domain if the rail is one of several
        uint32_t ranksBetweenGpus{1};
    };

    /// A ring, or an error.
    struct Ring
    {
        std::vector<uint32_t> gpus;   //!< in ring order
        std::vector<uint32_t> levels; //!< level of the circuit from each GPU to the next
        CircuitPlan plan;             //!< the circuits
        std::string error;            //!< empty if the ring exists
    };

    /// An AllToAll within a group, or an error.
    struct AllToAll
    {
        /// The exchange through one level.
        struct Phase
        {
            uint32_t level{0}; //!< level of the switches
            /// blocks per message
            uint64_t blocks{0};
            std::vector<CircuitPlan> steps; //!< circuits of each step
        };

        std::vector<Phase> phases; //!< in order; levels with a single digit have no phase
        std::string error;         //!< empty if the plan exists
    };

    /// @param layout the cabling; at least one level, each of at least one GPU
    explicit BcubePlan(const Layout& layout);

    /**
     * @param radix ports of a switch
     * @param portsPerLevel ports of a GPU at a level
     * @param levels levels of switches
     * @return the number of GPUs of a rail that can reach each other
     */
    static uint64_t CountReachable(uint32_t radix, uint32_t portsPerLevel, uint32_t levels);

    /// @return the number of GPUs of the rail
    uint32_t GetNGpus() const;

    /// @return the number of switches of the rail
    uint32_t GetNSwitches() const;

    /// @return the number of ports that a switch of a level needs
    uint32_t GetRadix(uint32_t level) const;

    /// @return the radix of each switch by number, for PlanCheck
    std::map<uint32_t, uint32_t> GetRadixes() const;

    /**
     * @param radix ports of the available switches
     * @return an empty string if the radix suffices for all levels, otherwise the level that needs
     * more
     */
    std::string CheckRadix(uint32_t radix) const;

    /// @return the digit of a GPU's address at a level
    uint32_t GetDigit(uint32_t gpu, uint32_t level) const;

    /// @return the switch to which a GPU is cabled at a level
    uint32_t GetOcs(uint32_t gpu, uint32_t level) const;

    /// @return a GPU with all its ports
    CircuitPlanner::Member MakeMember(uint32_t gpu) const;

    /// @return the GPUs of a path from one GPU to another that corrects the lowest digit first
    std::vector<uint32_t> GetPath(uint32_t from, uint32_t to) const;

    /**
     * @param group GPUs
     * @return for each level, the sets of members that differ in the level's digit only, if a set
     * has two or more members
     */
    std::vector<std::vector<std::vector<uint32_t>>> GetLevelGroups(
        const std::vector<uint32_t>& group) const;

    /**
     * @param group any GPUs
     * @return rings at all levels through the members that differ in one digit only
     */
    CircuitPlanner::Result PlanLevelRings(const std::vector<uint32_t>& group) const;

    /**
     * @param group GPUs that form a box, in any order
     * @return one ring through all of them
     */
    Ring PlanRing(const std::vector<uint32_t>& group) const;

    /**
     * @param group GPUs that form a box
     * @return the phases and circuits of an AllToAll
     */
    AllToAll PlanAllToAll(const std::vector<uint32_t>& group) const;

    /**
     * @param group GPUs
     * @return an empty string if the GPUs are a box, otherwise a missing GPU
     */
    std::string CheckBox(const std::vector<uint32_t>& group) const;

  private:
    /// @return the digits that occur in a group, by level
    std::vector<std::vector<uint32_t>> GetDigits(const std::vector<uint32_t>& group) const;
    /// @return all GPUs with these digits, on a cycle whose neighbours differ in one digit
    std::vector<uint32_t> MakeCycle(const std::vector<std::vector<uint32_t>>& digits) const;
    /// @return members with only their ports at a level
    std::vector<CircuitPlanner::Member> SelectLevel(const std::vector<uint32_t>& gpus,
                                                    uint32_t level) const;
    uint32_t GetRank(uint32_t gpu) const;

    Layout m_layout;
    std::vector<uint32_t> m_strides; //!< by level: GPUs with the same digits above it
};

} // namespace ns3

#endif // PHOTONIC_RAILS_BCUBE_PLAN_H
