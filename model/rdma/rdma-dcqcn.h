// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_DCQCN_H
#define PHOTONIC_RAILS_RDMA_DCQCN_H

#include "rdma-congestion-control.h"

namespace ns3
{

/**
 * @brief DCQCN (Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015).
 *
 * The reaction point, at the sender. A CNP cuts the current rate by alpha / 2 after keeping it as
 * the target, and moves alpha towards 1 by Gain; without a CNP alpha decays by Gain once every
 * AlphaInterval. Every IncreaseInterval, and every IncreaseBytes sent, is one step of recovery: it
 * halves the distance to the target. While neither count has reached FastRecoverySteps nothing
 * else happens; once one has, each step also raises the target by AdditiveIncrease, and once both
 * are beyond it, by HyperIncrease for each step that the smaller one is beyond. A CNP begins all
 * counts anew. The notification point, at the receiver, is RdmaQueuePair (CnpInterval).
 *
 * Defaults are those that the paper publishes for 40 Gbit/s. That increases and the lowest rate are
 * fractions of the line rate, and that the bytes of a step grow with it, is a choice of this
 * module: a flow recovers in the same time on a faster port. The paper does not say the hyper
 * increase: it is ten times the additive one as in IEEE 802.1Qau, where DCQCN has it from.
 *
 * Back within 1/1024 of line rate with the target there, the limiter lets go. Losses change
 * nothing, as in the paper, where PFC is said to prevent them.
 */
class RdmaDcqcn : public RdmaCongestionControl
{
  public:
    static TypeId GetTypeId();

    RdmaDcqcn();
    ~RdmaDcqcn() override;

    /// @return the estimate of congestion, 0 to 1, as of the last thing that it was told
    double GetAlpha() const;
    /// @return the rate in bit/s that recovery heads for
    double GetTargetRate() const;

    // inherited from RdmaCongestionControl
    std::string GetName() const override;
    void PacketSent(Time now, uint32_t wireBytes) override;
    void Acknowledged(Time now, uint64_t packets, Time roundTrip) override;
    void Notified(Time now) override;
    void Lost(Time now, Loss loss) override;
    Time Update(Time now) override;
    bool UsesNotifications() const override;

  protected:
    void DoStart() override;

  private:
    /// Let the timers run until now.
    void CatchUp(Time now);
    /**
     * @brief Pass many steps of time at once, in which the rate only follows its target.
     * @param steps how many there are
     * @return how many have been passed; the others are to be done one by one
     */
    int64_t SkipSteps(int64_t steps);
    /// @return what the present step raises the target by, in bit/s
    double GetTargetIncrease() const;
    /// A timer or the byte counter has completed a step.
    void Increase();
    /// Alpha has decayed until now.
    void DecayAlpha(Time now);

    double m_gain;
    Time m_alphaInterval;
    Time m_increaseInterval;
    uint64_t m_increaseBytes;
    uint32_t m_fastRecoverySteps;
    double m_additiveIncrease;
    double m_hyperIncrease;
    double m_minRate;

    double m_alpha{1};
    double m_targetRate{0};
    bool m_hasNotified{false}; //!< there has been a CNP
    bool m_limiting{false};    //!< the rate is below the line rate
    Time m_alphaUpdated;       //!< when alpha last changed
    Time m_stepBegun;          //!< when the time of the present step began
    double m_bytesLeft{0};     //!< of the present step
    uint64_t m_timeSteps{0};
    uint64_t m_byteSteps{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_DCQCN_H
