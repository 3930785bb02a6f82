// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_MESSAGE_H
#define PHOTONIC_RAILS_OPUS_MESSAGE_H

#include "ns3/circuit-fabric.h"
#include "ns3/header.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ns3
{

/// Kinds of faults.
enum class FaultKind : uint8_t
{
    OCS = 1,      //!< an optical circuit switch as a whole, its management included
    OCS_PORT = 2, //!< a stuck mirror, which leaves a port dark
    NIC_PORT = 3, //!< a port of a NIC, or its transceiver
    GPU = 4,      //!< a lost GPU
    SHIM = 5,     //!< a shim that loses its state
    LINK = 6,     //!< a link between electrical switches; in no message
    SWITCH = 7,   //!< an electrical switch; in no message
};

/// @return all kinds
std::vector<FaultKind> GetFaultKinds();
/// @return the name of a kind, by which users select it
std::string ToString(FaultKind kind);
/// @return the kind of a name, or nothing if there is none
std::optional<FaultKind> FindFaultKind(const std::string& name);

/**
 * @file
 * The types of messages of the Opus control plane.
 */

/// Type of an OpusMessage on the wire.
enum class OpusMessageType : uint8_t
{
    REQUEST = 1,    //!< OpusRequest
    RELEASE = 2,    //!< OpusRelease
    GRANT = 3,      //!< OpusGrant
    RECALL = 4,     //!< OpusRecall
    REFUSE = 5,     //!< OpusRefusal
    CONFIGURE = 6,  //!< OpusCommand
    CONFIGURED = 7, //!< OpusReport
    BATCH = 8,      //!< OpusBatch
    LEARN = 9,      //!< OpusLearn
    LEASES = 10,    //!< OpusLeases
    CIRCUITS = 11,  //!< OpusCircuits
    LEAD = 12,      //!< OpusLead

    HEARTBEAT = 16,    //!< OpusHeartbeat
    FAULT = 17,        //!< OpusFault
    TAKE_OVER = 18,    //!< OpusTakeOver
    ABORT = 19,        //!< OpusAbort
    RESTART = 20,      //!< OpusRestart
    PORTS_FAILED = 21, //!< OpusFailedPorts

    PROGRESS = 22, //!< OpusProgress
    STOP = 23,     //!< OpusStop
    STOPPED = 24,  //!< OpusStopped
    REPLACE = 25,  //!< OpusReplace
    REPLACED = 26, //!< OpusReplaced
    RESUME = 27,   //!< OpusResume
    READY = 28,    //!< OpusReady
    GO = 29,       //!< OpusGo
    LOST = 30,     //!< OpusLost
    GIVE_UP = 31,  //!< OpusGiveUp
};

// --- leases ---

/// The rank that sends or receives a message.
struct OpusRank
{
    uint32_t job{0};  //!< the job
    uint32_t rank{0}; //!< global rank
};

/// The lease that a message concerns.
struct OpusLease : public OpusRank
{
    uint64_t group{0}; //!< the group of ranks
    uint32_t lease{0}; //!< number of the lease, assigned by the rank
};

/// Rank to controller: request for a group.
struct OpusRequest : public OpusLease
{
    static constexpr auto TYPE = OpusMessageType::REQUEST;

    uint64_t completed{0};       //!< collectives of the group that have ended on the rank
    bool passive{false};         //!< the rank only waits to receive
    bool speculative{false};     //!< no call waits for the group yet
    bool held{false};            //!< the rank holds the lease; only in an OpusLeases
    std::vector<uint32_t> ranks; //!< of the group, on the rank's first request for it
};

/// Rank to controller: release of a lease, or withdrawal of a request.
struct OpusRelease : public OpusLease
{
    static constexpr auto TYPE = OpusMessageType::RELEASE;

    uint64_t completed{0}; //!< collectives of the group that have ended on the rank
};

/// Controller to rank: the circuits of the group carry light.
struct OpusGrant : public OpusLease
{
    static constexpr auto TYPE = OpusMessageType::GRANT;

    Time switching; //!< from the command to light; 0 if the circuits were still up
};

/// Controller to rank: release the lease.
struct OpusRecall : public OpusLease
{
    static constexpr auto TYPE = OpusMessageType::RECALL;

    uint64_t limit{0};       //!< collectives below this index can still end
    bool speculative{false}; //!< a hint: a rank that is about to send may keep the lease
};

/// Controller to rank: the group can never be served.
struct OpusRefusal : public OpusLease
{
    static constexpr auto TYPE = OpusMessageType::REFUSE;

    std::string error; //!< why not
};

// --- switches ---

/// Controller to agent: change circuits.
struct OpusCommand
{
    static constexpr auto TYPE = OpusMessageType::CONFIGURE;

    uint64_t number{0}; //!< of the command
    CircuitSet drop;    //!< circuits that exist
    CircuitSet make;    //!< circuits to make
};

/**
 * @brief Agent to controller: the circuits of a command carry light, or the switch has refused the
 * command.
 */
struct OpusReport
{
    static constexpr auto TYPE = OpusMessageType::CONFIGURED;

    uint64_t command{0}; //!< number of the command
    Time duration;       //!< from the arrival of the command to light
    std::string error;   //!< why the switch has refused; empty if it has not
};

// --- a controller that begins anew ---

/// Controller without memory to all others, and manager to its ranks: send what you know.
struct OpusLearn
{
    static constexpr auto TYPE = OpusMessageType::LEARN;

    uint64_t epoch{0}; //!< of the controller
};

/**
 * @brief Agent to controller, as answer to a LEARN: the circuits of the switch. FAULT messages for
 * its stuck ports follow.
 */
struct OpusCircuits
{
    static constexpr auto TYPE = OpusMessageType::CIRCUITS;

    static constexpr uint32_t OWN_RAIL = 0xffffffff; //!< the rail that the fibers never leave

    uint64_t epoch{0};           //!< of the LEARN
    uint64_t starts{0};          //!< number of starts of the agent
    bool isNew{false};           //!< the agent has started since the last TAKE_OVER
    std::vector<uint32_t> rails; //!< the rail whose fibers end at the switch, or none
    CircuitSet circuits;         //!< circuits of the switch, which is at rest
};

/// Controller to the other node of its pair: heartbeat of the active controller.
struct OpusLead
{
    static constexpr auto TYPE = OpusMessageType::LEAD;

    uint64_t epoch{0}; //!< of the controller
};

// --- faults ---

/// Agent to fault monitor: heartbeat.
struct OpusHeartbeat
{
    static constexpr auto TYPE = OpusMessageType::HEARTBEAT;

    uint64_t starts{0}; //!< number of starts of the agent
};

/// To the controller, from the node that has detected it: fault or repair of a component.
struct OpusFault : public OpusRank
{
    static constexpr auto TYPE = OpusMessageType::FAULT;

    FaultKind kind{FaultKind::OCS}; //!< kind of component; GPU, NIC_PORT and SHIM belong to a rank
    bool repaired{false};           //!< true for a repair
    uint32_t ocs{0};                //!< switch, for OCS and OCS_PORT
    uint32_t port{0};               //!< port of the switch or of the NIC of the rank
    uint64_t starts{0};             //!< number of starts of the agent, for a repaired OCS
};

/**
 * @brief Controller to agent: the switch carries a rail now, and has no circuits yet.
 *
 * The agent ignores the message if it has started again since then: the controller does not know
 * yet that the circuits are lost.
 */
struct OpusTakeOver
{
    static constexpr auto TYPE = OpusMessageType::TAKE_OVER;

    uint32_t rail{0};   //!< the rail
    uint64_t starts{0}; //!< number of starts of the agent that the controller knows of
};

/// Controller to rank: the job has failed.
struct OpusAbort : public OpusRank
{
    static constexpr auto TYPE = OpusMessageType::ABORT;

    std::string error; //!< why
};

/// Rank to controller: the shim has lost its record of leases.
struct OpusRestart : public OpusRank
{
    static constexpr auto TYPE = OpusMessageType::RESTART;

    std::vector<uint64_t> groups; //!< groups that calls of the rank need
};

/// Controller to rank: the NIC ports of the rail that circuits do not use, all of them.
struct OpusFailedPorts : public OpusRank
{
    static constexpr auto TYPE = OpusMessageType::PORTS_FAILED;

    /// A port of the NIC of a GPU.
    struct Port
    {
        uint32_t gpu{0};
        uint32_t port{0};
    };

    std::vector<Port> ports;
};

// --- recovery: a job continues on other GPUs ---

/// The GPU that sends or receives a message.
struct OpusGpu
{
    uint32_t gpu{0}; //!< its number
};

/// The job that a message of a recovery is about.
struct OpusJob
{
    uint32_t job{0}; //!< number of the job
};

/// The generation of the job that a message of a recovery belongs to.
struct OpusGeneration
{
    uint64_t generation{0}; //!< number of restarts of the job
};

/// GPU to its host: iterations have ended, and their state is stored.
struct OpusProgress : public OpusGpu
{
    static constexpr auto TYPE = OpusMessageType::PROGRESS;

    uint32_t iterations{0}; //!< number of ended iterations
};

/// Host to coordinator, and from the link of the GPU to its host: the GPU is lost.
struct OpusLost : public OpusGpu
{
    static constexpr auto TYPE = OpusMessageType::LOST;

    uint32_t iterations{0}; //!< iterations that its rank had ended; 0 on the link
};

/// Coordinator to GPU: leave the groups of the job.
struct OpusStop : public OpusGpu, public OpusGeneration, public OpusJob
{
    static constexpr auto TYPE = OpusMessageType::STOP;
};

/// GPU to coordinator: the GPU has left the groups.
struct OpusStopped : public OpusGpu, public OpusGeneration
{
    static constexpr auto TYPE = OpusMessageType::STOPPED;

    /// Numbers of the next queue pairs of the GPU.
    struct Numbers
    {
        uint64_t rail{0};   //!< on the rail
        uint64_t domain{0}; //!< in the scale-up domain
    };

    uint32_t rank{0};       //!< rank of the GPU so far
    uint32_t iterations{0}; //!< iterations that the rank has ended
    Numbers next;           //!< queue pairs
};

/// Coordinator to controller: the GPUs of the ranks.
struct OpusReplace : public OpusGeneration, public OpusJob
{
    static constexpr auto TYPE = OpusMessageType::REPLACE;

    std::vector<uint64_t> gpus; //!< by rank
};

/**
 * @brief Controller to coordinator: circuits are planned for the GPUs of an OpusReplace, or cannot
 * be planned.
 */
struct OpusReplaced : public OpusGeneration, public OpusJob
{
    static constexpr auto TYPE = OpusMessageType::REPLACED;

    std::string error; //!< why circuits cannot be planned; empty if they are
};

/// Coordinator to GPU: the GPU of every rank, and the iteration to continue with.
struct OpusResume : public OpusGpu, public OpusGeneration, public OpusJob
{
    static constexpr auto TYPE = OpusMessageType::RESUME;

    /// The GPU of a rank.
    struct Place
    {
        uint64_t gpu{0};          //!< its number
        uint32_t railNumber{0};   //!< of its first new queue pair on the rail
        uint32_t domainNumber{0}; //!< of its first new queue pair in the scale-up domain
    };

    uint32_t rank{0};          //!< rank of the GPU
    uint32_t iteration{0};     //!< iteration to continue with
    std::vector<Place> places; //!< by rank
};

/// GPU to coordinator: the communicators exist.
struct OpusReady : public OpusGpu, public OpusGeneration
{
    static constexpr auto TYPE = OpusMessageType::READY;
};

/// Coordinator to GPU: all GPUs are ready.
struct OpusGo : public OpusGpu, public OpusGeneration, public OpusJob
{
    static constexpr auto TYPE = OpusMessageType::GO;
};

/// Coordinator to GPU: the job has failed.
struct OpusGiveUp : public OpusGpu, public OpusGeneration, public OpusJob
{
    static constexpr auto TYPE = OpusMessageType::GIVE_UP;

    std::string error; //!< why
};

class OpusMessage;

/// Manager to controller: requests and releases of several ranks of a job.
struct OpusBatch
{
    static constexpr auto TYPE = OpusMessageType::BATCH;

    uint32_t job{0};
    std::vector<OpusMessage> parts; //!< OpusRequest and OpusRelease of that job, in order
};

/**
 * @brief Rank to controller, as answer to a LEARN: all leases and requests of the rank. Messages
 * that the rank sent earlier are void.
 */
struct OpusLeases : public OpusRank
{
    static constexpr auto TYPE = OpusMessageType::LEASES;

    uint64_t epoch{0};              //!< of the LEARN
    bool hasFailedPorts{false};     //!< the NIC of the rank avoids ports
    std::string error;              //!< why the job has failed; empty unless it has
    std::vector<OpusMessage> parts; //!< OpusRequest and OpusRelease of the rank's job, in order
};

/**
 * @brief A message of the Opus control plane: one of the types of Body.
 *
 * On the wire: length of the rest (4 bytes), version (1), type (1), flags (2), then the fields of
 * the type in network byte order. The length allows a receiver to split a byte stream into messages
 * and to skip unreadable ones. If a message is too long, too short or of an unknown type,
 * Deserialize consumes nothing and IsValid returns false.
 */
class OpusMessage : public Header
{
  public:
    static constexpr uint8_t VERSION = 1;
    static constexpr uint32_t LENGTH_BYTES = 4;     //!< of the length field
    static constexpr uint32_t MAX_RANKS = 65536;    //!< of a group
    static constexpr uint32_t MAX_CIRCUITS = 65536; //!< to drop, and to make
    static constexpr uint32_t MAX_TEXT = 1024;      //!< bytes of an error
    static constexpr uint32_t MAX_GROUPS = 65536;   //!< of a RESTART
    static constexpr uint32_t MAX_LENGTH =
        128 + 2 * 8 * MAX_CIRCUITS; //!< value of the length field

    /// One alternative for each OpusMessageType.
    using Body = std::variant<OpusRequest,
                              OpusRelease,
                              OpusGrant,
                              OpusRecall,
                              OpusRefusal,
                              OpusCommand,
                              OpusReport,
                              OpusBatch,
                              OpusLearn,
                              OpusLeases,
                              OpusCircuits,
                              OpusLead,
                              OpusHeartbeat,
                              OpusFault,
                              OpusTakeOver,
                              OpusAbort,
                              OpusRestart,
                              OpusFailedPorts,
                              OpusProgress,
                              OpusLost,
                              OpusStop,
                              OpusStopped,
                              OpusReplace,
                              OpusReplaced,
                              OpusResume,
                              OpusReady,
                              OpusGo,
                              OpusGiveUp>;

    OpusMessage() = default;

    /// @param body one of the alternatives of Body
    template <typename T, auto = std::decay_t<T>::TYPE>
    OpusMessage(T&& body)
        : m_body(std::forward<T>(body))
    {
    }

    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    /**
     * @brief Read a message from bytes.
     * @param bytes the bytes, from the length field on
     * @param size number of bytes
     * @return number of bytes of the message; 0 if it is malformed
     */
    uint32_t Parse(const uint8_t* bytes, uint32_t size);

    /// @return false after a Deserialize or Parse that failed
    bool IsValid() const
    {
        return m_valid;
    }

    /// @return the type of the body
    OpusMessageType GetType() const;

    /// @return the body if it is a T, otherwise nullptr
    template <typename T>
    const T* Get() const
    {
        return std::get_if<T>(&m_body);
    }

    /// Call a function with the body. @param visitor takes any of the alternatives of Body
    template <typename F>
    void Visit(F&& visitor) const
    {
        std::visit(std::forward<F>(visitor), m_body);
    }

    /// @return the rank that sends or receives the message; nullptr for messages without a rank
    const OpusRank* GetRank() const
    {
        return FindPart<OpusRank>();
    }

    /// @return the lease that the message concerns; nullptr for messages without a lease
    const OpusLease* GetLease() const
    {
        return FindPart<OpusLease>();
    }

    /// @return the GPU that sends or receives a message of a recovery; nullptr for other messages
    const OpusGpu* GetGpu() const
    {
        return FindPart<OpusGpu>();
    }

  private:
    /// @return the part of the body that is a T; nullptr if it has none
    template <typename T>
    const T* FindPart() const
    {
        return std::visit(
            [](const auto& body) -> const T* {
                if constexpr (std::is_base_of_v<T, std::decay_t<decltype(body)>>)
                {
                    return &body;
                }
                else
                {
                    return nullptr;
                }
            },
            m_body);
    }

    Body m_body;
    bool m_valid{true};
};

/**
 * @param type a type of message
 * @return its name
 */
std::string ToString(OpusMessageType type);

} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_MESSAGE_H
