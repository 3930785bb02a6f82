// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_DCQCN_H
#define PHOTONIC_RAILS_RDMA_DCQCN_H

#include "rdma-congestion-control.h"

namespace ns3
{

/**
 * @brief DCQCN (Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015).
 *
 * This class is the reaction point at the sender. A CNP saves the current rate as the target, cuts
 * the current rate by a fraction of alpha / 2, and moves alpha towards 1 by Gain. Without a CNP,
 * alpha decays by Gain once every AlphaInterval. Every IncreaseInterval, and every IncreaseBytes
 * sent, is one step of recovery. A step halves the distance between the rate and the target. When
 * the step count of the timer or of the byte counter has reached FastRecoverySteps, each step also
 * raises the target by AdditiveIncrease. When both counts are beyond FastRecoverySteps, each step
 * raises the target by HyperIncrease times the excess of the smaller count. A CNP restarts the
 * timer and the byte counter, with both counts at 0. The notification point, at the receiver, is
 * RdmaQueuePair (CnpInterval).
 *
 * With ClampTargetRate=false, a CNP that follows another one before the rate has been raised leaves
 * the target as it is. This is what NICs do (NVIDIA, "DCQCN CC Parameters": clamp_tgt_rate is off,
 * clamp_tgt_rate_after_time_inc is on by default), with other constants than the paper's. It is not
 * the default here: with the constants of the paper 32 flows at one bottleneck, which are notified
 * more often than they recover, then return half of the way to the line rate in every step.
 *
 * The defaults are those of the paper for 40 Gbit/s. This module expresses the increases and
 * the lowest rate as fractions of the line rate, and scales the bytes of a step with the line rate,
 * so that a flow recovers in the same time on a faster port. The paper gives no value for the hyper
 * increase; the default is ten times the additive increase, as in IEEE 802.1Qau, from which DCQCN
 * takes the hyper increase.
 *
 * When the target is the line rate and the rate is within 1/1024 of the line rate, the rate limit
 * ends. Losses change nothing, as in the paper, which relies on PFC to prevent losses.
 */
class RdmaDcqcn : public RdmaCongestionControl
{
  public:
    static TypeId GetTypeId();

    /// @return alpha, the estimate of congestion, 0 to 1, as of the last reported event
    double GetAlpha() const
    {
        return m_alpha;
    }

    /// @return the target rate of recovery, in bit/s
    double GetTargetRate() const
    {
        return m_targetRate;
    }

    // inherited from RdmaCongestionControl
    std::string GetName() const override;
    void PacketSent(Time now, uint32_t wireBytes) override;
    void Acknowledged(Time now, uint64_t packets, Time roundTrip) override;
    void Notified(Time now) override;
    void Lost(Time now, Loss loss) override;
    Time Update(Time now) override;

    bool UsesNotifications() const override
    {
        return true;
    }

  protected:
    void DoStart() override;

  private:
    /// Apply the timer steps until now.
    void CatchUp(Time now);
    /**
     * @brief Compute many timer steps at once, during which the rate only follows its target.
     * @param steps number of steps that are due
     * @return number of steps computed; the caller must compute the others one by one
     */
    int64_t SkipSteps(int64_t steps);
    /// @return the increase of the target in the present step, in bit/s
    double GetTargetIncrease() const;
    /// Apply one recovery step of the timer or of the byte counter.
    void Increase();
    /// Apply the decay of alpha until now.
    void DecayAlpha(Time now);

    double m_gain;
    Time m_alphaInterval;
    Time m_increaseInterval;
    uint64_t m_increaseBytes;
    uint32_t m_fastRecoverySteps;
    double m_additiveIncrease;
    double m_hyperIncrease;
    double m_minRate;
    bool m_clampTarget;

    double m_alpha{1};
    double m_targetRate{0};
    bool m_hasNotified{false}; //!< a CNP has arrived
    bool m_limiting{false};    //!< the rate is below the line rate
    Time m_alphaUpdated;       //!< when alpha last changed
    Time m_stepBegun;          //!< when the present timer step began
    double m_bytesLeft{0};     //!< bytes left of the present byte step
    uint64_t m_timeSteps{0};
    uint64_t m_byteSteps{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_DCQCN_H
