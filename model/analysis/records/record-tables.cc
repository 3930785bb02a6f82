// SPDX-License-Identifier: GPL-2.0-only

#include "record-tables.h"

#include "ns3/node.h"
#include "ns3/output-file.h"
#include "ns3/rank-program.h"
#include "ns3/report-value.h"

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <sstream>

#ifdef PHOTONIC_RAILS_SQLITE
#include "ns3/sqlite-output.h"
#endif

namespace ns3
{

namespace
{

constexpr const char* DATABASE = ".sqlite"; // ending of its name

/// Comma-separated values.
class CsvSink : public RecordSink
{
  public:
    explicit CsvSink(const std::string& file)
        : m_file(file)
    {
    }

    void Begin(const std::string&, const Row& columns) override
    {
        Add(columns);
    }

    void Add(const Row& row) override
    {
        CsvTable::WriteRow(m_file.GetStream(), row);
    }

    std::string Finish() override
    {
        return m_file.Commit();
    }

  private:
    OutputFile m_file;
};

#ifdef PHOTONIC_RAILS_SQLITE

/// A table of a SQLite database. All rows are one transaction of a temporary file, which needs no
/// journal: the file has the name that was asked for once all rows are there.
class SqliteSink : public RecordSink
{
  public:
    explicit SqliteSink(const std::string& file)
        : m_file(file)
    {
    }

    ~SqliteSink() override
    {
        Close();
    }

    void Begin(const std::string& table, const Row& columns) override
    {
        if (m_file.GetPath().empty())
        {
            return; // Finish has the reason
        }
        m_database = Create<SQLiteOutput>(m_file.GetPath());
        std::string definition;
        std::string places;
        for (const std::string& column : columns)
        {
            const bool isTime = column.size() > 2 && column.substr(column.size() - 2) == "_s";
            definition += (definition.empty() ? "" : ", ") + ('"' + column + '"') +
                          (isTime ? " REAL" : " NUMERIC");
            places += places.empty() ? "?" : ", ?";
        }
        Execute("PRAGMA journal_mode = OFF");
        Execute("PRAGMA synchronous = OFF");
        Execute("CREATE TABLE " + table + " (" + definition + ")");
        Execute("BEGIN");
        Do(m_database->SpinPrepare(&m_insert, "INSERT INTO " + table + " VALUES (" + places + ")"));
    }

    void Add(const Row& row) override
    {
        if (!m_insert || !m_isGood)
        {
            return;
        }
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            Do(m_database->Bind(m_insert, static_cast<int>(i + 1), row[i]));
        }
        Do(SQLiteOutput::SpinStep(m_insert) == SQLITE_DONE);
        SQLiteOutput::SpinReset(m_insert);
    }

    std::string Finish() override
    {
        if (m_database)
        {
            Close();
        }
        return m_isGood ? m_file.Commit() : "the disk is full or has failed";
    }

  private:
    /// Take note of an error. @param isGood whether a command has succeeded
    void Do(bool isGood)
    {
        m_isGood = m_isGood && isGood;
    }

    /// Execute a command. SpinExec would print errors, and leave a result open.
    void Execute(const std::string& command)
    {
        sqlite3_stmt* statement = nullptr;
        Do(m_isGood && m_database->SpinPrepare(&statement, command));
        if (statement)
        {
            const int result = SQLiteOutput::SpinStep(statement);
            Do(result == SQLITE_DONE || result == SQLITE_ROW);
            SQLiteOutput::SpinFinalize(statement);
        }
    }

    /// Commit the rows, and close the database.
    void Close()
    {
        if (m_insert)
        {
            SQLiteOutput::SpinFinalize(m_insert);
            m_insert = nullptr;
            Execute("COMMIT");
        }
        m_database = nullptr;
    }

    OutputFile m_file;
    Ptr<SQLiteOutput> m_database;
    sqlite3_stmt* m_insert{nullptr};
    bool m_isGood{true};
};

#endif

/// @return true if a field comes before another one: numbers without a sign, and with the same
/// number of decimals, by their value
bool
IsFieldBefore(const std::string& one, const std::string& other)
{
    return one.size() != other.size() ? one.size() < other.size() : one < other;
}

/// @return true if a row comes before another one, by the first columns that differ
bool
IsRowBefore(const RecordSink::Row& one, const RecordSink::Row& other)
{
    return std::lexicographical_compare(one.begin(),
                                        one.end(),
                                        other.begin(),
                                        other.end(),
                                        IsFieldBefore);
}

/// Puts rows that end at the same time in order: which event of an instant comes first differs
/// between bursts and packets.
class OrderedSink : public RecordSink
{
  public:
    /// @param file receives the rows, which come in the order of their ends
    explicit OrderedSink(std::unique_ptr<RecordSink> file)
        : m_file(std::move(file))
    {
    }

    void Begin(const std::string& table, const Row& columns) override
    {
        m_end = std::find(columns.begin(), columns.end(), "ended_s") - columns.begin();
        m_file->Begin(table, columns);
    }

    void Add(const Row& row) override
    {
        if (!m_rows.empty() && m_rows.front()[m_end] != row[m_end])
        {
            Write();
        }
        m_rows.push_back(row);
    }

    std::string Finish() override
    {
        Write();
        return m_file->Finish();
    }

  private:
    /// Write the rows of the present time.
    void Write()
    {
        std::sort(m_rows.begin(), m_rows.end(), IsRowBefore);
        for (const Row& row : m_rows)
        {
            m_file->Add(row);
        }
        m_rows.clear();
    }

    std::unique_ptr<RecordSink> m_file;
    std::size_t m_end{0};    //!< column of the end
    std::vector<Row> m_rows; //!< that end at the present time
};

/// @param file its name, or an empty string @return the file, or null
std::unique_ptr<RecordSink>
OpenOrdered(const std::string& file)
{
    return file.empty() ? nullptr : std::make_unique<OrderedSink>(RecordSink::Open(file));
}

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

std::unique_ptr<RecordSink>
RecordSink::Open(const std::string& file)
{
#ifdef PHOTONIC_RAILS_SQLITE
    if (HasEnding(file, DATABASE))
    {
        return std::make_unique<SqliteSink>(file);
    }
#endif
    return std::make_unique<CsvSink>(file);
}

std::string
RecordSink::Check(const std::string& file)
{
    if (!HasEnding(file, DATABASE))
    {
        return "";
    }
#ifdef PHOTONIC_RAILS_SQLITE
    return OutputFile::FindTarget(file).empty() ? "a database is a regular file" : "";
#else
    return "this build has no SQLite, for which ns-3's module stats must be built with it";
#endif
}

RecordTables::RecordTables(const std::string& calls, const std::string& messages)
    : m_calls(OpenOrdered(calls)),
      m_messages(OpenOrdered(messages))
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
