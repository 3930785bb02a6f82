// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_PACER_H
#define PHOTONIC_RAILS_RDMA_PACER_H

#include "rdma-congestion-control.h"

#include "ns3/fifo.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief Connects a requester to its congestion control.
 *
 * RdmaPacer measures round trips for the control. From the rate and window of the control it
 * derives when the next packet may leave, how many packets may be in flight, and how often packets
 * request an acknowledgement.
 */
class RdmaPacer
{
  public:
    /// @param control a control that has been started
    explicit RdmaPacer(Ptr<RdmaCongestionControl> control);
    ~RdmaPacer();

    /// @return the control
    Ptr<RdmaCongestionControl> GetControl() const;

    /// @return when the next packet may leave, which may be in the past
    Time GetNextSendTime() const
    {
        return m_nextSend;
    }

    /**
     * @brief Update the control while the next packet waits.
     * @return when to call again: GetNextSendTime(), or earlier if elapsed time alone may raise the
     * rate before
     */
    Time Rest();

    /**
     * @param packets a window in packets
     * @return the smaller of that window and the control's window, at least 1
     */
    uint32_t LimitWindow(uint32_t packets) const;

    /**
     * @brief Limit the packets per acknowledgement. A window of the control contains at least four
     * acknowledgement requests. If the rate is at most the line rate / `packets`, every packet
     * requests an acknowledgement: packets are then as far apart as acknowledgements at line rate.
     * @param packets packets per acknowledgement (AckInterval)
     * @return `packets` or fewer
     */
    uint32_t LimitAckInterval(uint32_t packets) const;

    /**
     * @brief A packet has begun to leave.
     * @param wireBytes wire bytes of the packet
     */
    void Sent(uint32_t wireBytes);
    /**
     * @brief Start the measurement of a packet that is sent with an acknowledgement request. If the
     * packet is sent again, its round trip counts from the last copy, and the measurements of later
     * packets are discarded.
     *
     * NICs timestamp every packet. Unlike a retransmission timer (Karn's algorithm), a control
     * therefore receives round trips during retransmissions. If an earlier copy was late rather
     * than lost, its acknowledgement makes the round trip appear too short.
     * @param psn PSN of the packet
     */
    void Measure(uint64_t psn);
    /**
     * @brief Packets have been acknowledged.
     * @param from first PSN that was not acknowledged before
     * @param to one past the last acknowledged PSN
     */
    void Acknowledged(uint64_t from, uint64_t to);
    /// A CNP has arrived.
    void Notified();
    /// Report a loss to the control and discard the round trips being measured.
    /// @param loss how the loss was detected
    void Lost(RdmaCongestionControl::Loss loss);
    /// Discard the round trips being measured.
    void ForgetMeasurements();

  private:
    /// Let the next packet leave earlier if the rate of the control has risen.
    void RateMayHaveRisen();

    /// A packet in flight whose acknowledgement gives a round trip.
    struct Sample
    {
        uint64_t psn{0};
        Time at; //!< when the packet was sent last
    };

    Ptr<RdmaCongestionControl> m_control;
    double m_stepsPerSecond; //!< of simulated time
    Time m_nextSend;
    double m_pacedRate; //!< rate in bit/s that m_nextSend is computed from
    Fifo<Sample> m_samples;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_PACER_H
