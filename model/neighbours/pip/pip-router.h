// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIP_ROUTER_H
#define PHOTONIC_RAILS_PIP_ROUTER_H

#include "pip-mesh.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/// A light path: for each cell on the path, the waveguide end where the light enters and the end
/// where it leaves, in order.
using PipPath = std::vector<uint32_t>;

/**
 * @brief Set the states of the cells on light paths. Other cells do not change.
 * @param paths paths without a common end
 * @param states the states to set
 */
void SetPipStates(const std::vector<PipPath>& paths, PipStates& states);

/**
 * @brief Finds light paths without a common waveguide end in a mesh, which are possible together.
 *
 * A path is extended from the end where it enters a cell to one of the two ends at the far corner
 * and, over a joint, into the next cell. Several paths at once are found by negotiation, as in
 * PathFinder (McMurchie and Ebeling, FPGA 1995): each path takes the cheapest route, the price of a
 * contested joint rises from round to round, and conflicting paths are ripped up and rerouted until
 * no joint is contested. The router is a heuristic: its paths are valid, but it may fail to find
 * paths that exist. The result depends on the arguments only.
 */
class PipRouter
{
  public:
    /// The two free ends of a requested path.
    using Request = std::pair<uint32_t, uint32_t>;

    /// @param mesh a mesh that outlives the router
    explicit PipRouter(const PipMesh& mesh);

    /// Unblock all ends.
    void Clear();
    /// @param path a path whose ends other paths must not use
    void Block(const PipPath& path);
    /// @param path a blocked path, whose ends become available
    void Unblock(const PipPath& path);

    /**
     * @param path a path
     * @return true if no end of the path is blocked
     */
    bool IsFree(const PipPath& path) const;

    /**
     * @brief Find paths without common or blocked ends.
     * @param requests the requests; each end occurs in one request
     * @param rounds maximum number of rounds of negotiation, at least 1
     * @return a path for each request. If the negotiation fails, a path is empty if it conflicts
     * with an earlier one or does not exist
     */
    std::vector<PipPath> Route(const std::vector<Request>& requests, uint32_t rounds);

    /**
     * @param requests the requests, as for Route
     * @param rounds as for Route
     * @return a path for each request, or no paths if Route does not find one for each
     */
    std::vector<PipPath> RouteAll(const std::vector<Request>& requests, uint32_t rounds);

  private:
    /// The price of a joint.
    struct Price
    {
        uint32_t users{0};   //!< paths over the joint
        uint32_t history{0}; //!< rounds in which the joint was contested
        bool blocked{false};
    };

    /// The state of an end during a search.
    struct Step
    {
        uint32_t visit{0};   //!< number of the search that has reached the end
        uint32_t cost{0};    //!< cost of the path up to the end
        uint32_t before{0};  //!< the end where the previous cell is entered
        bool settled{false}; //!< the cost is final
    };

    /// @return the number of the joint of an end, or of the free end
    uint32_t GetJoint(uint32_t end) const;
    /// @return a cheapest path without a repeated joint, or an empty path
    PipPath Find(const Request& request, uint32_t pressure);
    /// @return a cheapest walk between the ends of a request that enters no cell at a banned end
    PipPath Walk(const Request& request, uint32_t pressure);
    /// @return the end where a walk enters a cell over a joint used before, or PipMesh::NONE
    uint32_t FindReturn(const PipPath& walk) const;
    /// Add a number to the users of the joints of a path.
    void AddUsers(const PipPath& path, int32_t number);
    /// @return true if another path uses a joint of a path
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
