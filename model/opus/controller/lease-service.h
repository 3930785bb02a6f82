// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LEASE_SERVICE_H
#define PHOTONIC_RAILS_LEASE_SERVICE_H

#include "job-table.h"

#include "ns3/callback.h"
#include "ns3/circuit-scheduler.h"
#include "ns3/message-server.h"
#include "ns3/nstime.h"
#include "ns3/time-sum.h"
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
 * @brief Measures how long groups wait, by cause, and how long ports carry light, for a
 * CircuitScheduler.
 *
 * The class has no clock: every input has a time, and times never decrease. The wait of a group
 * begins with the first request that is not granted yet and ends with the grant, as seen by the
 * controller. It consists of the wait for ranks (until all have requested the group), for ports
 * (until the group is first on all its ports and no rank holds them), and for light (until the
 * switch reports, the wait for earlier commands included).
 */
class AdmissionTimes
{
  public:
    /// Sums over all grants.
    struct Waits
    {
        TimeSum ranks; //!< from the first to the last request
        TimeSum ports; //!< until its ports are free and it is first in the queue
        TimeSum light; //!< from the decision to switch to the grant
    };

    /// @param key group that a rank requests @param now the time
    void Request(const GroupKey& key, Time now);
    /**
     * @brief Update the state of a wait after an input that concerns the group.
     * @param key the group
     * @param waiting ranks that wait for a grant
     * @param now the time
     */
    void Update(const GroupKey& key, CircuitScheduler::Waiting waiting, Time now);
    /// @param command command to a switch @param now time of the decision
    void Switch(const CircuitScheduler::Switch& command, Time now);

    /// @param command command whose light is reported @param now time of the report
    void Complete(const CircuitScheduler::Switch& command, Time now)
    {
        SetLight(command.ocs, command.make, true, now);
    }

    /// @param command command that the switch has refused @param now time of the report
    void Refuse(const CircuitScheduler::Switch& command, Time now)
    {
        SetLight(command.ocs, command.drop, true, now);
    }

    /// @param ocs switch that has lost all its circuits @param now time of the report
    void LoseSwitch(uint32_t ocs, Time now);

    /// @param ocs a switch @param circuits circuits that it has reported @param now the time
    void Learn(uint32_t ocs, const CircuitSet& circuits, Time now)
    {
        SetLight(ocs, circuits, true, now);
    }

    /// Forget the waits that have begun, because the controller has lost its memory.
    void ForgetWaits()
    {
        m_waiting.clear();
    }

    /// @param key group that is granted @param now the time
    void Grant(const GroupKey& key, Time now);

    /// @return sums over all grants
    const Waits& GetWaits() const
    {
        return m_waits;
    }

    /**
     * @param port a port of a switch
     * @param now the time
     * @return how long the port has carried light: from the report of the switch to the next
     * command for the port
     */
    Time GetUpTime(const OcsPortId& port, Time now) const;

  private:
    struct Group
    {
        Time first;
        std::optional<Time> isQueued;
        std::optional<Time> switched;
    };

    struct Port
    {
        Time sum;
        std::optional<Time> since;

        /// End the time with light, if there is light.
        void Darken(Time now);
    };

    void SetLight(uint32_t ocs, const CircuitSet& circuits, bool isUp, Time now);

    std::map<GroupKey, Group> m_waiting;
    std::map<OcsPortId, Port> m_ports;
    Waits m_waits;
};

/**
 * @brief The commands of a controller that their switches have not reported yet.
 *
 * A pure state machine. The number of unreported commands of a switch is bounded; further commands
 * wait in the controller, in order. A slow switch therefore delays only the groups that need it.
 */
class CommandWindow
{
  public:
    /// @param window largest number of unreported commands of a switch; 0: any number
    void SetWindow(uint32_t window)
    {
        m_window = window;
    }

    /**
     * @brief Add a command.
     * @param command a command with a new number
     * @return true to send the command now; otherwise Next returns it later
     */
    bool Add(const CircuitScheduler::Switch& command);

    /**
     * @brief Handle the report of a switch.
     * @param number number of the command
     * @return the command; nothing if it has not been sent
     */
    std::optional<CircuitScheduler::Switch> Take(uint64_t number);

    /**
     * @brief Take the next waiting command that may be sent after Take.
     * @param ocs the switch
     * @return the command; nothing if none waits or the window is full
     */
    std::optional<CircuitScheduler::Switch> Next(uint32_t ocs);

    /**
     * @brief Drop all sent and waiting commands of a switch that will not report them.
     * @param ocs the switch
     */
    void DropSwitch(uint32_t ocs);

    /// Drop all commands.
    void Clear()
    {
        m_sent.clear();
        m_switches.clear();
    }

    /**
     * @param number number of a sent command
     * @return its switch; 0 for an unknown number
     */
    uint32_t GetSwitch(uint64_t number) const;

