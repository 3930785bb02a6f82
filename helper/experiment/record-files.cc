// SPDX-License-Identifier: GPL-2.0-only

#include "record-files.h"

#include "ns3/program.h"

namespace ns3
{

RecordFiles::Table::Table(const FileOption& name)
    : option(name),
      file(name.IsSet() ? RecordSink::Open(name.GetText()) : nullptr)
{
}

std::string
RecordFiles::Table::Finish() const
{
    return file ? DescribeUnwritten(option.GetName(), option.GetText(), file->Finish()) : "";
}

RecordFiles::RecordFiles(const RecordSettings& settings)
    : m_calls(settings.calls),
      m_messages(settings.messages)
{
    if (m_calls.file || m_messages.file)
    {
        m_tables.emplace(m_calls.file.get(), m_messages.file.get());
    }
}

void
RecordFiles::Observe(Ptr<CollectiveEngine> engine)
{
    if (m_tables)
    {
        m_tables->Observe(engine);
    }
}

void
RecordFiles::Observe(Ptr<TrainingApplication> application)
{
    if (m_tables)
    {
        m_tables->Observe(application);
    }
}

std::string
RecordFiles::Finish()
{
    const std::string first = m_calls.Finish();
    const std::string second = m_messages.Finish();
    return first.empty() ? second : first;
}

} // namespace ns3
