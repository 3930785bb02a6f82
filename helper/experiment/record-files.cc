// SPDX-License-Identifier: GPL-2.0-only

#include "record-files.h"

#include "ns3/abort.h"

namespace ns3
{

std::ofstream*
RecordFiles::Open(const FileOption& option, std::ofstream& file)
{
    if (!option.IsSet())
    {
        return nullptr;
    }
    file.open(option.GetText());
    return &file;
}

RecordFiles::RecordFiles(const RecordSettings& settings)
{
    std::ofstream* const calls = Open(settings.calls, m_calls);
    std::ofstream* const messages = Open(settings.messages, m_messages);
    if (calls || messages)
    {
        m_tables.emplace(calls, messages);
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

void
RecordFiles::Finish()
{
    NS_ABORT_MSG_UNLESS(m_calls.flush(), "--calls: the file could not be written");
    NS_ABORT_MSG_UNLESS(m_messages.flush(), "--messages: the file could not be written");
}

} // namespace ns3
