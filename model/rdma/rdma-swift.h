// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_SWIFT_H
#define PHOTONIC_RAILS_RDMA_SWIFT_H

#include "rdma-congestion-control.h"

namespace ns3
{

/**
 * @brief Swift (Kumar et al., Swift: Delay is Simple and Effective for Congestion Control in the
 * Datacenter, SIGCOMM 2020).
 *
 * A window in packets, held so that the delay of an acknowledgement meets a target. Below the
 * target the window grows by AdditiveIncrease packets a round trip; above it, once a round trip at
 * most, it shrinks in proportion to the excess: by Beta x (delay - target) / delay, MaxDecrease at
 * most. The target is BaseTarget plus flow scaling: more for smaller windows, as many flows then
 * share a queue, from FlowScalingRange at FlowScalingMinWindow down to nothing at
 * FlowScalingMaxWindow, linear in one over the square root of the window. A window below one
 * packet is one packet, paced over a round trip / window. A loss costs MaxDecrease once a round
 * trip, and ResetThreshold time-outs in a row set the window to MinWindow.
 *
 * Left out: the second window for the delay inside the hosts (simulated hosts have none), the part
 * of the target that grows with the number of hops (put it into BaseTarget), and packets of
 * different flows sharing a pacer. An acknowledgement tells of many packets here, so the window
 * grows by as much but in coarser steps.
 *
 * Where the paper names no constant, BaseTarget, the three of flow scaling, MaxWindow,
 * ResetThreshold, Beta and MaxDecrease are those of its public reimplementation in htsim;
 * AdditiveIncrease, MinWindow and InitialWindow are choices of this module.
 */
class RdmaSwift : public RdmaCongestionControl
{
  public:
    static TypeId GetTypeId();

    RdmaSwift();
    ~RdmaSwift() override;

    /// @return the target delay with the present window
    Time GetTargetDelay() const;

    // inherited from RdmaCongestionControl
    std::string GetName() const override;
    void PacketSent(Time now, uint32_t wireBytes) override;
    void Acknowledged(Time now, uint64_t packets, Time roundTrip) override;
    void Notified(Time now) override;
    void Lost(Time now, Loss loss) override;
    bool UsesNotifications() const override;

  protected:
    void DoStart() override;

  private:
    /// @return true if a round trip has passed since the window last shrank
    bool CanDecrease(Time now) const;
    /// Abort if bounds are the wrong way round.
    void CheckBounds() const;
    /// Take a new window, within its bounds.
    void Change(Time now, double window);

    Time m_baseTarget;
    double m_additiveIncrease;
    double m_beta;
    double m_maxDecrease;
    double m_minWindow;
    double m_maxWindow;
    double m_initialWindow;
    Time m_flowScalingRange;
    double m_flowScalingMinWindow;
    double m_flowScalingMaxWindow;
    uint32_t m_resetThreshold;

    Time m_roundTrip; //!< the last that was measured
    Time m_lastDecrease;
    bool m_hasDecreased{false};
    uint32_t m_timeouts{0}; //!< in a row
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_SWIFT_H
