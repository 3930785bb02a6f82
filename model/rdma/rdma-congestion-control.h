// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_CONGESTION_CONTROL_H
#define PHOTONIC_RAILS_RDMA_CONGESTION_CONTROL_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"
#include "ns3/variant.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief Decides how fast the sending side of one queue pair may send.
 *
 * A control is a class that derives from this one and is registered with ns-3 (see Variant); the
 * flag --cc takes the name of any.
 *
 * It is told what happens to the packets of the queue pair and answers with a pacing rate and a
 * window, which the queue pair obeys beside its own Window. A control schedules no events: time is
 * an argument, and what a timer would do is made up for when the next thing happens. A rate matters
 * only while a packet waits to be sent, and then the queue pair asks when time will change it
 * (Update). So thousands of idle queue pairs cost nothing.
 *
 * RdmaQueuePair makes one when its attribute CongestionControl names a type; without one it is
 * limited by its window only.
 */
class RdmaCongestionControl : public Object
{
  public:
    static TypeId GetTypeId();

    /// @return the name in flags and files
    virtual std::string GetName() const = 0;

    RdmaCongestionControl();
    ~RdmaCongestionControl() override;

    /// What made the sender repeat packets.
    enum Loss
    {
        GAP,      //!< the receiver has said that packets are missing
        TIME_OUT, //!< nothing has been heard for a time-out
    };

    /// A window without limit.
    static constexpr double NO_WINDOW = 1e9;

    /**
     * @param name what a user wrote
     * @return true if it is empty, "none", or the TypeId of a control
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
     * @param wireBytes bytes that it occupies the fibre for
     */
    virtual void PacketSent(Time now, uint32_t wireBytes) = 0;

    /**
     * @brief Packets have been acknowledged.
     * @param now the time
     * @param packets how many, full or not
     * @param roundTrip from when the packet that asked for it last began to leave to the arrival of
     * the acknowledgement; 0 if it is not known
     */
    virtual void Acknowledged(Time now, uint64_t packets, Time roundTrip) = 0;

    /**
     * @brief A congestion notification packet has arrived.
     * @param now the time
     */
    virtual void Notified(Time now) = 0;

    /**
     * @brief Packets are going to be repeated; once for each time that the sender goes back or
     * enters loss recovery.
     * @param now the time
     * @param loss how it has been noticed
     */
    virtual void Lost(Time now, Loss loss) = 0;

    /**
     * @brief Do what time has brought about.
     * @param now the time
     * @return when time may change the rate next if nothing else happens, after `now`; Time::Max()
     * if it never does
     */
    virtual Time Update(Time now);

    /// @return true if the receiver shall answer congestion marks with CNPs: --cc then needs --ecn
    virtual bool UsesNotifications() const = 0;

    /// @return bit/s on the fibre, at most the line rate
    double GetRate() const
    {
        return m_rate;
    }

    /// @return packets in flight at most; below 1 one packet, at the pacing rate
    double GetWindow() const
    {
        return m_window;
    }

    /// @return bit/s of the port
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
    /// The line rate and the MTU are known.
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

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_CONGESTION_CONTROL_H
