// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MESSAGE_READER_H
#define PHOTONIC_RAILS_MESSAGE_READER_H

#include "opus-message.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Cuts bytes that arrive in order into messages, by their length fields.
 *
 * A message that cannot be read is dropped and counted. After a length that cannot be true nobody
 * knows where the next message begins: what has arrived so far is dropped and counted once.
 */
class MessageReader
{
  public:
    /**
     * @param bytes what has arrived
     * @param size how many there are
     */
    void Append(const uint8_t* bytes, std::size_t size);

    /**
     * @param message receives the next message that is there in full and can be read
     * @return false if there is none
     */
    bool Next(OpusMessage& message);

    /// @return bytes that have arrived and belong to a message that is not there in full
    std::size_t GetPending() const;

    /// @return messages that arrived and could not be read
    uint64_t GetMalformed() const;

  private:
    std::vector<uint8_t> m_bytes; //!< from m_offset on not yet read
    std::size_t m_offset{0};      //!< where the next message begins
    uint64_t m_malformed{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MESSAGE_READER_H