    /// @return number of commands that had to wait so far
    uint64_t GetDelayed() const
    {
        return m_delayed;
    }

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

/**
 * @brief The part of an OpusController that leases circuits: it handles requests, releases and
 * reports of switches, and sends grants, recalls, refusals and commands.
 *
 * The service contains all state that a controller loses in a crash (Forget). It has no clock: an
 * input has a time (SetInput).
 */
class LeaseService
{
  public:
    /// Counts since the start of the controller; no crash resets them.
    struct Stats
    {
        uint64_t requests{0};         //!< requests
        uint64_t releases{0};         //!< releases
        uint64_t recalls{0};          //!< recalls
        uint64_t grants{0};           //!< groups that were granted
        uint64_t cacheHits{0};        //!< of these, grants without a reconfiguration
        uint64_t reconfigurations{0}; //!< commands to switches
        uint64_t circuitsMade{0};     //!< by these commands
        uint64_t circuitsDropped{0};  //!< by these commands
        uint64_t refusals{0};         //!< requests for groups that cannot be served
        uint64_t foreign{0};          //!< messages about ranks or commands of other senders
        uint64_t plans{0};            //!< lists of ranks for which circuits were planned
        uint64_t planHits{0};         //!< lists of ranks with a stored plan
        uint64_t delayed{0};          //!< commands that waited because of CommandWindow
        uint64_t malformed{0};        //!< messages that could not be parsed or are unexpected
        uint64_t faults{0};           //!< reports of faults and repairs
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

    /// @param traces outlive this object
    explicit LeaseService(const Traces& traces);

    /// Called with the receiver of a message, its address and UDP port, and the message.
    using Output = Callback<void, const Address&, const OpusMessage&>;

    /// @param output sends messages; null to send none
    void SetOutput(Output output)
    {
        m_output = output;
    }

    /**
     * @brief Lose all state except the counts.
     * @param configured ranks, cabling and switches as they were before the start
     */
    void Forget(const JobTable& configured);
    /// Create a scheduler without leases, with the fabrics of the job table.
    void ResetScheduler();

    /**
     * @param window largest number of unreported commands of a switch; 0: any number
     * @param groups largest number of groups of a job
     */
    void SetLimits(uint32_t window, uint32_t groups)
    {
        m_commands.SetWindow(window);
        m_maxGroups = groups;
    }

    /// @return ranks, cabling, switches and failures
    JobTable& GetJobs()
    {
        return m_jobs;
    }

    /// @copydoc GetJobs
    const JobTable& GetJobs() const
    {
        return m_jobs;
    }

    /// @return circuits and leases
    CircuitScheduler& GetScheduler()
    {
        return m_scheduler;
    }

    /// @copydoc GetScheduler
    const CircuitScheduler& GetScheduler() const
    {
        return m_scheduler;
    }

    /// @return waits of groups and light of ports
    const AdmissionTimes& GetTimes() const
    {
        return m_times;
    }

    /// @return counts
    Stats GetStats() const;
    /// @return the rail that a message concerns; 0 for none
    uint32_t GetRail(const OpusMessage& message) const;

    /// Begin an input. @param now its time, which all effects until the next input have
    void SetInput(Time now)
    {
        m_now = now;
    }

    /// @return counts for faults, malformed and foreign messages, which other services increment
    Stats& GetCounters()
    {
        return m_stats;
    }

    /// @param arrival the message @param request its body
    void HandleRequest(const OpusArrival& arrival, const OpusRequest& request);
    /// @param arrival the message @param release its body
    void HandleRelease(const OpusArrival& arrival, const OpusRelease& release);
    /// @param report the message
    void HandleReport(const OpusReport& report);
    /// Record a lease that a rank holds. @param arrival its LEASES @param request a held part of it
    void Hold(const OpusArrival& arrival, const OpusRequest& request);
    /// @param rail a rail @param circuits circuits of its switch, which is at rest
    void Learn(uint32_t rail, const CircuitSet& circuits);

    /// @param actions actions of the scheduler, carried out by messages
    void Perform(const CircuitScheduler::Actions& actions);

    /// Update the measured wait of a group after an input that concerns it. @param key the group
    void UpdateWaiting(const GroupKey& key)
    {
        m_times.Update(key, m_scheduler.GetWaiting(key), m_now);
    }

    /// @param to address and UDP port of the receiver @param message message to send
    void Send(const Address& to, const OpusMessage& message);
    /// Send a message to the manager of its rank. @param message a message for a rank
    void SendToRank(const OpusMessage& message);
    /**
     * @brief Restore a rail whose switch is dark: command the switch to take over, and make all
     * circuits with leases again.
     * @param rail the rail
     */
    void Rebuild(uint32_t rail);
    /**
     * @brief Fail a job: send ABORT to its ranks and refuse its later messages.
     * @param job the job
     * @param reason reason, in one line
     * @return the action, as text
     */
    std::string FailJob(uint32_t job, const std::string& reason);

  private:
    /// @return an empty string, or the reason why a request cannot be served
    std::string Admit(const GroupKey& key, const OpusRequest& request);
    /// Send a refusal to a rank.
    void Refuse(const GroupKey& key,
                const CircuitScheduler::Lease& lease,
                const std::string& error);

    /**
     * @brief Send a message to the ranks of leases.
     * @param message a message without a lease
     * @param key the group
     * @param leases receivers, one message for each
     */
    template <typename T>
    void SendToHolders(T message,
                       const GroupKey& key,
                       const std::vector<CircuitScheduler::Lease>& leases)
    {
        message.job = key.job;
        message.group = key.id;
        for (const auto& lease : leases)
        {
            message.rank = lease.rank;
            message.lease = lease.number;
            SendToRank(message);
        }
    }

    /// Send a command to its switch.
    void Command(const CircuitScheduler::Switch& action);

    const Traces m_traces;
    Output m_output;
    uint32_t m_maxGroups{0};
    Time m_now; //!< time of the input

    JobTable m_jobs;
    AdmissionTimes m_times;
    CircuitScheduler m_scheduler;
    CommandWindow m_commands;             //!< unreported commands
    std::map<GroupKey, Time> m_switching; //!< longest command of a group since its last grant
    Stats m_stats;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LEASE_SERVICE_H
