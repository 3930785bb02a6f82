// SPDX-License-Identifier: GPL-2.0-only

#include "switch-buffer.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <numeric>

namespace ns3
{

SwitchBuffer::SwitchBuffer(const Settings& settings, const std::vector<uint64_t>& headroomBytes)
    : m_settings(settings),
      m_headroom(headroomBytes),
      m_accounts(headroomBytes.size() * PRIORITIES)
{
    const std::string error = Check(settings, headroomBytes);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    m_sharedSize = settings.bytes - GetSetAside(settings, headroomBytes);
}

std::string
SwitchBuffer::Check(const Settings& settings, const std::vector<uint64_t>& headroomBytes)
{
    if (!(settings.alpha > 0 && settings.lossyAlpha > 0))
    {
        return "the alpha of a dynamic threshold is above 0";
    }
    const uint64_t setAside = GetSetAside(settings, headroomBytes);
    if (settings.bytes <= setAside)
    {
        return "a memory of " + std::to_string(settings.bytes) +
               " bytes leaves nothing to share: reserves and headroom of " +
               std::to_string(headroomBytes.size()) + " ports take " + std::to_string(setAside);
    }
    return "";
}

uint64_t
SwitchBuffer::GetSetAside(const Settings& settings, const std::vector<uint64_t>& headroomBytes)
{
    const uint64_t lossless = std::bitset<PRIORITIES>(settings.losslessPriorities).count();
    const uint64_t headroom =
        std::accumulate(headroomBytes.begin(), headroomBytes.end(), uint64_t{0});
    return headroomBytes.size() * PRIORITIES * settings.reservedBytes + lossless * headroom;
}

uint64_t
SwitchBuffer::GetHeadroom(uint64_t bitsPerSecond,
                          double pathSeconds,
                          uint32_t frameBytes,
                          double reactionSeconds)
{
    constexpr uint32_t pfcBytes = 64 + 8 + 12;
    constexpr uint32_t frames =
        3; // crossing the threshold; delaying the pause; begun by the link partner
    const double bits = static_cast<double>(bitsPerSecond) * (2 * pathSeconds + reactionSeconds);
    return static_cast<uint64_t>(std::ceil(bits / 8)) + frames * frameBytes + pfcBytes;
}

SwitchBuffer::Admission
SwitchBuffer::Admit(uint32_t input, uint8_t priority, uint32_t bytes, uint64_t queueDepth)
{
    Account& account = At(input, priority);
    const uint64_t shared = GetShared(account.held + bytes);
    const uint64_t grows = shared - GetShared(account.held);
    const bool fits = grows <= m_sharedSize - m_sharedUsed;
    const bool lossless = (m_settings.losslessPriorities >> priority) & 1;
    if (grows == 0 ||
        (fits && (lossless ? shared <= GetThreshold(m_settings.alpha)
                           : queueDepth + bytes <= GetThreshold(m_settings.lossyAlpha))))
    {
        account.held += bytes;
        m_sharedUsed += grows;
        m_used += bytes;
        return {ADMITTED, false};
    }
    if (!lossless)
    {
        return {fits ? QUEUE_LIMIT : BUFFER_FULL, false};
    }
    if (account.held + account.headroom == 0 && bytes > m_headroom[input])
    {
        return {HEADROOM_FULL, false}; // without a frame in memory, a pause would never end
    }
    const bool pause = !account.paused;
    m_paused += pause ? 1 : 0;
    account.paused = true;
    if (account.headroom + bytes > m_headroom[input])
    {
        return {HEADROOM_FULL, pause};
    }
    account.headroom += bytes;
    m_used += bytes;
    return {IN_HEADROOM, pause};
}

bool
SwitchBuffer::MayResume(const Account& account) const
{
    if (account.headroom > 0)
    {
        return false;
    }
    const uint64_t shared = GetShared(account.held);
    return shared == 0 || shared + m_settings.resumeOffset <= GetThreshold(m_settings.alpha);
}

bool
SwitchBuffer::Release(uint32_t input, uint8_t priority, uint32_t bytes)
{
    Account& account = At(input, priority);
    NS_ASSERT_MSG(account.held + account.headroom >= bytes, "more leaves than has come in");
    const uint64_t fromHeadroom = std::min<uint64_t>(account.headroom, bytes);
    const uint64_t before = GetShared(account.held);
    account.headroom -= fromHeadroom;
    account.held -= bytes - fromHeadroom;
    m_sharedUsed -= before - GetShared(account.held);
    m_used -= bytes;
    if (account.paused && MayResume(account))
    {
        account.paused = false;
        --m_paused;
        return true;
    }
    return false;
}

bool
SwitchBuffer::IsRoomyFor(uint32_t input,
                         uint8_t priority,
                         uint32_t bytes,
                         uint64_t queueDepth,
                         const Reserve& elsewhere) const
{
    const uint64_t shared = GetShared(At(input, priority).held + bytes);
    const uint64_t longest = std::max({shared, queueDepth + bytes, elsewhere.longest});
    return IsBelowThresholds({bytes + elsewhere.bytes, longest});
}

bool
SwitchBuffer::IsRoomyFor(const Reserve& reserve) const
{
    return m_paused == 0 && IsBelowThresholds(reserve);
}

bool
SwitchBuffer::IsBelowThresholds(const Reserve& reserve) const
{
    const uint64_t free = m_sharedSize - m_sharedUsed;
    const double alpha = std::min(m_settings.alpha, m_settings.lossyAlpha);
    return reserve.bytes <= free &&
           reserve.longest <=
               static_cast<uint64_t>(alpha * static_cast<double>(free - reserve.bytes));
}

} // namespace ns3
