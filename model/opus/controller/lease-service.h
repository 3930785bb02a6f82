// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LEASE_SERVICE_H
#define PHOTONIC_RAILS_LEASE_SERVICE_H

#include "job-table.h"

#include "ns3/admission-times.h"
#include "ns3/circuit-scheduler.h"
#include "ns3/message-server.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The commands of a controller that no switch has reported back on.
 *
 * A pure state machine. A switch is sent a bounded number of commands at a time; what is more waits
 * in the controller, in order, so that a slow switch holds up nobody but the groups that need it.
 */
class CommandWindow
{
  public:
    /// @param window commands that a switch may have at a time; 0: any number
    void SetWindow(uint32_t window);

    /**
     * @brief Add a command.
     * @param command what to do; its number is new
     * @return true if it is to be sent now; otherwise Take will return it
     */
    bool Add(const CircuitScheduler::Switch& command);

    /**
     * @brief A switch has reported.
     * @param number of the command
     * @return the command; nothing if it was not sent
     */
    std::optional<CircuitScheduler::Switch> Take(uint64_t number);

    /**
     * @brief The next command that has waited and may be sent, after Take.
     * @param ocs the switch
     * @return the command; nothing if none waits or the window is full
     */
    std::optional<CircuitScheduler::Switch> Next(uint32_t ocs);

    /**
     * @brief A switch will report on nothing that it has been sent; what waits for it is void, too.
     * @param ocs the switch
     */
    void DropSwitch(uint32_t ocs);

    /**
     * @param number of a command that has been sent
     * @return its switch; 0 if there is no such command
     */
    uint32_t GetSwitch(uint64_t number) const;

    /// @return commands that waited in the controller, so far
    uint64_t GetDelayed() const;

  private:
    struct Switch
    {
        uint32_t sent{0};
        std::deque<CircuitScheduler::Switch> waiting;
    };

    uint32_t m_window{0};
    std::map<uint64_t, CircuitScheduler::Switch> m_sent; //!< by number
    std::map<uint32_t, Switch> m_switches;
    uint64_t m_delayed{0};
};

class ManagementPort;

/**
 * @brief The part of an OpusController that lends circuits: it acts on requests, releases and
 * reports of switches, and sends grants, recalls, refusals and commands.
 *
 * Its state is all that a controller forgets in a crash. The state and the messages that are sent
 * follow from the configuration and the inputs alone, in the order of the inputs, so that a log of
 * the inputs restores both. The time of an input is therefore an input, too (SetInput).
 */
class LeaseService
{
  public:
    /// Counts since the start of the controller, or since the log was read.
    struct Stats
    {
        uint64_t requests{0};         //!< requests
        uint64_t releases{0};         //!< releases
        uint64_t recalls{0};          //!< recalls
        uint64_t grants{0};           //!< groups that were granted
        uint64_t cacheHits{0};        //!< of those, without a reconfiguration
        uint64_t reconfigurations{0}; //!< commands to switches
        uint64_t circuitsMade{0};     //!< by them
        uint64_t circuitsDropped{0};  //!< by them
        uint64_t refusals{0};         //!< requests for groups that cannot be served
        uint64_t foreign{0};   //!< messages about ranks or commands that are not the sender's
        uint64_t plans{0};     //!< lists of ranks for which circuits were planned
        uint64_t planHits{0};  //!< lists that had been planned before
        uint64_t delayed{0};   //!< commands that waited because of CommandWindow
        uint64_t malformed{0}; //!< messages that could not be read or made no sense
        uint64_t faults{0};    //!< reports that something is broken or mended
        AdmissionTimes::Waits waited; //!< of groups until they were granted, by cause
    };

    /// Trace sources of the controller.
    struct Traces
    {
        const TracedCallback<const OpusMessage&>& rx;
        const TracedCallback<const OpusMessage&>& tx;
        const TracedCallback<uint32_t, uint64_t, Time, bool>& granted;
        const TracedCallback<uint32_t>& rebuild;
        const TracedCallback<uint32_t, const std::string&>& jobFailed;
        const TracedCallback<uint32_t, uint64_t, uint32_t, const CircuitSet&, const CircuitSet&>&
            begin;
        const TracedCallback<uint32_t, uint64_t, uint32_t, const CircuitSet&, const CircuitSet&>&
            end;
    };

    /// @param traces live as long as this object
    explicit LeaseService(const Traces& traces);

    /**
     * @brief Set where messages are sent.
     * @param network management port of the controller's node; null at the end
     * @param port UDP port of the controller
     */
    void SetNetwork(Ptr<ManagementPort> network, uint16_t port);
    /// Forget all inputs. @param configured the jobs as they are known before any message
    void Reset(const JobTable& configured);
    /// Make a new scheduler, in which nothing is lent, with the fabrics of the job table.
    void ResetScheduler();

