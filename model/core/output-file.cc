// SPDX-License-Identifier: GPL-2.0-only

#include "output-file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace ns3
{

namespace
{

/// Links that are followed from a name to its file.
constexpr int MOST_LINKS = 40;

/// @return the system's description of its last error
std::string
GetSystemError()
{
    return errno == 0 ? "the system gives no reason" : std::strerror(errno);
}

/// @return true if a name stands for an open file of this process or for no regular file
bool
IsSpecial(const std::string& name)
{
    struct stat status;
    return name.rfind("/dev/fd/", 0) == 0 || name.rfind("/dev/std", 0) == 0 ||
           name.rfind("/proc/", 0) == 0 ||
           (stat(name.c_str(), &status) == 0 && !S_ISREG(status.st_mode));
}

/// Flush the file to the disk. @return true on success
bool
Synchronize(int file)
{
    // Some file systems cannot do so and report one of these two errors.
    return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP;
}

/// Synchronize a file that is no longer open. @return true if that was possible
bool
SynchronizeByName(const std::string& name)
{
    const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    const bool done = file >= 0 && Synchronize(file);
    const int error = errno;
    if (file >= 0)
    {
        close(file);
    }
    errno = error;
    return done;
}

/// @return permissions of a file, or those of a new one
mode_t
GetPermissions(const std::string& name)
{
    struct stat status;
    if (stat(name.c_str(), &status) == 0)
    {
        return status.st_mode & 07777;
    }
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

} // namespace

std::atomic<OutputFile*> OutputFile::s_first{nullptr};

std::string
OutputFile::FindTarget(const std::string& name)
{
    if (IsSpecial(name))
    {
        return "";
    }
    namespace fs = std::filesystem;
    std::error_code error;
    fs::path path(name);
    for (int links = 0; links < MOST_LINKS && fs::is_symlink(path, error); ++links)
    {
        const fs::path next = fs::read_symlink(path, error);
        path = next.is_absolute() ? next : path.parent_path() / next;
    }
    const fs::path folder = path.parent_path();
    const fs::path known = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
    return error ? path.string() : (known / path.filename()).string();
}

OutputFile::OutputFile(const std::string& name)
    : m_name(name),
      m_target(FindTarget(name)),
      m_process(getpid())
{
    errno = 0;
    struct stat status;
    if (m_target.empty())
    {
        if (stat(name.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
        {
            m_error = std::strerror(EISDIR);
            return;
        }
        m_stream.open(name, std::ios::app);
        m_error = m_stream ? "" : GetSystemError();
        return;
    }
    if (lstat(m_target.c_str(), &status) == 0 && S_ISLNK(status.st_mode))
    {
        m_error = std::strerror(ELOOP);
        return;
    }
    errno = 0;
    if (access(m_target.c_str(), W_OK) != 0 && errno != ENOENT)
    {
        m_error = GetSystemError(); // renaming would replace a file that is read-only
        return;
    }
    OpenTemporary();
}

void
OutputFile::OpenTemporary()
{
    const auto folder = std::filesystem::path(m_target).parent_path();
    std::string name = (folder / ".photonic-rails-XXXXXX").string();
    const int file = mkstemp(name.data());
    if (file < 0)
    {
        m_error = GetSystemError();
        return;
    }
    static bool isAtExit = false; // a program may also end by exit(), with objects still there
    if (!isAtExit)
    {
        isAtExit = std::atexit(&OutputFile::RemoveTemporaryFiles) == 0;
    }
    m_temporary = name;
    m_next = s_first.load();
    s_first = this;
    const bool isSet = fchmod(file, GetPermissions(m_target)) == 0;
    close(file);
    m_stream.open(name);
    m_error = isSet && m_stream ? "" : GetSystemError();
}

OutputFile::~OutputFile()
{
    std::atomic<OutputFile*>* place = &s_first;
    while (place->load() && place->load() != this)
    {
        place = &place->load()->m_next;
    }
    if (place->load() == this)
    {
        unlink(m_temporary.c_str()); // which is gone after a Commit
        *place = m_next.load();
    }
}

void
OutputFile::RemoveTemporaryFiles()
{
    for (OutputFile* file = s_first; file; file = file->m_next)
    {
        if (file->m_process == getpid())
        {
            unlink(file->m_temporary.c_str());
        }
    }
}

std::string
OutputFile::Replace()
{
    // rename() may replace a file made in the meantime, as any other writer does.
    return SynchronizeByName(m_temporary) && rename(m_temporary.c_str(), m_target.c_str()) == 0
               ? ""
               : GetSystemError();
}

std::string
OutputFile::Commit()
{
    if (!m_error.empty())
    {
        return m_error;
    }
    const bool wasGood = m_stream.good();
    errno = 0;
    m_stream.close();
    if (!wasGood || !m_stream.good())
    {
        // The reason of an earlier failure is no longer known.
        m_error = wasGood ? GetSystemError() : "the disk is full or has failed";
    }
    else if (!m_target.empty())
    {
        m_error = Replace();
    }
    return m_error;
}

std::string
OutputFile::Write(const std::string& name, const std::function<void(std::ostream&)>& write)
{
    OutputFile file(name);
    write(file.GetStream());
    return file.Commit();
}

std::string
OutputFile::Check(const std::string& name)
{
    struct stat status;
    const bool isPipe = stat(name.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
    if (isPipe) // opening it would wait for a reader
    {
        return access(name.c_str(), W_OK) == 0 ? "" : GetSystemError();
    }
    return OutputFile(name).m_error;
}

RecordFile::~RecordFile()
{
    if (m_file >= 0)
    {
        close(m_file);
    }
}

std::string
RecordFile::Open(const std::string& name)
{
    m_file = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (m_file < 0)
    {
        return GetSystemError();
    }
    struct stat status;
    m_isRegular = fstat(m_file, &status) == 0 && S_ISREG(status.st_mode);

    struct flock lock
    {
    };

    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    // File systems without locks fail in other ways.
    if (fcntl(m_file, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN))
    {
        close(m_file);
        m_file = -1;
        return "another process is writing it";
    }
    return "";
}

std::string
RecordFile::Read(std::size_t most) const
{
    // By the same descriptor: to close another one would give up the lock.
    std::string text(m_isRegular ? most : 0, '\0');
    std::size_t count = 0;
    for (ssize_t read = 1; read > 0 && count < text.size(); count += read)
    {
        read = pread(m_file, text.data() + count, text.size() - count, static_cast<off_t>(count));
        read = std::max<ssize_t>(read, 0);
    }
    text.resize(count);
    return text;
}

std::string
RecordFile::Keep(std::size_t bytes)
{
    m_bytes = bytes;
    const auto end = static_cast<off_t>(bytes);
    const bool isKept =
        !m_isRegular || (ftruncate(m_file, end) == 0 && lseek(m_file, end, SEEK_SET) == end);
    return isKept ? "" : GetSystemError();
}

std::string
RecordFile::Append(const std::string& record)
{
    errno = 0;
    std::size_t written = 0;
    for (ssize_t count = 0; written < record.size() && (count >= 0 || errno == EINTR);
         written += count > 0 ? count : 0)
    {
        count = write(m_file, record.data() + written, record.size() - written);
    }
    if (written < record.size() || !Synchronize(m_file))
    {
        const std::string error = GetSystemError();
        Keep(m_bytes); // if that fails: a reader leaves out a record without an end, too
        return error;
    }
    m_bytes += record.size();
    return "";
}

} // namespace ns3
