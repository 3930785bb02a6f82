// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_MESSAGE_H
#define PHOTONIC_RAILS_OPUS_MESSAGE_H

#include "fault-kind.h"

#include "ns3/circuit.h"
#include "ns3/header.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What shims, controller and switch agents say to each other.
enum class OpusMessageType : uint8_t
{
    REQUEST = 1,    //!< rank to controller: it wants a group
    RELEASE = 2,    //!< rank to controller: it gives a lease up
    GRANT = 3,      //!< controller to rank: the group's circuits carry light
    RECALL = 4,     //!< controller to rank: give the lease back
    REFUSE = 5,     //!< controller to rank: the group can never be served
    CONFIGURE = 6,  //!< controller to agent: change circuits
    CONFIGURED = 7, //!< agent to controller: there is light, or the switch refused
    BATCH = 8,      //!< manager to controller: requests and releases of several ranks of a job
    ENTRY = 9,      //!< controller to standby: a message that it is going to act on
    STORED = 10,    //!< standby to controller: that entry and all before it are safe
    LEAD = 11,      //!< controller to standby: it is there
    YIELD = 12,     //!< either to the other: the standby is the controller now, or shall be

    HEARTBEAT = 16, //!< agent to fault monitor: it is there
    FAULT = 17,     //!< somebody who has noticed to the controller: something is broken, or mended
    TAKE_OVER = 18, //!< controller to agent: a rail has its switch now, and nothing is up yet
    ABORT = 19,     //!< controller to rank: the job has failed
    RESTART = 20,   //!< rank to controller: its shim has forgotten all but what is listed
    AVOID = 21,     //!< controller to rank: ports of NICs that circuits of its rail use no more

    PROGRESS = 22, //!< GPU to its host: so many iterations have ended, and their state is safe
    STOP = 23,     //!< recovery coordinator to GPU: leave the job's groups
    STOPPED = 24,  //!< GPU to coordinator: it has, and how far it had come
    REPLACE = 25,  //!< coordinator to controller: the GPUs that ranks are on from now on
    REPLACED = 26, //!< controller to coordinator: circuits are planned for those
    RESUME = 27,   //!< coordinator to GPU: which GPU is which rank, and where to go on
    READY = 28,    //!< GPU to coordinator: its communicators are there
    GO = 29,       //!< coordinator to GPU: all are ready
};

/**
 * @brief A message of the Opus control plane.
 *
 * On the wire: length of what follows (4 bytes), version (1), type (1), flags (2), then the fields
 * of the type in network byte order. The length lets a receiver cut messages out of a byte stream
 * and skip what it cannot read. A message that is too long, too short or of an unknown type makes
 * Deserialize consume nothing; IsValid then returns false.
 */
class OpusMessage : public Header
{
  public:
    static constexpr uint8_t VERSION = 1;
    static constexpr uint32_t LENGTH_BYTES = 4;                       //!< of the length field
    static constexpr uint32_t MAX_RANKS = 65536;                      //!< of a group
    static constexpr uint32_t MAX_CIRCUITS = 65536;                   //!< to drop, and to make
    static constexpr uint32_t MAX_TEXT = 1024;                        //!< bytes of an error
    static constexpr uint32_t MAX_GROUPS = 65536;                     //!< of a RESTART
    static constexpr uint32_t MAX_LENGTH = 64 + 2 * 8 * MAX_CIRCUITS; //!< value of the length field

    OpusMessage() = default;
    /// @param type what kind of message
    explicit OpusMessage(OpusMessageType type);

    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    /**
     * @brief Read a message from raw bytes.
     * @param bytes the bytes, from the length field on
     * @param size how many there are
     * @return bytes of the message; 0 if it is malformed
     */
    uint32_t Parse(const uint8_t* bytes, uint32_t size);

    /// @return false after a Deserialize or Parse that failed
    bool IsValid() const;

    OpusMessageType type{OpusMessageType::REQUEST}; //!< which of the fields below are sent

    // REQUEST, RELEASE, GRANT, RECALL, REFUSE
    uint32_t job{0};   //!< the job, also of BATCH
    uint32_t rank{0};  //!< who asks, or is told
    uint64_t group{0}; //!< the group of ranks
    uint32_t lease{0}; //!< number of the lease

    uint64_t completed{0};       //!< REQUEST, RELEASE: collectives of the group that have ended
    bool passive{false};         //!< REQUEST: the rank only waits to receive
    bool speculative{false};     //!< REQUEST: no call waits for it yet
    std::vector<uint32_t> ranks; //!< REQUEST: the ranks of the group, on its first use by the rank
    uint64_t limit{0};           //!< RECALL: collectives below this index can still end
    uint64_t command{0};         //!< CONFIGURE, CONFIGURED: number of the command
    CircuitSet drop;             //!< CONFIGURE
    CircuitSet make;             //!< CONFIGURE
    Time duration;               //!< GRANT, CONFIGURED: time from the command to light
    std::string error;           //!< REFUSE, CONFIGURED: why not
    std::vector<OpusMessage> parts; //!< BATCH: messages of its job, in order; ENTRY: the message

    // ENTRY; command is its number, of a STORED too, and of a LEAD the epoch
    uint32_t fromAddress{0}; //!< whence the message came
    uint16_t fromPort{0};    //!< UDP port of the same
    uint64_t begin{0};       //!< where it lay in what was heard from there
    uint64_t end{0};         //!< and where it ended

    // HEARTBEAT, FAULT, TAKE_OVER, ABORT, RESTART, AVOID, and all of a recovery; with the job, the
    // rank, the command (of a HEARTBEAT: how often the agent has been started) and the error
    FaultKind fault{FaultKind::OCS}; //!< FAULT: what it is
    bool mended{false};              //!< FAULT: and it is mended
    uint32_t ocs{0};                 //!< FAULT, TAKE_OVER: the switch or rail
    uint32_t port{0};                //!< FAULT: the port of the switch or NIC
    std::vector<uint64_t> groups;    //!< RESTART: groups that the rank's calls need; AVOID: the
                                     //!< ports, with the GPU in the upper 32 bits of each

    // Of a recovery (PROGRESS to GO, and FAULT and ABORT between a host and the coordinator) the
    // rank is the number of the GPU that says or is told it, the command the generation of the job,
    // port a number of iterations and ocs the rank that the GPU serves. Groups are of a STOPPED the
    // first numbers of the queue pairs to come, on the rail and in the domain; of a REPLACE the GPU
    // of each rank; of a RESUME the same and both numbers for each of them.

  private:
    bool m_valid{true};
};

/**
 * @param type a type of message
 * @return its name
 */
std::string ToString(OpusMessageType type);

} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_MESSAGE_H
