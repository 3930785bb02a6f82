// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECORD_TABLES_H
#define PHOTONIC_RAILS_RECORD_TABLES_H

#include "ns3/collective-engine.h"
#include "ns3/training-application.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A file that a table is written to row by row; no row is kept in memory.
class RecordSink
{
  public:
    /// Fields of a row as texts, one for each column.
    using Row = std::vector<std::string>;

    virtual ~RecordSink() = default;

    /**
     * @param file name of a file: with .sqlite at the end a SQLite database, otherwise
     * comma-separated values (RFC 4180, except for line ends of one byte)
     * @return the file, which appears with Finish
     */
    static std::unique_ptr<RecordSink> Open(const std::string& file);

    /// @param file name of a file @return an empty string, or why the file cannot be written
    static std::string Check(const std::string& file);

    /**
     * @brief Begin with the table, before the first row.
     * @param table its name
     * @param columns their names. In a database, columns whose names end in _s are REAL, and others
     * INTEGER if the field is a whole number and TEXT if not
     */
    virtual void Begin(const std::string& table, const Row& columns) = 0;

    /// @param row the next row
    virtual void Add(const Row& row) = 0;

    /// Let the file appear. @return an empty string, or why the file could not be written
    virtual std::string Finish() = 0;
};

/**
 * @brief Writes a row for each call, and a row for each message.
 *
 * Rows are written in the order of the ends of calls or messages, rows with equal ends in the order
 * of their first columns that differ; those of the present time are kept. Times are seconds with
 * all digits of a picosecond. A Send and its Recv are two calls. The messages of a call are those
 * of its algorithm; RDMA may split a message over the ports of a NIC.
 *
 * While messages are recorded, each of them is acknowledged to the engine. Bursts then stop at
 * every message, which takes more time to simulate and does not change simulated times.
 */
class RecordTables
{
  public:
    /**
     * @param calls name of the file that receives a row for each call (see RecordSink::Open);
     * empty: no such table
     * @param messages name of the file that receives a row for each message; empty: no such table
     */
    RecordTables(const std::string& calls, const std::string& messages);

    /**
     * @brief Record the calls and messages of a rank from now on, if there is a table.
     * @param engine engine of the rank
     */
    void Observe(Ptr<CollectiveEngine> engine);

    /**
     * @brief Record calls and messages of a rank with the labels of its operations, if there is a
     * table.
     * @param application the rank, on a node with an engine
     */
    void Observe(Ptr<TrainingApplication> application);

    /// Let the file of calls appear. @return an empty string, or why the file could not be written
    std::string FinishCalls()
    {
        return m_calls ? m_calls->Finish() : "";
    }

    /// Let the file of messages appear. @return an empty string, or why the file could not be
    /// written
    std::string FinishMessages()
    {
        return m_messages ? m_messages->Finish() : "";
    }

  private:
    void CommunicationBegan(uint32_t rank, uint32_t iteration, const RankOperation& operation);
    void CallArrived(uint32_t rank, const CollectiveCall& call, uint64_t sequence);
    void CallEnded(const CollectiveCallRecord& record);
    void MessageEnded(const CollectiveMessageRecord& record);

    /// A call of a rank: group and sequence number.
    using CallId = std::pair<uint32_t, uint64_t>;

    /// Labels of the calls of a rank.
    struct Labels
    {
        std::string present;                 //!< of the operation that is about to make a call
        std::map<CallId, std::string> calls; //!< of calls that have not ended
    };

    /// @return the label of a call that has not ended
    std::string GetLabel(uint32_t rank, const CallId& call) const;

    std::unique_ptr<RecordSink> m_calls;    //!< null: no such table
    std::unique_ptr<RecordSink> m_messages; //!< null: no such table
    std::map<uint32_t, Labels> m_labels;    //!< by rank
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECORD_TABLES_H
