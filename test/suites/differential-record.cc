// SPDX-License-Identifier: GPL-2.0-only

#include "differential-record.h"

#include "ns3/callback.h"
#include "ns3/config.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

namespace ns3
{
namespace test
{

namespace
{

using Entries = std::vector<Record::Entry>;

std::string
PrintRecord(const Record::Entry& entry)
{
    std::ostringstream text;
    text << entry.at << " ps, node " << entry.node << ": " << entry.text;
    return text.str();
}

void
IgnoreFrame(Ptr<const Packet>)
{
}

void
IgnoreQueuedFrame(Ptr<const Packet>, uint32_t, uint8_t, uint64_t)
{
}

/// @return two texts; if they are long, without their common begin and end
std::string
Contrast(const std::string& name,
         const std::string& one,
         const std::string& otherName,
         const std::string& other)
{
    constexpr std::size_t LONG = 160;
    constexpr std::size_t CONTEXT = 40;
    const auto shortest = std::min(one.size(), other.size());
    std::size_t alike = 0;
    while (alike < shortest && one[alike] == other[alike])
    {
        ++alike;
    }
    std::size_t alikeBehind = 0;
    while (alikeBehind < shortest - alike &&
           one[one.size() - 1 - alikeBehind] == other[other.size() - 1 - alikeBehind])
    {
        ++alikeBehind;
    }
    const auto cut = [&](const std::string& text) {
        if (text.size() < LONG)
        {
            return text;
        }
        const std::size_t from = alike > 2 * CONTEXT ? alike - CONTEXT : CONTEXT;
        const std::size_t to =
            std::max(from, text.size() - (alikeBehind > CONTEXT ? alikeBehind - CONTEXT : 0));
        return text.substr(0, CONTEXT) + (from > CONTEXT ? " ... " : "") +
               text.substr(from, to - from) + (to < text.size() ? " ..." : "");
    };
    return "\n  " + name + ": " + cut(one) + "\n  " + otherName + ": " + cut(other);
}

/// @return the first difference of two lists, or an empty string
std::string
FindDifference(const std::string& what,
               const std::string& name,
               const Entries& entries,
               const std::string& otherName,
               const Entries& others)
{
    for (std::size_t i = 0; i < std::max(entries.size(), others.size()); ++i)
    {
        const std::string one = i < entries.size() ? PrintRecord(entries[i]) : "nothing more";
        const std::string other = i < others.size() ? PrintRecord(others[i]) : "nothing more";
        if (one != other)
        {
            return what + " " + std::to_string(i) + ":" + Contrast(name, one, otherName, other);
        }
    }
    return "";
}

Entries
Sort(Entries entries)
{
    std::sort(entries.begin(), entries.end(), [](const auto& x, const auto& y) {
        return std::tie(x.at, x.node, x.text) < std::tie(y.at, y.node, y.text);
    });
    return entries;
}

Entries
SortByNode(Entries entries)
{
    std::stable_sort(entries.begin(), entries.end(), [](const auto& x, const auto& y) {
        return x.node < y.node;
    });
    return entries;
}

} // namespace

void
RunMode::Observe() const
{
    if (!observed)
    {
        return;
    }
    const std::string ports = "/NodeList/*/DeviceList/*/$ns3::EthernetPortNetDevice/";
    for (const std::string source : {"MacRx", "PhyTxEnd"})
    {
        Config::ConnectWithoutContextFailSafe(ports + source, MakeCallback(&IgnoreFrame));
    }
    Config::ConnectWithoutContextFailSafe("/NodeList/*/$ns3::ElectricalSwitch/Enqueue",
                                          MakeCallback(&IgnoreQueuedFrame));
}

void
Record::Note(uint32_t node, const std::string& text)
{
    m_entries.push_back({Simulator::Now().GetPicoSeconds(), node, text});
}

void
Record::NoteAtEnd(const std::string& text)
{
    m_final.push_back(text);
}

void
Record::CountPackets(const RdmaNic& nic)
{
    m_packets += nic.GetQueuePairStatistics().dataPacketsSent;
    m_burstPackets += nic.GetStatistics().burstPackets;
    m_regions += nic.GetStatistics().regions;
}

std::string
Record::Compare(const std::string& name, const Record& other, const std::string& otherName) const
{
    std::string difference =
        FindDifference("entry", name, Sort(m_entries), otherName, Sort(other.m_entries));
    if (difference.empty())
    {
        difference = FindDifference("the order at a node, entry",
                                    name,
                                    SortByNode(m_entries),
                                    otherName,
                                    SortByNode(other.m_entries));
    }
    for (std::size_t i = 0; difference.empty() && i < m_final.size(); ++i)
    {
        if (i >= other.m_final.size() || m_final[i] != other.m_final[i])
        {
            const std::string last = i < other.m_final.size() ? other.m_final[i] : "nothing more";
            difference = "at the end:" + Contrast(name, m_final[i], otherName, last);
        }
    }
    return difference;
}

std::string
Record::ToText() const
{
    std::string text;
    for (const auto& entry : m_entries)
    {
        text += PrintRecord(entry) + "\n";
    }
    for (const auto& line : m_final)
    {
        text += "at the end: " + line + "\n";
    }
    return text;
}

std::string
ToText(const RdmaQueuePair::Statistics& statistics)
{
    std::ostringstream text;
    text << "sent=" << statistics.dataPacketsSent << " repeats=" << statistics.retransmissions
         << " timeouts=" << statistics.timeouts << " posted=" << statistics.bytesPosted
         << " failed=" << statistics.bytesFailed << " acks=" << statistics.acksSent
         << " naks=" << statistics.naksSent << " duplicates=" << statistics.duplicatesReceived
         << " outOfOrder=" << statistics.outOfOrderReceived
         << " delivered=" << statistics.bytesDelivered << " marks=" << statistics.marksReceived
         << " cnpsSent=" << statistics.cnpsSent << " cnpsReceived=" << statistics.cnpsReceived
         << " refused=" << statistics.refused;
    return text.str();
}

std::string
ToText(const RdmaNic& nic)
{
    std::ostringstream text;
    text << ToText(nic.GetQueuePairStatistics()) << " malformed=" << nic.GetStatistics().malformed
         << " misdelivered=" << nic.GetStatistics().misdelivered;
    for (uint32_t i = 0; i < nic.GetNPorts(); ++i)
    {
        auto port = nic.GetPort(i);
        text << " port" << i << "(bytes=" << port->GetBytesSent()
             << " corrupted=" << port->GetFramesCorrupted() << " pfc=" << port->GetPfcFramesSent()
             << "/" << port->GetPfcFramesReceived()
             << " paused=" << uint32_t{port->GetPausedPriorities()}
             << (port->IsSending() ? " sending" : "") << (port->IsLit() ? " lit" : "") << ")";
    }
    return text.str();
}

std::string
ToText(const ElectricalSwitch::Statistics& statistics)
{
    std::ostringstream text;
    text << "enqueued=" << statistics.enqueued << " marked=" << statistics.marked
         << " pauses=" << statistics.pausesSent << " resumes=" << statistics.resumesSent
         << " pfc=" << statistics.pfcFramesReceived << " maxDepth=" << statistics.maxDepth
         << " dropped=";
    for (const uint64_t frames : statistics.dropped)
    {
        text << frames << "/";
    }
    return text.str();
}

std::string
ToText(const OpticalCircuitSwitch& ocs)
{
    std::ostringstream text;
    text << "bits=" << ocs.GetBitsLost() << " frames=" << ocs.GetFramesLost();
    return text.str();
}

} // namespace test
} // namespace ns3
