// SPDX-License-Identifier: GPL-2.0-only

#include "opus-message.h"

#include "field-archive.h"
#include "opus-message-fields.h"

#include "ns3/buffer.h"

#include <ostream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpusMessage);

std::string
ToString(OpusMessageType type)
{
    switch (type)
    {
    case OpusMessageType::REQUEST:
        return "REQUEST";
    case OpusMessageType::RELEASE:
        return "RELEASE";
    case OpusMessageType::GRANT:
        return "GRANT";
    case OpusMessageType::RECALL:
        return "RECALL";
    case OpusMessageType::REFUSE:
        return "REFUSE";
    case OpusMessageType::CONFIGURE:
        return "CONFIGURE";
    case OpusMessageType::CONFIGURED:
        return "CONFIGURED";
    case OpusMessageType::BATCH:
        return "BATCH";
    case OpusMessageType::ENTRY:
        return "ENTRY";
    case OpusMessageType::STORED:
        return "STORED";
    case OpusMessageType::LEAD:
        return "LEAD";
    case OpusMessageType::YIELD:
        return "YIELD";
    case OpusMessageType::HEARTBEAT:
        return "HEARTBEAT";
    case OpusMessageType::FAULT:
        return "FAULT";
    case OpusMessageType::TAKE_OVER:
        return "TAKE_OVER";
    case OpusMessageType::ABORT:
        return "ABORT";
    case OpusMessageType::RESTART:
        return "RESTART";
    case OpusMessageType::AVOID:
        return "AVOID";
    case OpusMessageType::PROGRESS:
        return "PROGRESS";
    case OpusMessageType::STOP:
        return "STOP";
    case OpusMessageType::STOPPED:
        return "STOPPED";
    case OpusMessageType::REPLACE:
        return "REPLACE";
    case OpusMessageType::REPLACED:
        return "REPLACED";
    case OpusMessageType::RESUME:
        return "RESUME";
    case OpusMessageType::READY:
        return "READY";
    case OpusMessageType::GO:
        return "GO";
    }
    return "?";
}

OpusMessage::OpusMessage(OpusMessageType type)
    : type(type)
{
}

TypeId
OpusMessage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpusMessage")
                            .SetParent<Header>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<OpusMessage>();
    return tid;
}

TypeId
OpusMessage::GetInstanceTypeId() const
{
    return GetTypeId();
}

bool
OpusMessage::IsValid() const
{
    return m_valid;
}

uint32_t
OpusMessage::GetSerializedSize() const
{
    FieldSizer sizer;
    VisitOpusMessage(sizer, *this);
    return LENGTH_BYTES + sizer.GetSize();
}

void
OpusMessage::Serialize(Buffer::Iterator it) const
{
    it.WriteHtonU32(GetSerializedSize() - LENGTH_BYTES);
    FieldWriter writer(it);
    VisitOpusMessage(writer, *this);
}

uint32_t
OpusMessage::Deserialize(Buffer::Iterator it)
{
    *this = OpusMessage();
    m_valid = false;
    if (it.GetRemainingSize() < LENGTH_BYTES)
    {
        return 0;
    }
    const uint32_t length = it.ReadNtohU32();
    if (length > MAX_LENGTH || length > it.GetRemainingSize())
    {
        return 0;
    }
    FieldReader reader(it, length);
    VisitOpusMessage(reader, *this);
    m_valid = reader.IsDone();
    return m_valid ? LENGTH_BYTES + length : 0;
}

uint32_t
OpusMessage::Parse(const uint8_t* bytes, uint32_t size)
{
    Buffer buffer;
    buffer.AddAtStart(size);
    buffer.Begin().Write(bytes, size);
    return Deserialize(buffer.Begin());
}

void
OpusMessage::Print(std::ostream& os) const
{
    os << ToString(type);
    switch (type)
    {
    case OpusMessageType::CONFIGURE:
        os << " command=" << command << " drop=" << drop.size() << " make=" << make.size();
        break;
    case OpusMessageType::CONFIGURED:
        os << " command=" << command << " duration=" << duration.As(Time::US) << " error=" << error;
        break;
    case OpusMessageType::BATCH:
        os << " job=" << job << " parts=" << parts.size();
        break;
    case OpusMessageType::ENTRY:
    case OpusMessageType::STORED:
    case OpusMessageType::LEAD:
    case OpusMessageType::YIELD:
        os << " number=" << command;
        break;
    case OpusMessageType::HEARTBEAT:
    case OpusMessageType::FAULT:
    case OpusMessageType::TAKE_OVER:
    case OpusMessageType::ABORT:
    case OpusMessageType::RESTART:
    case OpusMessageType::AVOID:
        os << " " << ns3::ToString(fault) << (mended ? " mended" : "") << " job=" << job
           << " rank=" << rank << " ocs=" << ocs << " port=" << port << " command=" << command
           << " groups=" << groups.size() << " error=" << error;
        break;
    default:
        os << " job=" << job << " rank=" << rank << " group=" << group << " lease=" << lease;
    }
}

} // namespace ns3
