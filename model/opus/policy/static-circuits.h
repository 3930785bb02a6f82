// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STATIC_CIRCUITS_H
#define PHOTONIC_RAILS_STATIC_CIRCUITS_H

#include "ns3/circuit-planner.h"

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

/// Bytes that one dimension of a job's mesh sends along rails.
struct DimensionDemand
{
    std::string name; //!< name of the dimension
    /// bytes between two GPUs in an iteration, sum of both directions; the lower GPU comes first
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> pairs;
};

/**
 * @brief NIC ports divided between the dimensions of a job for the whole run: circuits without
 * reconfiguration.
 *
 * Each dimension gets as many ports of a GPU as the largest number of neighbours in the dimension
 * (one for a pair, two for a ring or the inside of a pipeline). All dimensions get this number
 * several times if the ports suffice: with four ports, two dimensions of pairs have two ports each.
 * A dimension therefore has only a part of the NIC's bandwidth, even while no other dimension sends
 * (constraint C3 in section 2 of the Photonic Rails paper, arXiv 2507.08119), and the ports limit
 * the number of dimensions (C2).
 *
 * A dimension gets no ports if all its pairs already have circuits, or if it moves few bytes; other
 * GPUs then forward its messages.
 */
class PortPartition
{
  public:
    /// A dimension that moves fewer bytes between any two GPUs in an iteration gets no ports. The
    /// scalars of an optimizer step are less than 1 MB (section 3 of the same paper).
    static constexpr uint64_t LITTLE = 1000000;

    /// Ports of a dimension.
    struct Share
    {
        std::string name;  //!< name of the dimension
        uint32_t first{0}; //!< first of its ports
        uint32_t ports{0}; //!< number of ports, may be 0
    };

    /// Circuits, or an error.
    struct Result
    {
        StaticCircuits circuits{0, 0};
        std::vector<Share> shares; //!< by dimension, heaviest first
        std::string error; //!< if the ports do not suffice: the dimensions and the ports they need
    };

    /**
     * @param demands demands of the job's dimensions
     * @param gpus number of GPUs
     * @param ports NIC ports of each GPU
     * @return the circuits
     */
    static Result Plan(std::vector<DimensionDemand> demands, uint32_t gpus, uint32_t ports);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STATIC_CIRCUITS_H
