// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_CONGESTION_CONTROL_H
#define PHOTONIC_RAILS_RDMA_CONGESTION_CONTROL_H

#include "ns3/data-rate.h"
#include "ns3/fifo.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"
#include "ns3/variant.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief Congestion control of the sending side of one queue pair.
 *
 * A control is a class that derives from this one and is registered with ns-3 (see Variant); the
 * flag --cc takes the name of any.
 *
 * The queue pair reports the events of its packets to the control. The control sets a pacing rate
 * and a window, which apply in addition to the attribute Window of the queue pair. A control
 * schedules no simulator events: each call passes the present time, and the control catches up with
 * its timers then. The rate matters only while a packet waits to be sent; the queue pair then calls
 * Update to learn when the rate changes next. Idle queue pairs therefore cost no events.
 *
 * RdmaQueuePair creates a control if its attribute CongestionControl names a type. Without a
 * control, only the window limits the queue pair.
 */
class RdmaCongestionControl : public Object
{
  public:
    static TypeId GetTypeId();

    /// @return the name in flags and files
    virtual std::string GetName() const = 0;

    /// The reason for a retransmission.
    enum Loss
    {
        GAP,      //!< the receiver has reported missing packets
        TIME_OUT, //!< the retransmission timer has expired
    };

    /// A window without limit.
    static constexpr double NO_WINDOW = 1e9;

    /**
     * @param name a name given by the user
     * @return true if the name is empty, "none", or the TypeId name of a control
     */
    static bool IsKnown(const std::string& name);

    /**
     * @brief Begin at line rate.
     * @param lineRate rate of the port
     * @param mtu payload bytes of a full packet
     */
    void Start(DataRate lineRate, uint32_t mtu);

    /**
     * @brief A data packet has begun to leave.
     * @param now the time
     * @param wireBytes wire bytes of the packet
     */
    virtual void PacketSent(Time now, uint32_t wireBytes) = 0;

    /**
     * @brief Packets have been acknowledged.
     * @param now the time
     * @param packets number of packets, full or not
     * @param roundTrip time from the last transmission of the packet that requested the
     * acknowledgement to the arrival of the acknowledgement; 0 if unknown
     */
    virtual void Acknowledged(Time now, uint64_t packets, Time roundTrip) = 0;

    /**
     * @brief A congestion notification packet has arrived.
     * @param now the time
     */
    virtual void Notified(Time now) = 0;

    /**
     * @brief Packets will be retransmitted. Called once each time that the sender goes back or
     * enters loss recovery.
     * @param now the time
     * @param loss how the loss was detected
     */
    virtual void Lost(Time now, Loss loss) = 0;

    /**
     * @brief Apply the effects of elapsed time.
     * @param now the time
     * @return the time after `now` when elapsed time alone may change the rate next; Time::Max() if
     * elapsed time alone never changes the rate
     */
    virtual Time Update(Time now);

    /// @return true if the receiver answers congestion marks with CNPs: --cc then needs --ecn
    virtual bool UsesNotifications() const = 0;

    /// @return the pacing rate in bit/s on the fiber, at most the line rate
    double GetRate() const
    {
        return m_rate;
    }

    /// @return the window in packets; below 1, one packet at the pacing rate
    double GetWindow() const
    {
        return m_window;
    }

    /// @return the line rate of the port in bit/s
    double GetLineRate() const
    {
        return m_lineRate;
    }

    /**
     * TracedCallback signature of a value that changes.
     * @param before the old value: bit/s, or packets
     * @param now the new one
     */
    typedef void (*ChangeTracedCallback)(double before, double now);

  protected:
    /// Initialize the control. The line rate and the MTU are set.
    virtual void DoStart() = 0;

    /// @param rate new pacing rate in bit/s
    void SetRate(double rate);
    /// @param packets new window
    void SetWindow(double packets);

    /// @return payload bytes of a full packet
    uint32_t GetMtu() const
    {
        return m_mtu;
    }

  private:
    double m_lineRate{0};
    uint32_t m_mtu{0};
    double m_rate{0};
    double m_window{NO_WINDOW};

    TracedCallback<double, double> m_rateTrace;
    TracedCallback<double, double> m_windowTrace;
};

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
    Ptr<RdmaCongestionControl> GetControl() const
    {
        return m_control;
    }

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

#endif // PHOTONIC_RAILS_RDMA_CONGESTION_CONTROL_H
