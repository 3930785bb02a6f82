// SPDX-License-Identifier: GPL-2.0-only

#include "controller-log.h"

#include "ns3/assert.h"

namespace ns3
{

namespace
{

/// Of an entry beside the message: time, positions, address and UDP port of the sender.
constexpr uint64_t BYTES_BESIDE = 8 + 8 + 8 + 4 + 2;

} // namespace

void
ControllerLog::Append(const OpusArrival& arrival, Time now)
{
    m_entries.push_back(Entry{arrival, now});
    m_bytes += arrival.message.GetSerializedSize() + BYTES_BESIDE;
}

const std::vector<ControllerLog::Entry>&
ControllerLog::GetEntries() const
{
    return m_entries;
}

uint64_t
ControllerLog::GetBytes() const
{
    return m_bytes;
}

uint32_t
ControllerLog::GetEpoch() const
{
    return m_epoch;
}

void
ControllerLog::SetEpoch(uint32_t epoch)
{
    NS_ASSERT_MSG(epoch > m_epoch, "epochs grow");
    m_epoch = epoch;
}

} // namespace ns3
