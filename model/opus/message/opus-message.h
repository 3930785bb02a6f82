// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_MESSAGE_H
#define PHOTONIC_RAILS_OPUS_MESSAGE_H

#include "opus-message-types.h"

#include "ns3/header.h"

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ns3
{

class OpusMessage;

/// Manager to controller: requests and releases of several ranks of a job.
struct OpusBatch
{
    static constexpr auto TYPE = OpusMessageType::BATCH;

    uint32_t job{0};
    std::vector<OpusMessage> parts; //!< OpusRequest and OpusRelease of that job, in order
};

/// Controller to standby: an input that the controller is going to act on.
struct OpusEntry
{
    static constexpr auto TYPE = OpusMessageType::ENTRY;

    uint64_t number{0};               //!< of the entry, from 1
    uint32_t fromAddress{0};          //!< IPv4 address of the sender of the input
    uint16_t fromPort{0};             //!< UDP port of the same
    uint64_t begin{0};                //!< position of the input in the sender's stream
    uint64_t end{0};                  //!< position behind the input
    std::vector<OpusMessage> message; //!< the input: one, and no OpusEntry
};

/**
 * @brief A message of the Opus control plane: one of the types that the body can have.
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

    /// One alternative for each OpusMessageType.
    using Body = std::variant<OpusRequest,
                              OpusRelease,
                              OpusGrant,
                              OpusRecall,
                              OpusRefusal,
                              OpusCommand,
                              OpusReport,
                              OpusBatch,
                              OpusEntry,
                              OpusStored,
                              OpusLead,
                              OpusYield,
                              OpusHeartbeat,
                              OpusFault,
                              OpusTakeOver,
                              OpusAbort,
                              OpusRestart,
                              OpusAvoid,
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
     * @brief Read a message from raw bytes.
     * @param bytes the bytes, from the length field on
     * @param size how many there are
     * @return bytes of the message; 0 if it is malformed
     */
    uint32_t Parse(const uint8_t* bytes, uint32_t size);

    /// @return false after a Deserialize or Parse that failed
    bool IsValid() const;

    /// @return the type of the body
    OpusMessageType GetType() const;

    /// @return the body if it is a T, otherwise nullptr
    template <typename T>
    const T* Get() const
    {
        return std::get_if<T>(&m_body);
    }

    /// @return the rank that sends or receives the message; nullptr if it is about none
    const OpusRank* GetRank() const;
    /// @return the lease that the message is about; nullptr if it is about none
    const OpusLease* GetLease() const;
    /// @return the GPU that sends or receives the message of a recovery; nullptr if it is none
    const OpusGpu* GetGpu() const;

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
