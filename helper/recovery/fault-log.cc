// SPDX-License-Identifier: GPL-2.0-only

#include "fault-log.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace ns3
{

std::string
FaultLog::MomentToText(const Time& time)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(6) << time.GetSeconds() << " s";
    return text.str();
}

std::optional<std::size_t>
FaultLog::Begin(const Fault& fault)
{
    RunFault record;
    record.kind = ToString(fault.kind);
    record.target = fault.GetTarget();
    record.at = Simulator::Now();
    record.until = Time::Max();
    const bool isNew =
        m_broken.emplace(std::pair(fault.kind, record.target), m_records.size()).second;
    record.consequence = isNew ? "" : "it was broken already";
    m_records.push_back(record);
    return isNew ? std::optional(m_records.size() - 1) : std::nullopt;
}

void
FaultLog::End(const Fault& fault, std::size_t record)
{
    m_records[record].until = Simulator::Now();
    m_broken.erase({fault.kind, fault.GetTarget()});
}

void
FaultLog::Add(RunFault& record, const std::string& consequence)
{
    record.consequence += (record.consequence.empty() ? "" : "; ") + consequence + " at " +
                          MomentToText(Simulator::Now());
}

void
FaultLog::Note(const Fault& fault, const std::string& consequence)
{
    const std::string kind = ToString(fault.kind);
    const std::string target = fault.GetTarget();
    const auto record = std::find_if(m_records.rbegin(), m_records.rend(), [&](const auto& one) {
        return one.kind == kind && one.target == target;
    });
    if (record != m_records.rend())
    {
        Add(*record, consequence);
    }
}

void
FaultLog::NoteAll(const std::string& consequence)
{
    for (const auto& [component, record] : m_broken)
    {
        Add(m_records[record], consequence);
    }
}

bool
FaultLog::HasLostGpu() const
{
    return std::any_of(m_broken.begin(), m_broken.end(), [](const auto& entry) {
        return entry.first.first == FaultKind::GPU;
    });
}

std::string
FaultLog::DescribeBroken() const
{
    constexpr std::size_t most = 4; // in one line
    std::string text = m_broken.empty() ? "" : "; broken: ";
    std::size_t number = 0;
    for (const auto& [component, record] : m_broken)
    {
        if (number < most)
        {
            text += (number > 0 ? ", " : "") + ToString(component.first) + ":" + component.second;
        }
        ++number;
    }
    return text + (number > most ? " and " + std::to_string(number - most) + " more" : "");
}

} // namespace ns3
