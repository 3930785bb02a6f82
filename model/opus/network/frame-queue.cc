// SPDX-License-Identifier: GPL-2.0-only

#include "frame-queue.h"

#include "ns3/packet.h"
#include "ns3/simulator.h"

namespace ns3
{

FrameQueue::FrameQueue(Ptr<NetDevice> device)
    : m_device(device)
{
}

FrameQueue::~FrameQueue()
{
    m_retry.Cancel();
}

void
FrameQueue::Send(Ptr<const Packet> frame)
{
    m_frames.push_back(frame);
    if (m_frames.size() == 1)
    {
        Flush();
    }
}

void
FrameQueue::Flush()
{
    while (!m_frames.empty())
    {
        // The device changes what it is given, also when it does not take it.
        if (!m_device->Send(m_frames.front()->Copy(), m_device->GetBroadcast(), IPV4_PROTOCOL))
        {
            m_retry = Simulator::Schedule(MicroSeconds(1), &FrameQueue::Flush, this);
            return;
        }
        m_frames.pop_front();
    }
}

} // namespace ns3
