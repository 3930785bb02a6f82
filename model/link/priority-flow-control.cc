// SPDX-License-Identifier: GPL-2.0-only

#include "priority-flow-control.h"

#include "ethernet-port-net-device.h"

#include "ns3/abort.h"
#include "ns3/address-utils.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PriorityFlowControl");
NS_OBJECT_ENSURE_REGISTERED(PfcHeader);

TypeId
PfcHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PfcHeader")
                            .SetParent<Header>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<PfcHeader>();
    return tid;
}

void
PfcHeader::Print(std::ostream& os) const
{
    os << sourceMac << " PFC";
    for (uint32_t priority = 0; priority < PRIORITIES; ++priority)
    {
        if ((enabled >> priority) & 1)
        {
            os << ' ' << priority << '=' << quanta[priority];
        }
    }
}

void
PfcHeader::Serialize(Buffer::Iterator start) const
{
    WriteTo(start, GetGroupAddress());
    WriteTo(start, sourceMac);
    start.WriteHtonU16(ETHERTYPE);
    start.WriteHtonU16(OPCODE);
    start.WriteHtonU16(enabled);
    for (const uint16_t time : quanta)
    {
        start.WriteHtonU16(time);
    }
    constexpr uint32_t written = 6 + 6 + 2 + 2 + 2 + 2 * PRIORITIES;
    start.WriteU8(0, FRAME_BYTES - written);
}

uint32_t
PfcHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < FRAME_BYTES)
    {
        return 0;
    }
    Mac48Address destination;
    ReadFrom(start, destination);
    ReadFrom(start, sourceMac);
    if (start.ReadNtohU16() != ETHERTYPE || start.ReadNtohU16() != OPCODE ||
        destination != GetGroupAddress())
    {
        return 0;
    }
    enabled = static_cast<uint8_t>(start.ReadNtohU16());
    for (uint16_t& time : quanta)
    {
        time = start.ReadNtohU16();
    }
    return FRAME_BYTES;
}

namespace
{

/// @return true if the event is pending and due at this simulated time
bool
IsDue(const EventId& event)
{
    return !event.IsExpired() &&
           event.GetTs() == static_cast<uint64_t>(Simulator::Now().GetTimeStep());
}

} // namespace

PriorityFlowControl::PriorityFlowControl(EthernetPortNetDevice& port)
    : m_port(port),
      m_address(port.GetMacAddress())
{
    SetRate(port.GetDataRate());
}

PriorityFlowControl::~PriorityFlowControl()
{
    m_refresh.Cancel();
    m_expiry.Cancel();
}

// --- asking the link partner --------------------------------------------------------------------

void
PriorityFlowControl::Request(uint8_t priority, bool pause)
{
    NS_LOG_FUNCTION(this << +priority << pause);
    NS_ABORT_MSG_IF(priority >= PfcHeader::PRIORITIES, "priorities are 0 to 7, not " << +priority);
    const auto bit = static_cast<uint8_t>(1 << priority);
    if (((m_requested & bit) != 0) == pause)
    {
        return;
    }
    m_requested ^= bit;
    m_due |= bit;
    m_port.Kick(); // takes the frame before any other
}

void
PriorityFlowControl::CatchUp()
{
    if (IsDue(m_refresh))
    {
        m_refresh.Cancel();
        m_due |= m_requested;
    }
    if (IsDue(m_expiry))
    {
        Expire();
    }
}

Ptr<Packet>
PriorityFlowControl::TakeFrame()
{
    if (m_due == 0)
    {
        return nullptr;
    }
    PfcHeader header;
    header.sourceMac = m_address;
    header.enabled = m_due;
    for (uint32_t priority = 0; priority < PfcHeader::PRIORITIES; ++priority)
    {
        const bool pause = (m_due & m_requested) >> priority & 1;
        header.quanta[priority] = pause ? PAUSE_QUANTA : 0;
    }
    m_due = 0;
    if (m_requested != 0 && m_refresh.IsExpired())
    {
        m_refresh = Simulator::Schedule(m_quantum * int64_t{PAUSE_QUANTA / 2},
                                        &PriorityFlowControl::Refresh,
                                        this);
    }
    ++m_framesSent;
    auto frame = Create<Packet>();
    frame->AddHeader(header);
    return frame;
}

void
PriorityFlowControl::Refresh()
{
    if (m_requested != 0)
    {
        m_due |= m_requested;
        m_port.Kick();
    }
}

// --- what the link partner asks for -------------------------------------------------------------

void
PriorityFlowControl::Receive(const PfcHeader& frame)
{
    ++m_framesReceived;
    uint8_t paused = m_paused;
    for (uint32_t priority = 0; priority < PfcHeader::PRIORITIES; ++priority)
    {
        const auto bit = static_cast<uint8_t>(1 << priority);
        if ((frame.enabled & bit) == 0)
        {
            continue;
        }
        const int64_t quanta = frame.quanta[priority];
        m_pausedUntil[priority] = Simulator::Now() + m_quantum * quanta;
        paused = quanta > 0 ? paused | bit : paused & ~bit;
    }
    Update(paused);
}

void
PriorityFlowControl::Expire()
{
    uint8_t paused = m_paused;
    for (uint32_t priority = 0; priority < PfcHeader::PRIORITIES; ++priority)
    {
        if (m_pausedUntil[priority] <= Simulator::Now())
        {
            paused &= ~(1 << priority);
        }
    }
    Update(paused);
}

void
PriorityFlowControl::Update(uint8_t paused)
{
    NS_LOG_FUNCTION(this << +paused);
    m_expiry.Cancel();
    if (paused != 0)
    {
        Time next = Time::Max();
        for (uint32_t priority = 0; priority < PfcHeader::PRIORITIES; ++priority)
        {
            if ((paused >> priority) & 1)
            {
                next = std::min(next, m_pausedUntil[priority]);
            }
        }
        m_expiry = Simulator::Schedule(next - Simulator::Now(), &PriorityFlowControl::Expire, this);
    }
    if (paused != m_paused)
    {
        NS_LOG_LOGIC(m_address << " pauses priorities (bits): " << +m_paused << ", now "
                               << +paused);
        m_paused = paused;
        m_port.SetPausedPriorities(paused);
    }
}

void
PriorityFlowControl::LinkChanged()
{
    NS_LOG_FUNCTION(this);
    m_due = m_requested;
    Update(0);
}

} // namespace ns3
