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
 * Swift adjusts a window in packets so that the round-trip delay meets a target. Below the target
 * delay, the window grows by AdditiveIncrease packets per round trip. Above the target delay, at
 * most once per round trip, the window shrinks by the factor Beta x (delay - target) / delay, at
 * most by MaxDecrease. The target is BaseTarget plus flow scaling. Flow scaling is larger for
 * smaller windows, because many flows then share a queue: from FlowScalingRange at
 * FlowScalingMinWindow down to 0 at FlowScalingMaxWindow, linear in the inverse square root of the
 * window. With a window below 1, one packet is in flight and packets are a round trip / window
 * apart. A loss shrinks the window by MaxDecrease, at most once per round trip, and ResetThreshold
 * successive time-outs set the window to MinWindow.
 *
 * Not implemented: the second window for the delay inside the hosts (simulated hosts have no such
 * delay), the part of the target that grows with the number of hops (add that part to BaseTarget),
 * and a pacer shared by several flows. An acknowledgement covers many packets in this module, so
 * the window grows at the same rate in larger steps.
 *
 * The paper does not give all constants. BaseTarget, the three attributes of flow scaling,
 * MaxWindow, ResetThreshold, Beta and MaxDecrease are those of its public reimplementation in
 * htsim. AdditiveIncrease, MinWindow and InitialWindow are choices of this module.
 */
class RdmaSwift : public RdmaCongestionControl
{
  public:
    static TypeId GetTypeId();

    /// @return the target delay for the present window
    Time GetTargetDelay() const;

    // inherited from RdmaCongestionControl
    std::string GetName() const override;
    void PacketSent(Time now, uint32_t wireBytes) override;
    void Acknowledged(Time now, uint64_t packets, Time roundTrip) override;
    void Notified(Time now) override;
    void Lost(Time now, Loss loss) override;

    bool UsesNotifications() const override
    {
        return false;
    }

  protected:
    void DoStart() override;

  private:
    /// @return true if a round trip has passed since the window last shrank
    bool CanDecrease(Time now) const
    {
        return !m_hasDecreased || now - m_lastDecrease >= m_roundTrip;
    }

    /// Abort if a lower bound exceeds its upper bound.
    void CheckBounds() const;
    /// Set a new window, clamped to its bounds, and the rate that follows from it.
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

    Time m_roundTrip; //!< last measured round trip
    Time m_lastDecrease;
    bool m_hasDecreased{false};
    uint32_t m_timeouts{0}; //!< successive time-outs
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_SWIFT_H
