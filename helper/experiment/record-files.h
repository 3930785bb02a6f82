// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECORD_FILES_H
#define PHOTONIC_RAILS_RECORD_FILES_H

#include "ns3/output-settings.h"
#include "ns3/record-tables.h"

#include <memory>
#include <optional>
#include <string>

namespace ns3
{

/// The files of RecordSettings, while a program runs.
class RecordFiles
{
  public:
    /// @param settings the names of the files, which must outlive this object
    explicit RecordFiles(const RecordSettings& settings);

    /**
     * @brief Record the calls of a rank from now on, if that is wanted.
     * @param engine engine of the rank
     */
    void Observe(Ptr<CollectiveEngine> engine);

    /**
     * @brief Record the calls of a rank with the labels of its operations, if that is wanted.
     * @param application the rank, on a node with an engine
     */
    void Observe(Ptr<TrainingApplication> application);

    /// Let the files appear. @return an empty string, or one line that says which could not be
    /// written
    std::string Finish();

  private:
    /// A file, if it is wanted.
    struct Table
    {
        /// @param option name of the file
        explicit Table(const FileOption& option);
        /// Let the file appear. @return an empty string, or one line with the reason
        std::string Finish() const;

        const FileOption& option;
        std::unique_ptr<RecordSink> file; //!< null: not wanted
    };

    Table m_calls;
    Table m_messages;
    std::optional<RecordTables> m_tables; //!< none: nothing is recorded
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECORD_FILES_H
