// SPDX-License-Identifier: GPL-2.0-only

#include "fiber-capture.h"

#include "ns3/boolean.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/node.h"
#include "ns3/priority-flow-control.h"
#include "ns3/rdma-nic.h"
#include "ns3/roce-header.h"
#include "ns3/secondary-nic.h"
#include "ns3/simple-ref-count.h"
#include "ns3/simulator.h"
#include "ns3/trace-helper.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

using DropReason = EthernetPortNetDevice::DropReason;

/// The trace sources that carry a frame and nothing else.
struct Source
{
    const char* name;
    char letter;
};

const std::vector<Source> FRAMES = {{"MacTx", '+'},
                                    {"PfcTx", '+'},
                                    {"PhyTxBegin", '-'},
                                    {"MacRx", 'r'},
                                    {"PfcRx", 'r'}};
const std::vector<const char*> DROPS = {"MacTxDrop", "PhyTxDrop", "PhyRxDrop", "MacRxDrop"};

/// A file of a port, which grows while the simulation runs.
class PortFile : public SimpleRefCount<PortFile>
{
  public:
    /// @param flag by which the programs ask for it @param name of the file; empty for a stream
    PortFile(const std::string& flag, const std::string& name)
        : m_flag(flag),
          m_name(name)
    {
        ++s_open;
        s_names.insert(name);
    }

    virtual ~PortFile()
    {
        if (--s_open == 0)
        {
            s_names.clear(); // all of them are complete
        }
    }

    PortFile(const PortFile&) = delete;
    PortFile& operator=(const PortFile&) = delete;

    /// Remove the files of all ports, of which one could not be written, and end the program as
    /// CommandLine does with a wrong flag: a line and no core dump.
    void GiveUp(const std::string& reason = "the disk is full or has failed") const
    {
        if (std::exchange(s_isLost, true))
        {
            return; // of the other files, which are closed at the end of the program
        }
        for (const auto& name : s_names)
        {
            std::error_code error;
            if (std::filesystem::is_regular_file(name, error))
            {
                std::filesystem::remove(name, error);
            }
        }
        std::cerr << "--" << m_flag << ": " << (m_name.empty() ? "the stream" : m_name)
                  << " could not be written: " << reason << std::endl;
        std::exit(1);
    }

  private:
    std::string m_flag;
    std::string m_name;
    inline static std::set<std::string> s_names; //!< of this simulation
    inline static uint32_t s_open{0};            //!< files that are not complete
    inline static bool s_isLost{false};          //!< one could not be written
};

/// Lines.
class AsciiFile : public PortFile
{
  public:
    /// @param name of the file; empty for a stream @param stream to write to
    AsciiFile(const std::string& name, Ptr<OutputStreamWrapper> stream)
        : PortFile("ascii", name),
          m_stream(stream)
    {
    }

    /// @return the output stream
    std::ostream& Get() const
    {
        return *m_stream->GetStream();
    }

    /// End a line.
    void EndLine() const
    {
        if (!std::endl(Get()))
        {
            GiveUp();
        }
    }

  private:
    Ptr<OutputStreamWrapper> m_stream;
};

/// Packets.
class CaptureFile : public PortFile
{
  public:
    /// @param name of the file @param snapLength bytes kept of each frame
    CaptureFile(const std::string& name, uint32_t snapLength)
        : PortFile("pcap", name)
    {
        constexpr uint32_t ETHERNET = 1;
        m_file->SetAttribute("NanosecMode", BooleanValue(true)); // packets are less than 1 us apart
        m_file->Open(name, std::ios::out | std::ios::binary);
        if (m_file->Fail())
        {
            GiveUp(std::strerror(errno));
        }
        m_file->Init(ETHERNET, snapLength);
    }

    ~CaptureFile() override
    {
        m_file->Close(); // writes what is in memory
        Check();
    }

    /// Write a frame.
    void Write(const Ptr<const Packet>& frame) const
    {
        m_file->Write(Simulator::Now(), frame);
        Check();
    }

  private:
    /// End the program if something could not be written.
    void Check() const
    {
        if (m_file->Fail())
        {
            GiveUp();
        }
    }

    Ptr<PcapFileWrapper> m_file{CreateObject<PcapFileWrapper>()};
};

