// SPDX-License-Identifier: GPL-2.0-only

#include "command-window.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

void
CommandWindow::SetWindow(uint32_t window)
{
    m_window = window;
}

bool
CommandWindow::Add(const CircuitScheduler::Switch& command)
{
    Switch& ocs = m_switches[command.ocs];
    if (m_window > 0 && ocs.sent >= m_window)
    {
        ocs.waiting.push_back(command);
        ++m_delayed;
        m_longest = std::max<uint64_t>(m_longest, ocs.waiting.size());
        return false;
    }
    ++ocs.sent;
    m_sent[command.command] = command;
    return true;
}

std::optional<CircuitScheduler::Switch>
CommandWindow::Take(uint64_t number)
{
    auto it = m_sent.find(number);
    if (it == m_sent.end())
    {
        return std::nullopt;
    }
    CircuitScheduler::Switch command = it->second;
    m_sent.erase(it);
    --m_switches[command.ocs].sent;
    return command;
}

std::optional<CircuitScheduler::Switch>
CommandWindow::Next(uint32_t number)
{
    Switch& ocs = m_switches[number];
    if (ocs.waiting.empty() || (m_window > 0 && ocs.sent >= m_window))
    {
        return std::nullopt;
    }
    CircuitScheduler::Switch command = ocs.waiting.front();
    ocs.waiting.pop_front();
    ++ocs.sent;
    m_sent[command.command] = command;
    return command;
}

void
CommandWindow::Forget(uint32_t ocs)
{
    for (auto it = m_sent.begin(); it != m_sent.end();)
    {
        it = it->second.ocs == ocs ? m_sent.erase(it) : std::next(it);
    }
    m_switches.erase(ocs);
}

uint32_t
CommandWindow::GetSwitch(uint64_t number) const
{
    auto it = m_sent.find(number);
    return it == m_sent.end() ? 0 : it->second.ocs;
}

uint64_t
CommandWindow::GetDelayed() const
{
    return m_delayed;
}

uint64_t
CommandWindow::GetLongest() const
{
    return m_longest;
}

} // namespace ns3
