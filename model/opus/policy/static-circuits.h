// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STATIC_CIRCUITS_H
#define PHOTONIC_RAILS_STATIC_CIRCUITS_H

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Permanent circuits between NIC ports.
 *
 * The class handles NIC ports and is independent of their cabling to switches. Two GPUs may have
 * several circuits. GPUs without a direct circuit reach each other through other GPUs, which
 * forward messages (RdmaRelay), if a path of circuits exists.
 */
class StaticCircuits
{
  public:
    /// A circuit between two NIC ports; the lower GPU comes first.
    struct Joint
    {
        uint32_t gpu{0};
        uint32_t port{0};
        uint32_t peer{0};
        uint32_t peerPort{0};
    };

    /**
     * @param gpus number of GPUs, numbered from 0
     * @param ports NIC ports of each GPU
     */
    StaticCircuits(uint32_t gpus, uint32_t ports);

    /**
     * @brief Make a circuit between the lowest free ports of two GPUs within a range of ports.
     * @param a a GPU
     * @param b another GPU
     * @param first first port of the range
     * @param end end of the range (exclusive), or a larger number for all ports
     * @return false, without any change, if one of the GPUs has no free port in the range
     */
    bool Join(uint32_t a, uint32_t b, uint32_t first, uint32_t end);

    /**
     * @brief Make a circuit between two NIC ports. A port that does not exist or has a circuit
     * already is a mistake, which GetError describes; the circuit is then not made.
     * @param joint the ports
     */
    void Join(const Joint& joint);

    /**
     * @brief Set the route of messages between two GPUs, for both directions.
     * @param route GPUs from one end to the other, both included; circuits must exist along the
     * route
     */
    void SetRoute(const std::vector<uint32_t>& route);

    /// @return an empty string, or the first mistake in a call of Join
    const std::string& GetError() const
    {
        return m_error;
    }

    /// @return all circuits, in the order in which they were made
    const std::vector<Joint>& GetJoints() const
    {
        return m_joints;
    }

    /**
     * @param gpu a GPU
     * @return the number of its free ports
     */
    uint32_t CountFree(uint32_t gpu) const;

    /**
     * @param a a GPU
     * @param b another GPU
     * @return a port of a and the peer port of b, for each circuit between the two; in the same
     * order for (b, a)
     */
    std::vector<std::pair<uint32_t, uint32_t>> Find(uint32_t a, uint32_t b) const;

    /**
     * @brief Find the route between two GPUs: the one from SetRoute, or else the one with the
     * fewest circuits; among equal routes, the one through the lowest GPUs, compared from the
     * higher end.
     * @param a a GPU
     * @param b another GPU
     * @return the GPUs of the route, from a to b, both included; empty if there is none. The route
     * from b to a passes the same GPUs.
     */
    std::vector<uint32_t> FindRoute(uint32_t a, uint32_t b) const;

  private:
    static constexpr uint32_t FREE = UINT32_MAX;

    /// @return the GPUs of a route with the fewest circuits, or an empty list
    std::vector<uint32_t> FindShortest(uint32_t low, uint32_t high) const;
    /// @return the lowest free port of a GPU in a range, or the end of the range
    uint32_t FindFree(uint32_t gpu, uint32_t first, uint32_t end) const;

    uint32_t m_ports;
    std::vector<uint32_t> m_jointOf; //!< by GPU and port: index of the circuit, or FREE
    std::vector<Joint> m_joints;
    std::string m_error;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> m_routes; //!< from the lower GPU
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STATIC_CIRCUITS_H