/// Write a header as Packet::Print would, and then the headers after it.
template <typename Header>
bool
PrintIf(std::ostream& os, const Ptr<const Packet>& frame)
{
    Header header;
    const uint32_t bytes = frame->PeekHeader(header);
    if (bytes == 0)
    {
        return false;
    }
    os << Header::GetTypeId().GetName() << " (";
    header.Print(os);
    os << ")";
    if (frame->GetSize() > bytes)
    {
        os << " Payload (size=" << frame->GetSize() - bytes << ")";
    }
    return true;
}

/// @return the time in seconds, every picosecond of it
std::string
PrintNow()
{
    constexpr int64_t second = 1000000000000;
    const int64_t now = Simulator::Now().GetPicoSeconds();
    std::ostringstream text;
    text << now / second << '.' << std::setw(12) << std::setfill('0') << now % second;
    return text.str();
}

/// Write a line but its end.
void
Write(std::ostream& os, char letter, const std::string& context, const Ptr<const Packet>& frame)
{
    os << letter << ' ' << PrintNow() << ' ' << context << (context.empty() ? "" : " ");
    const bool mayBePfc = frame->GetSize() == PfcHeader::FRAME_BYTES;
    if (!(mayBePfc && PrintIf<PfcHeader>(os, frame)) && !PrintIf<RoceHeader>(os, frame))
    {
        os << *frame;
    }
}

// Callbacks bind copies: ns-3 distinguishes callbacks by the exact types of bound arguments.
void
Frame(Ptr<AsciiFile> file, char letter, std::string context, Ptr<const Packet> frame)
{
    Write(file->Get(), letter, context, frame);
    file->EndLine();
}

void
Drop(Ptr<AsciiFile> file, std::string context, Ptr<const Packet> frame, DropReason reason)
{
    static const std::vector<const char*> names =
        {"light lost", "no light", "queue full", "corrupted", "refused", "other host", "unclaimed"};
    Write(file->Get(), 'd', context, frame);
    file->Get() << " (" << names.at(reason) << ")";
    file->EndLine();
}

/**
 * @brief Write a line for each frame that the port sends, receives or drops.
 * @param port the port
 * @param file to write to
 * @param path of the port's trace sources, or empty for no context
 */
void
Connect(Ptr<EthernetPortNetDevice> port, Ptr<AsciiFile> file, const std::string& path)
{
    const auto getContext = [&path](const char* name) { return path.empty() ? "" : path + name; };
    for (const auto& [name, letter] : FRAMES)
    {
        port->TraceConnectWithoutContext(name,
                                         MakeBoundCallback(&Frame, file, letter, getContext(name)));
    }
    for (const auto* name : DROPS)
    {
        port->TraceConnectWithoutContext(name, MakeBoundCallback(&Drop, file, getContext(name)));
    }
}

} // namespace

void
FiberAscii::Start(Ptr<NetDevice> device, Ptr<OutputStreamWrapper> stream)
{
    if (auto port = DynamicCast<EthernetPortNetDevice>(device))
    {
        std::ostringstream path;
        path << "/NodeList/" << port->GetNode()->GetId() << "/DeviceList/" << port->GetIfIndex()
             << "/$ns3::EthernetPortNetDevice/";
        Connect(port, Create<AsciiFile>("", stream), path.str());
    }
}

void
FiberAscii::Start(Ptr<NetDevice> device, const std::string& filename)
{
    auto port = DynamicCast<EthernetPortNetDevice>(device);
    if (!port)
    {
        return;
    }
    if (!std::ofstream(filename)) // what CreateFileStream would abort for
    {
        PortFile("ascii", filename).GiveUp(std::strerror(errno));
    }
    const auto stream = AsciiTraceHelper().CreateFileStream(filename);
    Connect(port, Create<AsciiFile>(filename, stream), "");
}

namespace
{

void
Capture(Ptr<CaptureFile> file, Ptr<const Packet> frame)
{
    file->Write(frame);
}

} // namespace

void
FiberCapture::Start(Ptr<NetDevice> device, const std::string& filename, uint32_t snapLength)
{
    auto port = DynamicCast<EthernetPortNetDevice>(device);
    if (!port)
    {
        return;
    }
    if (auto nic = port->GetNode()->GetObject<RdmaNic>())
    {
        nic->SetQueuePairAttribute("InvariantCrc", BooleanValue(true));
    }
    if (auto scaleUp = port->GetNode()->GetObject<ScaleUpNic>())
    {
        scaleUp->GetNic()->SetQueuePairAttribute("InvariantCrc", BooleanValue(true));
    }
    port->TraceConnectWithoutContext(
        "PromiscSniffer",
        MakeBoundCallback(&Capture, Create<CaptureFile>(filename, snapLength)));
}

} // namespace ns3
