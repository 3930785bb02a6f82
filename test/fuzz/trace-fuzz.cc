// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/nstime.h"
#include "ns3/trace-job.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

/**
 * @file
 * libFuzzer target of everything that reads execution traces. Built with clang and
 * -DPHOTONIC_RAILS_FUZZ=ON; test/fuzz/corpus has inputs to begin with:
 *
 *     photonic-rails-trace-fuzz -max_total_time=600 FOLDER test/fuzz/corpus
 *
 * The first byte of an input says whether the rest is a table of operations (odd) or traces of two
 * ranks and a file of groups, whose sizes are the next four bytes.
 */

using namespace ns3;

namespace
{

/// Files that are written again for each input, in memory if the system has a folder there.
class FuzzFolder
{
  public:
    FuzzFolder()
        : m_folder(
              std::filesystem::path(std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp") /
              ("photonic-rails-fuzz-" + std::to_string(getpid())))
    {
        std::filesystem::create_directories(m_folder);
    }

    ~FuzzFolder()
    {
        std::error_code error;
        std::filesystem::remove_all(m_folder, error);
    }

    std::string Write(const std::string& name, const std::string& bytes) const
    {
        const std::string file = (m_folder / name).string();
        std::ofstream(file, std::ios::binary) << bytes;
        return file;
    }

    std::string GetPrefix() const
    {
        return (m_folder / "t").string();
    }

  private:
    std::filesystem::path m_folder;
};

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    static const FuzzFolder folder;
    if (size < 5)
    {
        return 0;
    }
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
    const std::string text(reinterpret_cast<const char*>(data) + 5, size - 5);
    TraceSource source;
    source.gpu = *GpuSpec::Find("a100");
    if (data[0] % 2 == 1)
    {
        source.prefix = folder.Write("t.csv", text);
    }
    else
    {
        const std::size_t first = data[1] + 256U * data[2];
        const std::size_t second = data[3] + 256U * data[4];
        const auto part = [&text](std::size_t begin, std::size_t count) {
            return begin < text.size() ? text.substr(begin, count) : std::string();
        };
        folder.Write("t.0.et", part(0, first));
        folder.Write("t.1.et", part(first, second));
        folder.Write("t.json", part(first + second, std::string::npos));
        source.prefix = folder.GetPrefix();
    }
    try
    {
        const JobRanks ranks = TraceJob::Read(source);
        for (uint32_t rank = 0; rank < ranks.GetWorldSize(); ++rank)
        {
            const RankBinding binding = ranks.Bind(rank);
            for (const RankOperation& operation : ranks.GetProgram(rank)->GetOperations())
            {
                if (operation.IsCall())
                {
                    binding.Bind(operation);
                }
            }
        }
    }
    catch (const TraceError& error)
    {
        if (std::string(error.what()).find('\n') != std::string::npos)
        {
            std::abort(); // an error is one line
        }
    }
    return 0;
}
