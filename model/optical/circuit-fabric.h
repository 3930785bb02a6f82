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
 * of the ports has no meaning; with simplex ones it enters at `a` and leaves at `b`.
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
 * @return it in words, for messages
 */
inline std::string
Describe(const Circuit& circuit)
{
    return "circuit " + std::to_string(circuit.a) + "-" + std::to_string(circuit.b);
}

/// A set of circuits; a valid one is a matching.
using CircuitSet = std::vector<Circuit>;

/**
 * @brief What lies between the ports of an optical circuit switch: which circuits can be up
 * together, and what light meets on its way. A switch without one can be in any matching.
 *
 * Circuits join two ports and light passes both ways, so that the order of the ports of a circuit
 * has no meaning.
 *
 * What can be up depends on what is up and where its light passes. A fabric is therefore a
 * deterministic function of the sequence of changes since it was idle: whoever makes the same
 * changes on a copy knows what the switch will answer. It holds no reference to the simulation.
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

    /// @return the number of ports that it joins; they are counted from 0
    virtual uint32_t GetPorts() const = 0;

    /**
     * @brief Prepare an idle fabric for the ports of a switch that are cabled.
     * @param ports that are cabled
     * @return an empty string, or why the fabric cannot join as many; without an override the
     * number of its ports stays, and must suffice
     */
    virtual std::string UsePorts(uint32_t ports)
    {
        return ports <= GetPorts() ? "" : "its fabric has " + std::to_string(GetPorts());
    }

    /**
     * @brief A twin to plan with: whoever is to know whether something fits tries it there.
     * @return a fabric of the same kind with the same attributes, the same circuits and the same
     * light paths, which changes on its own from now on
     */
    virtual Ptr<CircuitFabric> Copy() const = 0;

    /**
     * @brief Take circuits out, and find light paths for others beside the rest, whose light is not
     * disturbed.
     * @param drop circuits that are up
     * @param make circuits to make on ports that are free or freed by `drop`
     * @return an empty string; or, and nothing has changed, a line that names the circuit that is
     * not up, whose port is out of range or in use, or for which no light path was found
     */
    virtual std::string Change(const CircuitSet& drop, const CircuitSet& make) = 0;

    /// Take all circuits out: it is idle, as when it was new.
    virtual void Clear() = 0;

    /**
     * @param circuit one that is up
     * @return the time that light takes from port to port
     */
    virtual Time GetDelay(const Circuit& circuit) const = 0;

    /**
     * @param circuit one that is up
     * @return the insertion loss from port to port, in dB
     */
    virtual double GetLoss(const Circuit& circuit) const = 0;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_FABRIC_H
