// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_FABRIC_H
#define PHOTONIC_RAILS_CIRCUIT_FABRIC_H

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @brief A pair of OCS ports. With bidirectional transceivers light passes both ways and the order
 * of the ports has no meaning; with simplex transceivers light enters at `a` and leaves at `b`.
 */
struct Circuit
{
    uint32_t a{0}; //!< a port of the switch
    uint32_t b{0}; //!< another port of the switch
};

inline bool
operator==(const Circuit& x, const Circuit& y)
{
    return x.a == y.a && x.b == y.b;
}

inline bool
operator<(const Circuit& x, const Circuit& y)
{
    return std::tie(x.a, x.b) < std::tie(y.a, y.b);
}

/**
 * @param circuit a circuit
 * @return the circuit in words, for messages
 */
inline std::string
Describe(const Circuit& circuit)
{
    return "circuit " + std::to_string(circuit.a) + "-" + std::to_string(circuit.b);
}

/// A set of circuits; a valid one is a matching.
using CircuitSet = std::vector<Circuit>;

/**
 * @brief The light paths between the ports of an optical circuit switch: determines which circuits
 * are possible together, and their delay and loss. A switch without a fabric allows every matching.
 *
 * Light passes circuits in both directions, and the order of the ports of a circuit has no meaning.
 *
 * Whether a circuit is possible depends on the light paths of the present circuits. A fabric is
 * therefore a deterministic function of the sequence of changes since it was idle: the same changes
 * on a copy have the same results. A fabric holds no reference to the simulation.
 */
class CircuitFabric : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::CircuitFabric").SetParent<Object>().SetGroupName("PhotonicRails");
        return tid;
    }

    /// @return number of ports, which are counted from 0
    virtual uint32_t GetPorts() const = 0;

    /**
     * @brief Prepare an idle fabric for the number of ports with fibers.
     * @param ports number of ports with fibers
     * @return an empty string, or the reason for which the fabric cannot join as many ports;
     * without an override GetPorts() must suffice
     */
    virtual std::string UsePorts(uint32_t ports)
    {
        return ports <= GetPorts() ? "" : "its fabric has " + std::to_string(GetPorts());
    }

    /**
     * @brief Create a copy, on which a planner can try changes.
     * @return a fabric of the same class with the same attributes, circuits and light paths
     */
    virtual Ptr<CircuitFabric> Copy() const = 0;

    /**
     * @brief Remove circuits and find light paths for new circuits. The other circuits are not
     * disturbed.
     * @param drop present circuits
     * @param make circuits to make on ports that are free or freed by `drop`
     * @return an empty string; or, without a change, a line that names the circuit that does not
     * exist, has a port out of range or in use, or has no light path
     */
    virtual std::string Change(const CircuitSet& drop, const CircuitSet& make) = 0;

    /// Remove all circuits.
    virtual void Clear() = 0;

    /**
     * @brief Prepare an idle fabric for going through matchings that join every pair of ports once.
     * @return the matchings, of which any can follow any other; without an override none: whether
     * circuits are possible together is found by trying
     */
    virtual std::vector<CircuitSet> PlanMatchings()
    {
        return {};
    }

    /**
     * @param circuit a present circuit
     * @return delay of light from port to port
     */
    virtual Time GetDelay(const Circuit& circuit) const = 0;

    /**
     * @param circuit a present circuit
     * @return insertion loss from port to port, in dB
     */
    virtual double GetLoss(const Circuit& circuit) const = 0;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_FABRIC_H