    /// @param window commands that a switch may have at a time; 0: any number
    void SetWindow(uint32_t window);
    /// @return commands that a switch may have at a time
    uint32_t GetWindow() const;
    /// @param groups of a job that are admitted
    void SetMaxGroups(uint32_t groups);
    /// @return groups of a job that are admitted
    uint32_t GetMaxGroups() const;

    /// @return ranks, cabling, switches and failures
    JobTable& GetJobs();
    /// @copydoc GetJobs
    const JobTable& GetJobs() const;
    /// @return circuits and leases
    CircuitScheduler& GetScheduler();
    /// @copydoc GetScheduler
    const CircuitScheduler& GetScheduler() const;
    /// @return waits of groups and light of ports
    const AdmissionTimes& GetTimes() const;
    /// @return counts
    Stats GetStats() const;
    /// @return the rail that a message is about; 0 if it is about none
    uint32_t GetRail(const OpusMessage& message) const;

    /**
     * @brief Begin an input. All that follows until the next one happens at this time.
     * @param now when the input is acted on, or was, if a log is read
     * @param isTraced whether trace sources fire
     */
    void SetInput(Time now, bool isTraced);

    /// Fire a trace source of the controller, unless traces are off for this input.
    template <typename... Ts, typename... Us>
    void Trace(const TracedCallback<Ts...>& source, const Us&... values) const
    {
        if (m_isTraced)
        {
            source(values...);
        }
    }

    /// @return counts for faults, malformed and foreign messages, which other services increment
    Stats& GetCounters();

    /**
     * @brief Check that a message comes from the manager of its rank. If it does not, count it, and
     * answer a request with a refusal.
     * @param arrival a message about a rank
     * @return true if it does
     */
    bool CheckManager(const OpusArrival& arrival);

    /// @param arrival the message @param request its body
    void HandleRequest(const OpusArrival& arrival, const OpusRequest& request);
    /// @param arrival the message @param release its body
    void HandleRelease(const OpusArrival& arrival, const OpusRelease& release);
    /// @param arrival the message @param report its body
    void HandleReport(const OpusArrival& arrival, const OpusReport& report);

    /// @param actions of the scheduler, which are carried out in messages
    void Perform(const CircuitScheduler::Actions& actions);
    /// Measure the wait of a group again after something has happened to it. @param key the group
    void UpdateWaiting(const GroupKey& key);
    /// @param to address and UDP port of the receiver @param message is sent from the controller's
    void Send(const Address& to, const OpusMessage& message);
    /// Send a message to the manager of its rank. @param message one to a rank
    void SendToRank(const OpusMessage& message);
    /**
     * @brief The switch that has a rail now is dark: command it to take over, and make the circuits
     * that are held again.
     * @param rail the rail
     */
    void Rebuild(uint32_t rail);
    /**
     * @brief End a job: its ranks are told, and nothing of it is served any more.
     * @param job the job
     * @param reason why, in a line
     * @return what was done, in words
     */
    std::string FailJob(uint32_t job, const std::string& reason);

  private:
    /// @return an empty string, or why a request cannot be served
    std::string Admit(const GroupKey& key, const OpusRequest& request);
    /// Tell a rank that its group can never be served.
    void Refuse(const GroupKey& key,
                const CircuitScheduler::Lease& lease,
                const std::string& error);

    /// Send a message to the ranks of leases. @param message a message with job and group
    template <typename T>
    void SendToHolders(T message, const std::vector<CircuitScheduler::Lease>& leases)
    {
        for (const auto& lease : leases)
        {
            message.rank = lease.rank;
            message.lease = lease.number;
            SendToRank(message);
        }
    }

    /// Send a command to its switch.
    void Command(const CircuitScheduler::Switch& action);
    /// Send the commands that may be sent now that a switch has reported.
    void SendWaiting(uint32_t ocs);

    const Traces m_traces;
    Ptr<ManagementPort> m_network;
    uint16_t m_port{0};
    uint32_t m_window{0};
    uint32_t m_maxGroups{0};
    Time m_now;            //!< time of the input
    bool m_isTraced{true}; //!< trace sources fire

    JobTable m_jobs;
    AdmissionTimes m_times;
    CircuitScheduler m_scheduler;
    CommandWindow m_commands;             //!< not yet reported
    std::map<GroupKey, Time> m_switching; //!< longest command of a group since its last grant
    Stats m_stats;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LEASE_SERVICE_H
