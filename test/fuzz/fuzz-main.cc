// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * A libFuzzer target for each reader of bytes from outside, in one program; test/fuzz/search runs
 * it:
 *
 *     photonic-rails-fuzz --reader=NAME [LIBFUZZER_FLAG...] [FOLDER...]
 */

#include "fuzz-reader.h"

#include "ns3/nstime.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <unistd.h>

namespace ns3
{
namespace fuzz
{

namespace
{

/// A folder of this process, which is removed at its end.
class InputFolder
{
  public:
    InputFolder()
        : m_path(std::filesystem::path(std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp") /
                 ("photonic-rails-fuzz-" + std::to_string(getpid())))
    {
        std::filesystem::create_directories(m_path);
    }

    ~InputFolder()
    {
        std::error_code error;
        std::filesystem::remove_all(m_path, error);
    }

    /// @return the path
    const std::filesystem::path& GetPath() const
    {
        return m_path;
    }

  private:
    std::filesystem::path m_path;
};

/// @return all readers
const std::vector<Reader>&
GetReaders()
{
    static const std::vector<Reader> readers = [] {
        std::vector<Reader> all;
        for (const auto& some :
             {GetWireReaders(), GetFileReaders(), GetTraceReaders(), GetFlagReaders()})
        {
            all.insert(all.end(), some.begin(), some.end());
        }
        return all;
    }();
    return readers;
}

const Reader* g_reader = nullptr; //!< the reader that was chosen

} // namespace

void
Require(bool holds, const std::string& promise)
{
    if (!holds)
    {
        std::cerr << "does not hold: " << promise << std::endl;
        std::abort();
    }
}

void
RequireLine(const std::string& error)
{
    Require(std::all_of(error.begin(), error.end(), [](char c) { return c >= ' ' && c < 0x7f; }),
            "an error is one line of printable characters: " + error);
}

std::string
WriteInput(const std::string& name, const std::string& bytes)
{
    static const InputFolder folder;
    const std::string file = (folder.GetPath() / name).string();
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
}

} // namespace fuzz
} // namespace ns3

extern "C" int
LLVMFuzzerInitialize(int* argc, char*** argv)
{
    using namespace ns3;
    Time::SetResolution(Time::PS);
    const std::string flag = "--reader=";
    std::string names;
    for (const auto& reader : fuzz::GetReaders())
    {
        names += " " + reader.name;
        if (std::find(*argv, *argv + *argc, flag + reader.name) != *argv + *argc)
        {
            fuzz::g_reader = &reader;
        }
    }
    if (!fuzz::g_reader)
    {
        std::cerr << flag << "NAME, with one of" << names << std::endl;
        std::_Exit(1);
    }
    return 0;
}

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    ns3::fuzz::g_reader->read(std::string(reinterpret_cast<const char*>(data), size));
    return 0;
}
