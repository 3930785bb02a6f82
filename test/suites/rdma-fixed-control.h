// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_FIXED_CONTROL_H
#define PHOTONIC_RAILS_RDMA_FIXED_CONTROL_H

#include "rdma-hosts.h"

/**
 * @file
 * Queue pairs whose rate and window a test sets.
 */

namespace ns3
{
namespace test
{

/// A control that a test sets; registered by the suite of congestion control.
class FixedControl : public RdmaCongestionControl
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::test::FixedControl")
                                .SetParent<RdmaCongestionControl>()
                                .AddConstructor<FixedControl>();
        return tid;
    }

    void PacketSent(Time, uint32_t wireBytes) override
    {
        sent += wireBytes;
    }

    void Acknowledged(Time, uint64_t packets, Time roundTrip) override
    {
        acknowledged += packets;
        lastRoundTrip = roundTrip;
        if (rateWhenAcknowledged > 0)
        {
            SetRate(rateWhenAcknowledged);
        }
    }

    void Notified(Time) override
    {
    }

    void Lost(Time, Loss loss) override
    {
        ++(loss == GAP ? gaps : timeouts);
    }

    bool UsesNotifications() const override
    {
        return true;
    }

    std::string GetName() const override
    {
        return "fixed";
    }

    using RdmaCongestionControl::SetRate;
    using RdmaCongestionControl::SetWindow;

    uint64_t sent{0};
    uint64_t acknowledged{0};
    uint64_t gaps{0};
    uint64_t timeouts{0};
    Time lastRoundTrip;
    double rateWhenAcknowledged{0}; //!< bit/s; 0 for no change

  private:
    void DoStart() override
    {
    }
};

/// Two hosts on a circuit and queue pairs between them.
class ControlledHosts : public RdmaHosts
{
  public:
    explicit ControlledHosts(const std::string& control)
        : RdmaHosts(2)
    {
        helper.SetQueuePairAttribute("CongestionControl", StringValue(control));
        Build({{0, 1}});
    }

    /// @return a queue pair of host 0 that is connected to one of host 1
    Ptr<RdmaQueuePair> MakeQueuePair()
    {
        auto sender = cluster.GetNic(0)->CreateQueuePair(0);
        auto receiver = cluster.GetNic(1)->CreateQueuePair(0);
        sender->Connect(receiver->GetEndpoint());
        receiver->Connect(sender->GetEndpoint());
        EndLog* log = &logs[1];
        receiver->SetReceivedCallback(
            ToCallback<uint32_t, uint64_t>([log](uint32_t immediate, uint64_t bytes) {
                log->received.push_back({Simulator::Now(), immediate, bytes});
            }));
        return sender;
    }

    /// @return the control of a queue pair
    static Ptr<FixedControl> GetControl(Ptr<RdmaQueuePair> queuePair)
    {
        return DynamicCast<FixedControl>(queuePair->GetCongestionControl());
    }
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_FIXED_CONTROL_H
