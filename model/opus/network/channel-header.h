// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CHANNEL_HEADER_H
#define PHOTONIC_RAILS_CHANNEL_HEADER_H

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @brief What a frame of a reliable channel says of itself, between the UDP header and the
 * messages.
 *
 * On the wire, in network byte order: version (1 byte), flags (1), zero (2), epoch (4), epoch heard
 * (4), identity (4), begin (8), acknowledgement (8).
 */
struct ChannelHeader
{
    static constexpr std::size_t SIZE = 32; //!< bytes
    static constexpr uint8_t VERSION = 1;   //!< of the format
    static constexpr uint8_t ANNOUNCE = 1;  //!< flag: answer at once; a new epoch begins

    uint8_t flags{0};            //!< ANNOUNCE or none
    uint32_t epoch{0};           //!< of the sender: grows whenever it begins anew
    uint32_t heard{0};           //!< highest epoch of the other end that the sender has heard
    uint32_t identity{0};        //!< address in whose place the sender speaks; 0: its own
    uint64_t begin{0};           //!< position of the first byte that follows
    uint64_t acknowledgement{0}; //!< the sender has confirmed all before this position

    /// @param bytes receives SIZE bytes
    void Write(uint8_t* bytes) const;

    /**
     * @param bytes what has arrived
     * @param size how many there are
     * @return false if they do not begin with such a header
     */
    bool Read(const uint8_t* bytes, std::size_t size);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CHANNEL_HEADER_H
