// SPDX-License-Identifier: GPL-2.0-only

#include "record-tables.h"

#include "ns3/node.h"
#include "ns3/rank-program.h"

#include <iomanip>
#include <sstream>

namespace ns3
{

namespace
{

/// @return a time in seconds, with all digits of a picosecond
std::string
FormatSeconds(const Time& time)
{
    constexpr int64_t PER_SECOND = 1'000'000'000'000;
    const int64_t picoseconds = time.GetPicoSeconds();
    std::ostringstream text;
    text << picoseconds / PER_SECOND << '.' << std::setw(12) << std::setfill('0')
         << picoseconds % PER_SECOND;
    return text.str();
}

} // namespace

RecordTables::RecordTables(const std::string& calls, const std::string& messages)
    : m_calls(calls.empty() ? nullptr : RecordSink::Open(calls)),
      m_messages(messages.empty() ? nullptr : RecordSink::Open(messages))
{
    if (m_calls)
    {
        m_calls->Begin("calls",
                       {"made_s",
                        "started_s",
                        "ended_s",
                        "rank",
                        "group",
                        "sequence",
                        "operation",
                        "peer",
                        "bytes",
                        "network",
                        "waited_for_circuits_s",
                        "failed",
                        "label"});
    }
    if (m_messages)
    {
        m_messages->Begin("messages",
                          {"posted_s",
                           "ended_s",
                           "source",
                           "destination",
                           "bytes",
                           "group",
                           "sequence",
                           "operation",
                           "network",
                           "waited_for_circuits_s",
                           "delivered",
                           "label"});
    }
}

void
RecordTables::Observe(Ptr<CollectiveEngine> engine)
{
    if (!m_calls && !m_messages)
    {
        return;
    }
    engine->TraceConnectWithoutContext("CallRecord", MakeCallback(&RecordTables::CallEnded, this));
    if (m_messages)
    {
        engine->TraceConnectWithoutContext("MessageRecord",
                                           MakeCallback(&RecordTables::MessageEnded, this));
    }
    engine->TraceConnectWithoutContext("CallArrived",
                                       MakeCallback(&RecordTables::CallArrived, this));
}

void
RecordTables::Observe(Ptr<TrainingApplication> application)
{
    if (!m_calls && !m_messages)
    {
        return;
    }
    application->TraceConnectWithoutContext("CommunicationBegin",
                                            MakeCallback(&RecordTables::CommunicationBegan, this));
    Observe(application->GetNode()->GetObject<CollectiveEngine>());
}

void
RecordTables::CommunicationBegan(uint32_t rank, uint32_t iteration, const RankOperation& operation)
{
    m_labels[rank].present = std::to_string(iteration) + ": " + operation.label;
}

void
RecordTables::CallArrived(uint32_t rank, const CollectiveCall& call, uint64_t sequence)
{
    Labels& labels = m_labels[rank];
    labels.calls[{call.groupId, sequence}] = labels.present;
}

std::string
RecordTables::GetLabel(uint32_t rank, const CallId& call) const
{
    const auto labels = m_labels.find(rank);
    if (labels == m_labels.end())
    {
        return "";
    }
    const auto label = labels->second.calls.find(call);
    return label == labels->second.calls.end() ? "" : label->second;
}

void
RecordTables::CallEnded(const CollectiveCallRecord& record)
{
    const CallId id{record.call.groupId, record.sequence};
    const bool hasPeer = record.call.IsPointToPoint() || record.call.HasRoot();
    if (m_calls)
    {
        m_calls->Add({FormatSeconds(record.made),
                      FormatSeconds(record.started),
                      FormatSeconds(record.ended),
                      std::to_string(record.rank),
                      std::to_string(record.call.groupId),
                      std::to_string(record.sequence),
                      ToString(record.call.kind),
                      hasPeer ? std::to_string(record.call.peer) : "",
                      std::to_string(record.call.bytes),
                      ToString(record.network),
                      FormatSeconds(record.waited),
                      record.failed ? "1" : "0",
                      GetLabel(record.rank, id)});
    }
    m_labels[record.rank].calls.erase(id);
}

void
RecordTables::MessageEnded(const CollectiveMessageRecord& record)
{
    m_messages->Add({FormatSeconds(record.posted),
                     FormatSeconds(record.ended),
                     std::to_string(record.rank),
                     std::to_string(record.peer),
                     std::to_string(record.bytes),
                     std::to_string(record.call.groupId),
                     std::to_string(record.sequence),
                     ToString(record.call.kind),
                     ToString(record.network),
                     FormatSeconds(record.waited),
                     record.delivered ? "1" : "0",
                     GetLabel(record.rank, {record.call.groupId, record.sequence})});
}

} // namespace ns3
