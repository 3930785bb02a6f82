// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_MIGRATION_H
#define PHOTONIC_RAILS_RDMA_MIGRATION_H

#include "lambda-call.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/rdma-nic.h"
#include "ns3/roce-header.h"

#include <functional>
#include <utility>

/**
 * @file
 * A path that loses, marks and reorders frames between a port and its NIC.
 */

namespace ns3
{
namespace test
{

/// Loses, marks or delays frames between a port and its NIC as a test decides.
class Migration : public MacClient
{
  public:
    /// The treatment of a frame.
    struct Fate
    {
        bool lost{false};
        bool marked{false}; //!< congestion experienced
        Time delay;         //!< on top of that of the path
    };

    using Decide = std::function<Fate(const RoceHeader&)>;

    /**
     * @param nic the NIC
     * @param port one of its ports
     * @param decide the fate of each frame that arrives there
     */
    Migration(Ptr<RdmaNic> nic, uint32_t port, Decide decide)
        : m_nic(nic),
          m_decide(std::move(decide))
    {
        nic->GetPort(port)->SetMacClient(this);
    }

    Ptr<Packet> NextFrame(EthernetPortNetDevice& port) override
    {
        return m_nic->NextFrame(port);
    }

    void Receive(EthernetPortNetDevice& port, Ptr<Packet> frame) override
    {
        RoceHeader header;
        frame->PeekHeader(header);
        const Fate fate = m_decide(header);
        if (fate.lost)
        {
            return;
        }
        if (fate.marked && (header.tos & RoceHeader::ECN_MASK) != RoceHeader::NOT_ECT)
        {
            frame = frame->Copy();
            frame->RemoveHeader(header);
            header.tos |= RoceHeader::CE;
            frame->AddHeader(header);
        }
        if (fate.delay.IsZero())
        {
            m_nic->Receive(port, frame);
        }
        else
        {
            ScheduleCall(fate.delay, [this, &port, frame] { m_nic->Receive(port, frame); });
        }
    }

    void LinkChanged(EthernetPortNetDevice& port) override
    {
        m_nic->LinkChanged(port);
    }

  private:
    Ptr<RdmaNic> m_nic;
    Decide m_decide;
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_MIGRATION_H
