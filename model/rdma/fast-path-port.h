// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAST_PATH_PORT_H
#define PHOTONIC_RAILS_FAST_PATH_PORT_H

#include "fast-path.h"

#include "ns3/ptr.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ns3
{

/**
 * @brief The fast path that a NIC port belongs to, and the number of packets until the port next
 * tries to start a FastPathRegion with packets in flight.
 *
 * Each attempt doubles the number of packets until the next one, up to MOST_BACKOFF times the
 * initial number. A fast path that computes WORTHWHILE times the initial number of packets resets
 * the number.
 */
class FastPathPort
{
  public:
    /**
     * @param port the port
     * @param attemptPackets packets until the first attempt, at least 1
     */
    FastPathPort(const EthernetPortNetDevice& port, uint32_t attemptPackets)
        : m_port(&port),
          m_leastInterval(attemptPackets),
          m_interval(attemptPackets),
          m_untilAttempt(attemptPackets)
    {
    }

    /// @return the fast path that computes the traffic of the port, or null
    const Ptr<FastPath>& Get() const
    {
        return m_fastPath;
    }

    /// @return true if a fast path that has ended reports messages later at this simulated time
    bool HasEnded() const
    {
        return m_ended != nullptr;
    }

    /**
     * @brief A fast path computes the traffic of the port from now on.
     * @param fastPath the fast path
     */
    void Begin(const Ptr<FastPath>& fastPath)
    {
        m_fastPath = fastPath;
    }

    /**
     * @brief The fast path has ended.
     * @param reports true if it reports messages later at this simulated time
     * @param packets data packets that it has computed, of all ports
     */
    void End(bool reports, uint64_t packets)
    {
        if (packets >= uint64_t{WORTHWHILE} * m_leastInterval)
        {
            m_interval = m_leastInterval;
        }
        m_untilAttempt = m_interval;
        m_ended = reports ? m_fastPath : nullptr;
        m_fastPath = nullptr;
    }

    /// Return from the fast path to packets, if one computes the traffic of the port.
    void Interrupt() const
    {
        if (const Ptr<FastPath> fastPath = m_fastPath)
        {
            fastPath->Leave();
        }
    }

    /**
     * @brief Pass posted messages to the fast path of the port, or end the fast path.
     * @param queuePair the queue pair of the messages
     * @return true if the fast path has taken the messages
     */
    bool Take(const RdmaQueuePair& queuePair) const
    {
        if (!m_fastPath)
        {
            return false;
        }
        if (m_fastPath->Posted(queuePair))
        {
            return true;
        }
        Interrupt();
        return false;
    }

    /// Report messages of a fast path that has ended.
    void DeliverEnded()
    {
        if (m_ended)
        {
            std::exchange(m_ended, nullptr)->DeliverDue(*m_port);
        }
    }

    /// Report messages of the current fast path that are due.
    void DeliverDue() const
    {
        if (m_fastPath)
        {
            m_fastPath->DeliverDue(*m_port);
        }
    }

    /**
     * @brief Count a data packet that the port is about to send.
     * @return true if the port must try to start a FastPathRegion first
     */
    bool IsAttemptDue()
    {
        return --m_untilAttempt == 0;
    }

    /// Double the number of packets until the next attempt.
    void BackOff()
    {
        m_interval = std::min(2 * m_interval, MOST_BACKOFF * m_leastInterval);
        m_untilAttempt = m_interval;
    }

  private:
    static constexpr uint32_t MOST_BACKOFF = 512;
    static constexpr uint32_t WORTHWHILE = 32;

    const EthernetPortNetDevice* m_port;
    Ptr<FastPath> m_fastPath;
    Ptr<FastPath> m_ended;
    uint32_t m_leastInterval; //!< packets
    uint32_t m_interval;      //!< packets from one attempt to the next
    uint32_t m_untilAttempt;  //!< packets until the next attempt
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAST_PATH_PORT_H
