// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PORT_BOOK_H
#define PHOTONIC_RAILS_PORT_BOOK_H

#include "ledger-group.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// What is up, in the book of a CircuitLedger: ports and their circuits, and which groups use them.
class PortBook
{
  public:
    /**
     * @param id a port
     * @return what is known of it; it stays where it is
     */
    LedgerPort* GetPort(const OcsPortId& id);

    /**
     * @brief Give a group circuits.
     * @param group a group without circuits
     * @param plan its circuits
     */
    void SetCircuits(LedgerGroup& group, const CircuitPlan& plan);
    /**
     * @brief Take a group's circuits from it.
     * @param group the group
     * @return what they were
     */
    std::vector<LedgerCircuit> TakeCircuits(LedgerGroup& group);

    /**
     * @param circuit a circuit, whether it is there or not
     * @return the groups that need it
     */
    const std::vector<LedgerGroup*>& GetUsers(const LedgerCircuit& circuit) const;

    /**
     * @param group a group
     * @return circuits that the group lacks, and those that are on their ports
     */
    static LedgerChange FindChange(const LedgerGroup& group);

    /// @return true if ports of a group are being switched
    static bool IsBusy(const LedgerGroup& group);

    /**
     * @param ocs a switch
     * @return its ports that are known, in order
     */
    std::vector<LedgerPort*> GetPorts(uint32_t ocs);

    /**
     * @param ocs a switch
     * @return the circuits that are up or being made there, as is believed
     */
    CircuitSet GetCircuits(uint32_t ocs) const;

    /// All circuits of a switch are gone.
    void Darken(uint32_t ocs);

    /// @return an empty string, or what is wrong (for tests)
    std::string CheckInvariants() const;

  private:
    std::map<OcsPortId, LedgerPort> m_ports;
    std::map<LedgerCircuit, std::vector<LedgerGroup*>> m_users; //!< looked up, never walked
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PORT_BOOK_H
