// SPDX-License-Identifier: GPL-2.0-only

#include "output-settings.h"

#include "ns3/device-mesh.h"
#include "ns3/distributed-run.h"
#include "ns3/rank-program-builder.h"
#include "ns3/rank-program-csv.h"

#include <fstream>

namespace ns3
{

void
OutputSettings::AddFlags(CommandLine& cmd)
{
    m_json.AddTo(cmd, "write a summary of the run, or the description, to this file");
    m_operations.AddTo(cmd,
                       "write the operations of a rank to this file, as comma-separated values");
    m_operationsRank.AddTo(cmd, "whose");
    m_profile.AddTo(cmd,
                    "write what the Opus shim of a rank has learned of its traffic to this file, "
                    "as JSON");
    m_profileRank.AddTo(cmd, "whose");
    m_timeline.AddFlags(cmd);
    m_report.AddFlags(cmd);
    m_pcap.AddTo(cmd,
                 "prefix of packet captures, one per NIC port (whole packets: as large as the "
                 "traffic)");
    m_pcapSnapLength.AddTo(cmd, "bytes kept of each packet, 96 to 65535");
    m_ascii.AddTo(cmd,
                  "prefix of ascii traces, one per NIC port (a line for each event of a packet)");
    m_qpStats.AddTo(cmd, "write what each queue pair has counted to this file, as XML");
    cmd.AddValue("quiet", "print nothing", m_quiet);
}

std::string
OutputSettings::CheckNumbers()
{
    for (auto* count : {&m_pcapSnapLength, &m_operationsRank, &m_profileRank})
    {
        if (auto error = count->Check(); !error.empty())
        {
            return error;
        }
    }
    return "";
}

std::string
OutputSettings::CheckRanks(uint64_t ranks, uint64_t simulated, bool isLent)
{
    if (m_operationsRank.Get() >= ranks)
    {
        return RefuseFlag(m_operationsRank.GetName(),
                          m_operationsRank.GetText(),
                          "a rank below " + std::to_string(ranks));
    }
    if (!m_profile.GetText().empty() && !isLent)
    {
        return RefuseFlag(m_profile.GetName(),
                          m_profile.GetText(),
                          "empty, as without circuits that are lent nobody learns anything");
    }
    if (m_profileRank.Get() >= simulated)
    {
        return RefuseFlag(m_profileRank.GetName(),
                          m_profileRank.GetText(),
                          "a rank below " + std::to_string(simulated));
    }
    if (!m_qpStats.GetText().empty() && DistributedRun::GetLaunched() > 1)
    {
        return RefuseFlag(m_qpStats.GetName(),
                          m_qpStats.GetText(),
                          "empty, as several processes have a part of the queue pairs each");
    }
    return m_timeline.Check(simulated);
}

std::string
OutputSettings::CheckFiles()
{
    for (const auto* file : {&m_json, &m_operations, &m_profile, &m_qpStats})
    {
        if (auto error = CheckWritable(*file); !error.empty())
        {
            return error;
        }
    }
    if (!m_ascii.GetText().empty())
    {
        if (auto error = CheckWritable("ascii", m_ascii.GetText() + "-0-0.tr"); !error.empty())
        {
            return error;
        }
    }
    if (auto error = m_report.Check(); !error.empty())
    {
        return error;
    }
    const std::string& prefix = m_pcap.GetText();
    return prefix.empty() ? "" : CheckWritable("pcap", prefix + "-0-0.pcap");
}

bool
OutputSettings::WriteOperations(const WorkloadSpec& workload) const
{
    if (m_operations.GetText().empty())
    {
        return true;
    }
    const DeviceMesh mesh(workload.parallelism);
    const uint32_t rank = m_operationsRank.Get();
    std::ofstream file(m_operations.GetText());
    RankProgramCsv::Write(*RankProgramBuilder::Build(workload, mesh, rank), mesh, rank, file);
    return file.flush().good();
}

const std::string&
OutputSettings::GetProfileFile() const
{
    return m_profile.GetText();
}

uint32_t
OutputSettings::GetProfileRank() const
{
    return static_cast<uint32_t>(m_profileRank.Get());
}

const TimelineSettings&
OutputSettings::GetTimeline() const
{
    return m_timeline;
}

const ReportSettings&
OutputSettings::GetReport() const
{
    return m_report;
}

const std::string&
OutputSettings::GetJsonFile() const
{
    return m_json.GetText();
}

const std::string&
OutputSettings::GetPcapPrefix() const
{
    return m_pcap.GetText();
}

uint32_t
OutputSettings::GetPcapSnapLength() const
{
    return static_cast<uint32_t>(m_pcapSnapLength.Get());
}

const std::string&
OutputSettings::GetAsciiPrefix() const
{
    return m_ascii.GetText();
}

const std::string&
OutputSettings::GetQueuePairFile() const
{
    return m_qpStats.GetText();
}

bool
OutputSettings::IsQuiet() const
{
    return m_quiet;
}

} // namespace ns3
