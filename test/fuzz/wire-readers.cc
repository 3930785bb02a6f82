// SPDX-License-Identifier: GPL-2.0-only

#include "fuzz-reader.h"

#include "ns3/management-channel.h"
#include "ns3/opus-message.h"
#include "ns3/packet.h"
#include "ns3/priority-flow-control.h"
#include "ns3/roce-header.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace ns3
{
namespace fuzz
{

namespace
{

const uint8_t*
ToBytes(const std::string& text)
{
    return reinterpret_cast<const uint8_t*>(text.data());
}

/// @return the bytes of a header
template <typename T>
std::string
Write(const T& header)
{
    Buffer buffer;
    buffer.AddAtStart(header.GetSerializedSize());
    header.Serialize(buffer.Begin());
    return {reinterpret_cast<const char*>(buffer.PeekData()), buffer.GetSize()};
}

/// A header that could be read is written so that the same is read again.
template <typename T>
void
ReadHeader(const std::string& bytes)
{
    const auto packet = Create<Packet>(ToBytes(bytes), static_cast<uint32_t>(bytes.size()));
    T header;
    const uint32_t taken = packet->PeekHeader(header);
    Require(taken <= bytes.size(), "a header is no longer than its frame");
    if (taken == 0)
    {
        return;
    }
    std::ostringstream text;
    header.Print(text);
    const std::string written = Write(header);
    Require(written.size() == taken, "a header that was read has the length that was read");
    // Behind the header is what the frame has, and room for padding, which may differ.
    const std::string frame = written + bytes.substr(taken) + std::string(4, '\0');
    T again;
    const auto other = Create<Packet>(ToBytes(frame), static_cast<uint32_t>(frame.size()));
    Require(other->PeekHeader(again) == taken && Write(again) == written,
            "a header that was written is read again");
}

void
ReadRoce(const std::string& bytes)
{
    ReadHeader<RoceHeader>(bytes);
    const auto packet = Create<Packet>(ToBytes(bytes), static_cast<uint32_t>(bytes.size()));
    RoceHeader slow;
    RoceHeader fast;
    const bool isGood = packet->PeekHeader(slow) > 0;
    Require(fast.Peek(*packet) == isGood, "both ways to read a RoCE header agree");
    if (isGood)
    {
        Require(Write(slow) == Write(fast), "both ways to read a RoCE header read the same");
        slow.GetInvariantCrc();
    }
}

/// Print a message, and read it once more from what it writes.
void
RequireMessage(const OpusMessage& message)
{
    std::ostringstream text;
    message.Print(text);
    const std::string written = Write(message);
    OpusMessage again;
    Require(again.Parse(ToBytes(written), static_cast<uint32_t>(written.size())) ==
                    written.size() &&
                again.IsValid() && Write(again) == written,
            "a message that was read is written and read again");
}

void
ReadMessage(const std::string& bytes)
{
    OpusMessage message;
    const uint32_t taken = message.Parse(ToBytes(bytes), static_cast<uint32_t>(bytes.size()));
    Require(message.IsValid() == (taken > 0), "a message is valid if bytes were taken");
    if (taken > 0)
    {
        RequireMessage(message);
    }
}

/// Frames of a peer that keeps to no protocol: position (1 byte, in units of 4 bytes), length (1
/// byte), bytes.
void
ReadStream(const std::string& bytes)
{
    ReliableReceiver receiver;
    OpusMessage message;
    uint64_t read = 0;
    for (std::size_t at = 0; at + 2 <= bytes.size();)
    {
        const uint64_t begin = 4 * uint64_t{ToBytes(bytes)[at]};
        const std::size_t size =
            std::min<std::size_t>(ToBytes(bytes)[at + 1], bytes.size() - at - 2);
        receiver.Receive(begin, ToBytes(bytes) + at + 2, size);
        at += 2 + size;
        while (receiver.Next(message))
        {
            Require(receiver.GetDelivered() > read, "messages follow each other");
            read = receiver.GetDelivered();
            RequireMessage(message);
        }
    }
}

/// Counts frames.
class FrameCounter : public ManagementChannel::Carrier
{
  public:
    void Carry(const ManagementChannel& /* channel */,
               const ChannelHeader& header,
               const std::vector<uint8_t>& bytes) override
    {
        std::array<uint8_t, ChannelHeader::SIZE> written;
        header.Write(written.data());
        ChannelHeader again;
        Require(again.Read(written.data(), written.size()), "a header that is sent can be read");
        ++frames;
        Require(bytes.size() <= 65535, "a frame fits into a datagram");
    }

    uint64_t frames{0};
};

/// Frames of any headers reach a channel that has messages to send: length (1 byte), bytes.
void
ReadFrames(const std::string& bytes)
{
    {
        FrameCounter carrier;
        const ManagementChannel::Times times{MicroSeconds(10),
                                             MilliSeconds(1),
                                             MilliSeconds(1),
                                             Seconds(1),
                                             Seconds(2)};
        ManagementChannel channel(carrier, {1, 2, 3}, times, 1);
        OpusMessage message;
        for (std::size_t at = 0; at + 1 <= bytes.size();)
        {
            const std::size_t size =
                std::min<std::size_t>(ToBytes(bytes)[at], bytes.size() - at - 1);
            const uint8_t* frame = ToBytes(bytes) + at + 1;
            at += 1 + size;
            channel.Append(OpusRelease());
            channel.Flush();
            ChannelHeader header;
            if (header.Read(frame, size))
            {
                channel.Receive(header, frame + ChannelHeader::SIZE, size - ChannelHeader::SIZE);
            }
            while (channel.GetReceiver().Next(message))
            {
            }
            Simulator::Stop(MilliSeconds(3));
            Simulator::Run();
        }
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        Require(carrier.frames <= 100 * (1 + bytes.size()),
                "a frame is answered by a bounded number of frames");
    }
    Simulator::Destroy();
}

} // namespace

std::vector<Reader>
GetWireReaders()
{
    return {{"roce", ReadRoce},
            {"pfc", ReadHeader<PfcHeader>},
            {"message", ReadMessage},
            {"stream", ReadStream},
            {"frames", ReadFrames}};
}

} // namespace fuzz
} // namespace ns3
