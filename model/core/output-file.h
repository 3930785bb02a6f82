// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OUTPUT_FILE_H
#define PHOTONIC_RAILS_OUTPUT_FILE_H

#include <atomic>
#include <boost/algorithm/string/predicate.hpp>
#include <cstddef>
#include <fstream>
#include <functional>
#include <ostream>
#include <string>

namespace ns3
{

/**
 * @param name of a file
 * @param ending such as .json
 * @return true if the name has something before this ending
 */
inline bool
HasEnding(const std::string& name, const std::string& ending)
{
    return name.size() > ending.size() && boost::algorithm::ends_with(name, ending);
}

/**
 * @brief A file that appears whole or not at all.
 *
 * An OutputFile writes to a temporary file in the same folder (.photonic-rails- and six
 * characters). Commit brings the content to the disk and renames the temporary file, so that an
 * older file with the name stays intact until then, and for good if the disk is full. The new file
 * has the permissions of the older one. A link is followed: the file that it names is replaced or
 * created. A file that is not regular, such as /dev/stdout or a pipe, is written to directly.
 */
class OutputFile
{
  public:
    /// @param name of the file that Commit lets appear
    explicit OutputFile(const std::string& name);
    /// Without a Commit the temporary file is removed.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// @return the name that was given
    const std::string& GetName() const
    {
        return m_name;
    }

    /// @return the temporary file, for a library that opens files itself; empty if there is none
    const std::string& GetPath() const
    {
        return m_temporary;
    }

    /// @return the output stream; nothing is kept in memory
    std::ostream& GetStream()
    {
        return m_stream;
    }

    /// Let the file appear. @return an empty string, or why the file could not be written
    std::string Commit();

    /**
     * @brief Write a whole file.
     * @param name of the file
     * @param write function that writes the content
     * @return an empty string, or why the file could not be written
     */
    static std::string Write(const std::string& name,
                             const std::function<void(std::ostream&)>& write);

    /// @param name of a file @return an empty string, or why the file cannot be written; an
    /// existing file is left as it is
    static std::string Check(const std::string& name);

    /**
     * @param name of a file, which need not exist
     * @return the path of the file behind all links, by which two names of one file are equal; an
     * empty string if the name is not that of a regular file
     */
    static std::string FindTarget(const std::string& name);

    /// Remove all temporary files, before the process ends. A signal handler may call this.
    static void RemoveTemporaryFiles();

  private:
    /// Create the temporary file for a target in its folder.
    void OpenTemporary();
    /// @return an empty string, or why the temporary file could not become the target
    std::string Replace();

    std::string m_name;
    std::string m_target;    //!< the file behind all links; empty: the stream writes to it directly
    std::string m_temporary; //!< empty if there is none
    std::string m_error;     //!< why the file could not be opened
    std::ofstream m_stream;
    int m_process; //!< that has created the temporary file, and not a child of that process
    std::atomic<OutputFile*> m_next{nullptr};
    static std::atomic<OutputFile*> s_first; //!< of the files that have a temporary file
};

/**
 * @brief A file that grows by whole records and that one process writes at a time.
 *
 * A record that could not be written to its end is removed again.
 */
class RecordFile
{
  public:
    RecordFile() = default;
    ~RecordFile();
    RecordFile(const RecordFile&) = delete;
    RecordFile& operator=(const RecordFile&) = delete;

    /**
     * @brief Open a file, or create it, and lock it until the end of this object. Processes that
     * are forked do not have the lock.
     * @param name of the file
     * @return an empty string, or why the file cannot be written
     */
    std::string Open(const std::string& name);

    /// @return true if Open has succeeded
    bool IsOpen() const
    {
        return m_file >= 0;
    }

    /// @param most bytes to be read @return the content; empty if the file is not a regular one
    std::string Read(std::size_t most) const;

    /// Remove the end of the file after the last whole record. @param bytes of the file that stay
    /// @return an empty string, or the reason why that is not possible
    std::string Keep(std::size_t bytes);

    /// @param record written at the end of the file @return an empty string, or why the record
    /// could not be written
    std::string Append(const std::string& record);

  private:
    int m_file{-1};
    bool m_isRegular{false}; //!< has a length that can be set
    std::size_t m_bytes{0};  //!< of whole records
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OUTPUT_FILE_H
