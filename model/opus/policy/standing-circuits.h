// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STANDING_CIRCUITS_H
#define PHOTONIC_RAILS_STANDING_CIRCUITS_H

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Circuits between NIC ports that are made once and stay: which GPU's port leads to which.
 *
 * Pure: it knows NIC ports, not how they are cabled to switches. Between two GPUs there may be
 * several circuits. GPUs that no circuit joins reach each other through others, which pass messages
 * on (RdmaRelay), if a row of circuits leads there.
 */
class StandingCircuits
{
  public:
    /// A circuit between two NIC ports; that of the lower GPU comes first.
    struct Joint
    {
        uint32_t gpu{0};
        uint32_t port{0};
        uint32_t peer{0};
        uint32_t peerPort{0};
    };

    /**
     * @param gpus how many there are, numbered from 0
     * @param ports NIC ports of each
     */
    StandingCircuits(uint32_t gpus, uint32_t ports);

    /**
     * @brief Make a circuit between the lowest free ports of two GPUs within a range of ports.
     * @param a a GPU
     * @param b another GPU
     * @param first of the ports
     * @param end one past the last of the ports, or more for all
     * @return false if one of them has no free port there; nothing changes then
     */
    bool Join(uint32_t a, uint32_t b, uint32_t first, uint32_t end);

    /**
     * @brief Make a circuit between two NIC ports, which must be free.
     * @param joint the ports
     */
    void Join(const Joint& joint);

    /**
     * @brief Have messages between two GPUs go a certain way, in both directions.
     * @param route GPUs from one to the other, both included; there must be circuits along it
     */
    void SetRoute(const std::vector<uint32_t>& route);

    /// @return all circuits, in the order of their making
    const std::vector<Joint>& GetJoints() const;

    /**
     * @param gpu a GPU
     * @return free ports of it
     */
    uint32_t CountFree(uint32_t gpu) const;

    /**
     * @param a a GPU
     * @param b another GPU
     * @return a port of a and the port of b to which it leads, for each circuit between the two; in
     * the same order from both sides
     */
    std::vector<std::pair<uint32_t, uint32_t>> Find(uint32_t a, uint32_t b) const;

    /**
     * @brief The way that has been set, or else that with the fewest circuits; of several, that
     * through the lowest GPUs.
     * @param a a GPU
     * @param b another GPU
     * @return the GPUs on it, from a to b, both included; empty if there is none. That from b to a
     * passes the same GPUs.
     */
    std::vector<uint32_t> FindRoute(uint32_t a, uint32_t b) const;

  private:
    static constexpr uint32_t FREE = UINT32_MAX;

    /// @return the GPUs on a way with the fewest circuits, or nothing
    std::vector<uint32_t> FindShortest(uint32_t low, uint32_t high) const;
    /// @return the lowest free port of a GPU in a range, or its end
    uint32_t FindFree(uint32_t gpu, uint32_t first, uint32_t end) const;

    uint32_t m_ports;
    std::vector<uint32_t> m_jointOf; //!< by GPU and port: index of the circuit, or FREE
    std::vector<Joint> m_joints;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> m_routes; //!< from the lower GPU
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STANDING_CIRCUITS_H
