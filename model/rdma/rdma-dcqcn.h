// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_DCQCN_H
#define PHOTONIC_RAILS_RDMA_DCQCN_H

#include "rdma-congestion-control.h"

namespace ns3
{

/**
 * @brief DCQCN (Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015),
 * with the constants of NICs.
 *
 * This class is the reaction point at the sender. A CNP saves the current rate as the target, cuts
 * the current rate by a fraction of alpha / 2, and moves alpha towards 1 by Gain. CNPs that arrive
 * within CutInterval after a cut change nothing. Without a CNP, alpha decays by Gain once every
 * AlphaInterval. Every IncreaseInterval, and every IncreaseBytes sent, is one step of recovery. A
 * step halves the distance between the rate and the target. When the step count of the timer or of
 * the byte counter has reached FastRecoverySteps, each step also raises the target by
 * AdditiveIncrease. When both counts are beyond FastRecoverySteps, each step raises the target by
 * HyperIncrease times the excess of the smaller count. Without a byte counter (IncreaseBytes is 0)
 * the timer counts alone, and the factor is 1. A CNP restarts the timer and the byte counter, with
 * both counts at 0. The notification point, at the receiver, is RdmaQueuePair (CnpInterval).
 *
 * With ClampTargetRate=false, a CNP that follows another one before the rate has been raised leaves
 * the target as it is.
 *
 * Two sets of constants are registered, each with a TypeId:
 *  - ns3::RdmaDcqcn, dcqcn: the defaults of NICs (NVIDIA, "DCQCN CC Parameters", and queries of
 *    mlxconfig: DCE_TCP_G 1019 of 1024, DCE_TCP_RTT 1, CLAMP_TGT_RATE 0, RPG_TIME_RESET 300,
 *    RPG_THRESHOLD 1, RATE_REDUCE_MONITOR_PERIOD 4). As in the simulator of HPCC (Li et al.,
 *    SIGCOMM 2019), there is no byte counter, the increases, RPG_AI_RATE 5 and RPG_HAI_RATE 50
 *    Mbit/s, are those of a port of 25 Gbit/s, and the lowest rate is 1 of 100 Gbit/s instead of
 *    RPG_MIN_RATE 1 Mbit/s, at which no packet would report a long queue.
 *  - ns3::RdmaDcqcnPaper, dcqcn-paper: those of the paper for 40 Gbit/s. The paper gives no value
 *    for the hyper increase; it is ten times the additive increase, as in IEEE 802.1Qau, from which
 *    DCQCN takes the hyper increase. The paper limits CNPs at the receiver, once in 50 us; here the
 *    sender passes over the others.
 *
 * NICs raise alpha at the end of an interval of a timer that runs on, instead of with the CNP: the
 * alpha of a flow with a CNP every 4 us tends to 1/4 there, and to 1/5 here.
 *
 * Increases and the lowest rate are fractions of the line rate, and the bytes of a step scale with
 * the line rate, so that a flow recovers in the same time on a faster port.
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

    /// Default values of the attributes of the same names.
    struct Constants
    {
        double gain;
        Time alphaInterval;
        Time cutInterval;
        Time increaseInterval;
        uint64_t increaseBytes;
        uint32_t fastRecoverySteps;
        double additiveIncrease;
        double hyperIncrease;
        bool clampTargetRate;
        double minRate;
    };

    /**
     * @param type TypeId of a set of constants
     * @param constants the constants
     * @return the TypeId with the attributes of DCQCN
     */
    static TypeId AddAttributes(TypeId type, const Constants& constants);

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
    Time m_cutInterval;
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
    Time m_cutAt;              //!< when the rate was last cut
    Time m_stepBegun;          //!< when the present timer step began
    double m_bytesLeft{0};     //!< bytes left of the present byte step
    uint64_t m_timeSteps{0};
    uint64_t m_byteSteps{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_DCQCN_H
