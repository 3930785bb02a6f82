// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECORD_FILES_H
#define PHOTONIC_RAILS_RECORD_FILES_H

#include "ns3/output-settings.h"
#include "ns3/record-tables.h"

#include <fstream>
#include <optional>
#include <string>

namespace ns3
{

/// The files of RecordSettings, while a program runs.
class RecordFiles
{
  public:
    /// @param settings the names of the files, which are opened now
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

    /// Write what is buffered; aborts if a file could not be written.
    void Finish();

  private:
    /// @return the stream of a file that is written, or null
    static std::ofstream* Open(const FileOption& option, std::ofstream& file);

    std::ofstream m_calls;
    std::ofstream m_messages;
    std::optional<RecordTables> m_tables; //!< none: nothing is recorded
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECORD_FILES_H
