// SPDX-License-Identifier: GPL-2.0-only

// A congestion control of one's own: TIMELY. The program is photonic-rails-training with one more
// name for --cc; copied into scratch/, the file is a program, too.
// Example: photonic-rails-extend-control --fabric=leaf-spine --cc=timely

#include "ns3/photonic-rails-module.h"

#include <algorithm>

using namespace ns3;

/// The rate follows the gradient of round trips (Mittal et al., SIGCOMM 2015, algorithm 1).
class TimelyControl : public RdmaCongestionControl
{
  public:
    // Attributes have flags: --TimelyControl::HighDelay=50us.
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("TimelyControl")
                                .SetParent<RdmaCongestionControl>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<TimelyControl>()
                                .AddAttribute("LowDelay",
                                              "Round trip below which the rate always grows.",
                                              TimeValue(MicroSeconds(10)),
                                              MakeTimeAccessor(&TimelyControl::m_low),
                                              MakeTimeChecker(Time(1)))
                                .AddAttribute("HighDelay",
                                              "Round trip above which the rate always falls.",
                                              TimeValue(MicroSeconds(100)),
                                              MakeTimeAccessor(&TimelyControl::m_high),
                                              MakeTimeChecker(Time(1)));
        return tid;
    }

    std::string GetName() const override
    {
        return "timely";
    }

    // The only event that this control answers.
    void Acknowledged(Time /* now */, uint64_t /* packets */, Time roundTrip) override
    {
        if (roundTrip.IsZero()) // not known
        {
            return;
        }
        constexpr double weight = 0.875;
        constexpr double beta = 0.8;
        const double last = m_last.IsZero() ? 0 : (roundTrip - m_last).GetDouble();
        m_difference = (1 - weight) * m_difference + weight * last;
        m_last = roundTrip;
        const double gradient = m_difference / m_low.GetDouble();
        double rate = GetRate() + GetLineRate() / 1000;
        if (roundTrip > m_high)
        {
            rate = GetRate() * (1 - beta * (1 - m_high.GetDouble() / roundTrip.GetDouble()));
        }
        else if (roundTrip > m_low && gradient > 0)
        {
            rate = GetRate() * (1 - beta * std::min(gradient, 1.0));
        }
        SetRate(std::clamp(rate, GetLineRate() / 1000, GetLineRate()));
    }

    void PacketSent(Time /* now */, uint32_t /* wireBytes */) override
    {
    }

    void Notified(Time /* now */) override
    {
    }

    void Lost(Time /* now */, Loss /* loss */) override
    {
    }

    // A control that needs the marks of switches returns true, and is refused with --ecn=false.
    bool UsesNotifications() const override
    {
        return false;
    }

  protected:
    // The rate is that of the line, and the window has no limit.
    void DoStart() override
    {
        m_last = Time();
        m_difference = 0;
    }

  private:
    Time m_low;
    Time m_high;
    Time m_last;            // round trip
    double m_difference{0}; // smoothed, of one round trip and the next
};

NS_OBJECT_ENSURE_REGISTERED(TimelyControl);

int
main(int argc, char* argv[])
{
    return RunNamedProgram(argc, argv, __FILE__);
}
