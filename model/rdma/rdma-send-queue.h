// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_SEND_QUEUE_H
#define PHOTONIC_RAILS_RDMA_SEND_QUEUE_H

#include "roce-header.h"

#include "ns3/fifo.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief The unfinished messages of a requester, as packets with consecutive PSNs: it knows what is
 * in each packet.
 *
 * The packets of a message are parts of one RDMA Write. With selective repeat, where they may
 * arrive in any order, each is a Write of its own to its own address.
 */
class RdmaSendQueue
{
  public:
    /// A message on its way.
    struct Message
    {
        uint64_t bytes{0};
        uint64_t firstPsn{0};
        uint64_t packets{0};
        uint32_t immediate{0};
        Time postedAt;       //!< when it was posted
        bool signaled{true}; //!< who posted it wants to know when it is finished
    };

    /// @param bytes payload of a full packet; aborts if something has been posted
    void SetMtu(uint32_t bytes);

    /// @return payload bytes of a full packet
    uint32_t GetMtu() const
    {
        return m_mtu;
    }

    /// @param separate every packet is a Write of its own; aborts if something has been posted
    void SetSeparateWrites(bool separate);

    /// @param psn of the first packet; to be called before anything is posted
    void Start(uint64_t psn);
    /// Forget all messages.
    void Clear();

    /**
     * @param bytes size of a message; 0 takes a packet too
     * @param immediate sent with it
     * @param now the time
     * @param signaled see Message
     */
    void Post(uint64_t bytes, uint32_t immediate, Time now = Time(), bool signaled = true);

    /// Who has posted the last message wants to know after all; returns false if there is none.
    bool Signal();

    /// @return one past the last packet
    uint64_t GetEndPsn() const
    {
        return m_endPsn;
    }

    /// @return true if there are no messages
    bool IsEmpty() const
    {
        return m_messages.empty();
    }

    /**
     * @param psn a packet
     * @return true if there is a message and the oldest has only packets before this one
     */
    bool EndsBefore(uint64_t psn) const
    {
        return !m_messages.empty() &&
               m_messages.front().firstPsn + m_messages.front().packets <= psn;
    }

    /// @return the oldest message, which is removed
    Message Pop();

    /// @return the number of messages
    std::size_t GetNMessages() const
    {
        return m_messages.size();
    }

    /**
     * @param index 0 for the oldest
     * @return a message
     */
    const Message& GetMessage(std::size_t index) const
    {
        return m_messages[index];
    }

    /**
     * @param message one of the messages
     * @param index of a packet of it
     * @return bytes of its frame, without FCS
     */
    uint32_t GetFrameBytes(const Message& message, uint64_t index) const;

    /**
     * @brief Write the headers of a packet, but for its destination and whether it asks for an
     * acknowledgement.
     * @param header gets BTH, RETH and immediate
     * @param psn a packet of one of the messages
     */
    void FillHeader(RoceHeader& header, uint64_t psn);

  private:
    /// @return the opcode of a packet of a message
    RoceHeader::Opcode GetOpcode(bool first, bool last) const;
    /// @return payload bytes of a packet of a message
    uint32_t GetPayload(const Message& message, uint64_t index) const;
    /// @return the message that a packet belongs to
    const Message& Find(uint64_t psn);

    Fifo<Message> m_messages; //!< in order of PSN
    std::size_t m_found{0};   //!< index of the message that was wanted last
    uint32_t m_mtu{4096};
    bool m_separate{false};
    uint64_t m_firstPsn{0};
    uint64_t m_endPsn{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_SEND_QUEUE_H
