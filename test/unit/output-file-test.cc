// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/child-process.h"
#include "ns3/output-file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/stat.h>

using namespace ns3;
namespace fs = std::filesystem;

/// A folder of its own for each test.
class OutputFileTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        std::string name = (fs::temp_directory_path() / "output-file-XXXXXX").string();
        m_folder = mkdtemp(name.data());
    }

    void TearDown() override
    {
        fs::remove_all(m_folder);
    }

    /// @return the path of a file in the folder
    std::string At(const std::string& name) const
    {
        return (m_folder / name).string();
    }

    /// @return what a file has
    std::string Read(const std::string& name) const
    {
        std::ifstream file(At(name));
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

    /// Write a file without OutputFile.
    void Put(const std::string& name, const std::string& text) const
    {
        std::ofstream(At(name)) << text;
    }

    /// @return how many files there are
    long CountFiles() const
    {
        return std::distance(fs::directory_iterator(m_folder), fs::directory_iterator());
    }

    fs::path m_folder;
};

TEST_F(OutputFileTest, AppearsWithCommitOnly)
{
    Put("a", "old");
    {
        OutputFile file(At("a"));
        file.GetStream() << "new" << std::flush;
        EXPECT_EQ(Read("a"), "old");
        EXPECT_EQ(CountFiles(), 2);
    }
    EXPECT_EQ(Read("a"), "old");
    EXPECT_EQ(CountFiles(), 1);
    EXPECT_EQ(OutputFile::Write(At("a"), [](std::ostream& os) { os << "new"; }), "");
    EXPECT_EQ(Read("a"), "new");
    EXPECT_EQ(CountFiles(), 1);
}

TEST_F(OutputFileTest, CheckLeavesEverythingAsItWas)
{
    Put("a", "old");
    EXPECT_EQ(OutputFile::Check(At("a")), "");
    EXPECT_EQ(OutputFile::Check(At("b")), "");
    EXPECT_EQ(OutputFile::Check(At("no/b")), "No such file or directory");
    EXPECT_EQ(OutputFile::Check(m_folder.string()), "Is a directory");
    EXPECT_EQ(Read("a"), "old");
    EXPECT_EQ(CountFiles(), 1);
}

TEST_F(OutputFileTest, AFailedStreamIsNoFile)
{
    Put("a", "old");
    OutputFile file(At("a"));
    file.GetStream().setstate(std::ios::badbit);
    EXPECT_NE(file.Commit(), "");
    EXPECT_EQ(Read("a"), "old");
    EXPECT_NE(OutputFile::Write("/dev/full", [](std::ostream& os) { os << "x"; }), "");
    EXPECT_EQ(OutputFile::Write("/dev/null", [](std::ostream& os) { os << "x"; }), "");
}

TEST_F(OutputFileTest, LinksAreFollowed)
{
    fs::create_directory(m_folder / "sub");
    fs::create_symlink("sub/behind", m_folder / "first");
    fs::create_symlink("first", m_folder / "second");
    EXPECT_EQ(OutputFile::FindTarget(At("second")),
              OutputFile::FindTarget(At("./sub/../sub/behind")));
    EXPECT_EQ(OutputFile::Write(At("second"), [](std::ostream& os) { os << "x"; }), "");
    EXPECT_TRUE(fs::is_symlink(m_folder / "second"));
    EXPECT_TRUE(fs::is_symlink(m_folder / "first"));
    EXPECT_EQ(Read("sub/behind"), "x");
    fs::create_symlink("loop", m_folder / "loop");
    EXPECT_NE(OutputFile::Check(At("loop")), "");
    EXPECT_EQ(OutputFile::FindTarget("/dev/null"), "");
    EXPECT_EQ(OutputFile::FindTarget("/dev/stdout"), "");
}

TEST_F(OutputFileTest, ALongChainOfLinksIsRefused)
{
    Put("0", "old");
    for (int i = 1; i <= 41; ++i)
    {
        fs::create_symlink(std::to_string(i - 1), m_folder / std::to_string(i));
    }
    EXPECT_EQ(OutputFile::Write(At("40"), [](std::ostream& os) { os << "new"; }), "");
    EXPECT_EQ(Read("0"), "new");
    EXPECT_EQ(OutputFile::Check(At("41")), "Too many levels of symbolic links");
    EXPECT_TRUE(fs::is_symlink(m_folder / "1"));
}

TEST_F(OutputFileTest, PermissionsAreThoseOfTheOlderFile)
{
    Put("a", "old");
    chmod(At("a").c_str(), 0604);
    const mode_t mask = umask(027);
    EXPECT_EQ(OutputFile::Write(At("a"), [](std::ostream& os) { os << "new"; }), "");
    EXPECT_EQ(OutputFile::Write(At("b"), [](std::ostream& os) { os << "new"; }), "");
    umask(mask);
    struct stat status;
    stat(At("a").c_str(), &status);
    EXPECT_EQ(status.st_mode & 0777, 0604u);
    stat(At("b").c_str(), &status);
    EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(OutputFileTest, AProgramThatExitsLeavesNoTemporaryFile)
{
    const auto leave = [this] {
        OutputFile file(At("a"));
        std::exit(CountFiles() == 1 ? 7 : 8);
    };
    EXPECT_EXIT(leave(), testing::ExitedWithCode(7), "");
    EXPECT_EQ(CountFiles(), 0);
}

TEST_F(OutputFileTest, NoFileStaysOpen)
{
    // A sweep writes thousands of files, and a process may have about a thousand open.
    const auto countOpen = [] {
        return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
    };
    const auto before = countOpen();
    EXPECT_EQ(OutputFile::Write(At("a"), [](std::ostream& os) { os << "x"; }), "");
    {
        OutputFile notCommitted(At("b"));
    }
    EXPECT_EQ(countOpen(), before);
}

TEST_F(OutputFileTest, SeveralAtOnceAreRemovedTogether)
{
    OutputFile a(At("a"));
    OutputFile b(At("b"));
    {
        OutputFile c(At("c"));
        EXPECT_EQ(CountFiles(), 3);
    }
    EXPECT_EQ(CountFiles(), 2);
    OutputFile::RemoveTemporaryFiles();
    EXPECT_EQ(CountFiles(), 0);
}

TEST_F(OutputFileTest, RecordsFollowEachOther)
{
    Put("a", "one\ntwo\nthr");
    {
        RecordFile file;
        ASSERT_EQ(file.Open(At("a")), "");
        EXPECT_EQ(file.Read(100), "one\ntwo\nthr");
        EXPECT_EQ(file.Read(3), "one");
        EXPECT_EQ(file.Keep(8), "");
        EXPECT_EQ(file.Append("three\n"), "");
        EXPECT_EQ(file.Append("four\n"), "");
    }
    EXPECT_EQ(Read("a"), "one\ntwo\nthree\nfour\n");
}

TEST_F(OutputFileTest, RecordsHaveOneWriter)
{
    RecordFile file;
    ASSERT_EQ(file.Open(At("a")), "");
    const auto open = [this] {
        RecordFile other;
        return other.Open(At("a"));
    };
    EXPECT_EQ(RunInChild(open), "another process is writing it");
    {
        RecordFile gone;
        ASSERT_EQ(gone.Open(At("b")), "");
    }
    EXPECT_EQ(RunInChild([this] {
                  RecordFile other;
                  return other.Open(At("b"));
              }),
              "");
    RecordFile none;
    EXPECT_NE(none.Open(At("no/a")), "");
    EXPECT_FALSE(none.IsOpen());
}
