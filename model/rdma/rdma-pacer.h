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
 * @brief What a requester has in addition when it has a congestion control: it measures the round
 * trips that the control wants to know, and turns its answers into when the next packet may leave,
 * how many may be in flight and how often to ask for an acknowledgement.
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
     * @brief The next packet has to wait: let the control's time pass.
     * @return when to look again: GetNextSendTime(), or earlier if the rate rises by itself before
     */
    Time Rest();

    /**
     * @param packets a window
     * @return that window or the control's, whichever is smaller, at least 1
     */
    uint32_t LimitWindow(uint32_t packets) const;

    /**
     * @brief An acknowledgement is asked for four times in a window of the control, and on every
     * packet when the rate is at most the line rate / `packets`: then packets are as far apart as
     * acknowledgements are at line rate.
     * @param packets packets to an acknowledgement, AckInterval
     * @return the same, or fewer
     */
    uint32_t LimitAckInterval(uint32_t packets) const;

    /**
     * @brief A packet has begun to leave.
     * @param wireBytes bytes that it occupies the fibre for
     */
    void Sent(uint32_t wireBytes);
    /**
     * @brief A packet that asks for an acknowledgement is sent, for the first time or again: the
     * delay counts from its last copy, and those behind it are not clean any more.
     *
     * NICs take the time of every packet, so unlike a retransmission timer (Karn) a control hears
     * of round trips while packets are repeated. The acknowledgement of a copy that was late and
     * not lost makes the round trip look shorter than it is.
     * @param psn the packet
     */
    void Measure(uint64_t psn);
    /**
     * @brief Packets have been acknowledged.
     * @param from first packet that was not known to have arrived
     * @param to one past the last
     */
    void Acknowledged(uint64_t from, uint64_t to);
    /// A CNP has arrived.
    void Notified();
    /// @param loss packets are going to be repeated: round trips under way are not clean
    void Lost(RdmaCongestionControl::Loss loss);
    /// Forget round trips under way.
    void ForgetMeasurements();

  private:
    /// The control may have another rate: the next packet leaves earlier if it has risen.
    void RateMayHaveRisen();

    /// A packet on its way whose acknowledgement gives a round trip.
    struct Sample
    {
        uint64_t psn{0};
        Time at;
    };

    Ptr<RdmaCongestionControl> m_control;
    double m_stepsPerSecond; //!< of simulated time
    Time m_nextSend;
    double m_pacedRate; //!< bit/s that m_nextSend has been worked out with
    Fifo<Sample> m_samples;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_PACER_H
