// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTROLLER_MACHINE_H
#define PHOTONIC_RAILS_CONTROLLER_MACHINE_H

#include "fault-service.h"
#include "lease-service.h"
#include "sender-rights.h"

#include "ns3/address.h"
#include "ns3/message-server.h"
#include "ns3/nstime.h"
#include "ns3/opus-message.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief What a controller without memory waits for, and the messages that it receives meanwhile.
 *
 * A pure state machine. The controller has sent a LEARN to all agents, managers, monitor and
 * coordinator. The answers are CIRCUITS of every agent, or a fault or repair of its switch from the
 * monitor; LEASES of every rank, or a RESTART of its shim or the loss of its GPU; and the REPLACE
 * of the coordinator. A configured rank whose answer comes from a manager of another job has not
 * answered.
 */
class ControllerLearning
{
  public:
    /**
     * @brief Begin to wait.
     * @param epoch epoch of the LEARN
     * @param leases the configuration
     * @param rights monitor and coordinator
     */
    void Begin(uint64_t epoch, const LeaseService& leases, const SenderRights& rights);

    /// Wait no longer, and drop all messages.
    void Clear();

    /**
     * @param arrival a received message
     * @param leases the configuration
     * @param rights monitor and coordinator
     */
    void Add(const OpusArrival& arrival, const LeaseService& leases, const SenderRights& rights);

    /// @return true if all have answered
    bool IsComplete() const
    {
        return CountSilent() == 0;
    }

    /// @return true if more than half have answered
    bool HasMajority() const
    {
        return 2 * CountSilent() < m_count;
    }

    /// @return the messages, in the order of arrival
    const std::vector<OpusArrival>& GetArrivals() const
    {
        return m_arrivals;
    }

  private:
    std::size_t CountSilent() const
    {
        return m_switches.size() + m_ranks.size() + (m_awaitsCoordinator ? 1 : 0);
    }

    uint64_t m_epoch{0};
    std::size_t m_count{0};                          //!< of all that are to answer
    std::set<uint32_t> m_switches;                   //!< whose agents are silent
    std::set<std::pair<uint32_t, uint32_t>> m_ranks; //!< that are silent: job and rank
    bool m_awaitsCoordinator{false};                 //!< it is silent
    std::vector<OpusArrival> m_arrivals;
};

/**
 * @brief The part of an OpusController without network and clock: checks the sender of each input,
 * and passes the input to the LeaseService or to the FaultService.
 */
class ControllerMachine
{
  public:
    /// @param leases trace sources @param faults trace sources; they outlive this object
    ControllerMachine(const LeaseService::Traces& leases, const FaultService::Traces& faults);

    /**
     * @brief Process an input.
     * @param arrival the input
     * @param at time at which the input is processed
     */
    void Serve(const OpusArrival& arrival, Time at);

    /**
     * @brief Process the answers to a LEARN, after LeaseService::Forget, and what was received with
     * them.
     *
     * What others depend on comes first: the GPUs of the ranks, the circuits of the switches,
     * faults of switches and of other components, leases that ranks hold, what ranks have
     * completed, then requests, then all other messages. A held group therefore keeps its circuits.
     * A rail of which no agent has reported circuits begins dark; so does a rail whose switch has a
     * fabric, because light paths depend on the order in which circuits were made, which nobody
     * knows.
     * @param arrivals messages in the order of arrival
     * @param at the time
     */
    void Learn(const std::vector<OpusArrival>& arrivals, Time at);

    /// @return which sender may send what
    SenderRights& GetRights()
    {
        return m_rights;
    }

    /// @copydoc GetRights
    const SenderRights& GetRights() const
    {
        return m_rights;
    }

    /// @return the part that leases circuits
    LeaseService& GetLeases()
    {
        return m_leases;
    }

    /// @copydoc GetLeases
    const LeaseService& GetLeases() const
    {
        return m_leases;
    }

  private:
    void Dispatch(const OpusArrival& arrival);
    /// Learn the place of a rail, and its circuits. @return the rail, if its circuits are learned
    std::optional<uint32_t> LearnCircuits(const OpusArrival& arrival, const OpusCircuits& circuits);
    /**
     * @brief Process parts of a LEASES that are no held leases.
     * @param arrival the message
     * @param leases its body
     * @param isOver true for requests that a release follows, and these releases; false for the
     * rest
     */
    void ServeParts(const OpusArrival& arrival, const OpusLeases& leases, bool isOver);
    /// Count a message of a sender that may not send it, and answer a request.
    void Refuse(const OpusArrival& arrival);

    LeaseService m_leases;
    SenderRights m_rights;
    FaultService m_faults;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONTROLLER_MACHINE_H
