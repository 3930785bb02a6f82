// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_ROUTER_H
#define PHOTONIC_RAILS_PIP_ROUTER_H

#include "pip-mesh.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/// A light path: for each cell that it passes the waveguide end where it enters and the one where
/// it leaves, in order.
using PipPath = std::vector<uint32_t>;

/**
 * @brief Enter light paths into the states of cells. Cells that no path passes stay as they are.
 * @param paths paths that have no end in common
 * @param states gets the states
 */
void SetPipStates(const std::vector<PipPath>& paths, PipStates& states);

/**
 * @brief Finds light paths in a mesh that have no waveguide end in common: these can be up
 * together.
 *
 * A path is extended from the end where it enters a cell to one of the two ends at the far corner
 * and, over a joint, into the next cell. Several paths at once are found by negotiation, as in
 * PathFinder (McMurchie and Ebeling, FPGA 1995): each takes the cheapest way, a joint that several
 * want gets dearer from round to round, and paths in conflict are ripped up and routed anew until
 * no joint is wanted twice. It is a heuristic: what it finds is right, what it does not find may
 * exist. The result depends on nothing but the arguments.
 */
class PipRouter
{
  public:
    /// The free ends that a path shall join.
    using Request = std::pair<uint32_t, uint32_t>;

    /// @param mesh a mesh that outlives the router
    explicit PipRouter(const PipMesh& mesh);

    /// Nothing is in the way.
    void Clear();
    /// @param path whose ends others must not use from now on
    void Block(const PipPath& path);
    /// @param path whose ends are free again
    void Unblock(const PipPath& path);

    /**
     * @param path a path
     * @return true if it is in nobody's way
     */
    bool IsFree(const PipPath& path) const;

    /**
     * @brief Find paths that have no end in common, among each other and with those that are
     * blocked.
     * @param requests what shall be joined; each end is in one of them
     * @param rounds after how many rounds of negotiation to give up, at least 1
     * @return a path for each request; where the negotiation has ended without success, that of a
     * request is empty if it was in conflict with one before it, or if there is no way
     */
    std::vector<PipPath> Route(const std::vector<Request>& requests, uint32_t rounds);

  private:
    /// How dear a joint is.
    struct Price
    {
        uint32_t users{0};   //!< paths that want it now
        uint32_t history{0}; //!< rounds in which it was wanted twice
        bool blocked{false};
    };

    /// What is known of a way while it is looked for.
    struct Step
    {
        uint32_t visit{0};   //!< search in which it was reached
        uint32_t cost{0};    //!< of the way up to here
        uint32_t before{0};  //!< the end where the cell before was entered
        bool settled{false}; //!< there is no cheaper way
    };

    /// @return the number of the joint of an end, or of the free end
    uint32_t GetJoint(uint32_t end) const;
    /// @return a cheapest path that uses no joint twice, or an empty one
    PipPath Find(const Request& request, uint32_t pressure);
    /// @return a cheapest walk between the ends of a request that enters no cell at a banned end
    PipPath Walk(const Request& request, uint32_t pressure);
    /// @return the end where a walk enters a cell over a joint used before, or PipMesh::NONE
    uint32_t FindReturn(const PipPath& walk) const;
    /// Count a path as a user of its joints, or no longer.
    void Use(const PipPath& path);
    void Leave(const PipPath& path);
    /// @return true if another path wants a joint of this one
    bool IsContested(const PipPath& path) const;

    const PipMesh& m_mesh;
    std::vector<Price> m_prices;                           //!< by number of joint
    std::vector<Step> m_steps;                             //!< by end where a cell is entered
    std::vector<uint32_t> m_banned;                        //!< ends where no cell may be entered
    std::vector<std::pair<uint32_t, uint32_t>> m_frontier; //!< cost and end, a heap
    uint32_t m_visit{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIP_ROUTER_H
