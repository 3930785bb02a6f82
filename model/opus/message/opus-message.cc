// SPDX-License-Identifier: GPL-2.0-only

#include "opus-message.h"

#include "ns3/buffer.h"

#include <algorithm>
#include <limits>
#include <ostream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpusMessage);

namespace
{

constexpr uint32_t PREFIX_BYTES = 4; // version, type, flags
constexpr uint32_t LEASE_BYTES = 20; // job, rank, group, lease
constexpr uint32_t FAULT_BYTES = 26; // without error and groups
constexpr uint32_t PART_BYTES = 30;  // of a batch, without the ranks of a group
constexpr uint32_t ENTRY_BYTES = 30; // number, sender and place of an entry, without its message
constexpr uint16_t PASSIVE = 0x1;    // flags
constexpr uint16_t SPECULATIVE = 0x2;

/// Read a count of elements and check that they, and nothing else, follow.
bool
ReadCount(Buffer::Iterator& it, uint32_t size, uint32_t elementBytes, uint32_t max, uint32_t& count)
{
    if (size < 4)
    {
        return false;
    }
    count = it.ReadNtohU32();
    return count <= max && size == 4 + count * elementBytes;
}

/// Read a duration, which must not be negative.
bool
ReadDuration(uint64_t picoseconds, Time& duration)
{
    if (picoseconds > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    {
        return false;
    }
    duration = PicoSeconds(picoseconds);
    return true;
}

bool
ReadText(Buffer::Iterator& it, uint32_t size, std::string& text)
{
    uint32_t length = 0;
    if (!ReadCount(it, size, 1, OpusMessage::MAX_TEXT, length))
    {
        return false;
    }
    text.resize(length);
    it.Read(reinterpret_cast<uint8_t*>(text.data()), length);
    return true;
}

void
WriteText(Buffer::Iterator& it, const std::string& text)
{
    const auto length = std::min<uint32_t>(text.size(), OpusMessage::MAX_TEXT);
    it.WriteHtonU32(length);
    it.Write(reinterpret_cast<const uint8_t*>(text.data()), length);
}

uint32_t
GetTextSize(const std::string& text)
{
    return 4 + std::min<uint32_t>(text.size(), OpusMessage::MAX_TEXT);
}

void
WriteCircuits(Buffer::Iterator& it, const CircuitSet& circuits)
{
    for (const Circuit& circuit : circuits)
    {
        it.WriteHtonU32(circuit.a);
        it.WriteHtonU32(circuit.b);
    }
}

void
ReadCircuits(Buffer::Iterator& it, uint32_t count, CircuitSet& circuits)
{
    circuits.resize(count);
    for (Circuit& circuit : circuits)
    {
        circuit.a = it.ReadNtohU32();
        circuit.b = it.ReadNtohU32();
    }
}

} // namespace

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
OpusMessage::GetBodySize() const
{
    switch (type)
    {
    case OpusMessageType::REQUEST:
        return LEASE_BYTES + 8 + 4 + 4 * static_cast<uint32_t>(ranks.size());
    case OpusMessageType::RELEASE:
    case OpusMessageType::GRANT:
    case OpusMessageType::RECALL:
        return LEASE_BYTES + 8;
    case OpusMessageType::REFUSE:
        return LEASE_BYTES + GetTextSize(error);
    case OpusMessageType::CONFIGURE:
        return 8 + 8 + 8 * static_cast<uint32_t>(drop.size() + make.size());
    case OpusMessageType::CONFIGURED:
        return 8 + 8 + GetTextSize(error);
    case OpusMessageType::BATCH: {
        uint32_t size = 4 + 4;
        for (const OpusMessage& part : parts)
        {
            size += PART_BYTES + 4 * static_cast<uint32_t>(part.ranks.size());
        }
        return size;
    }
    case OpusMessageType::ENTRY:
        return ENTRY_BYTES + parts.at(0).GetSerializedSize();
    case OpusMessageType::STORED:
    case OpusMessageType::LEAD:
    case OpusMessageType::YIELD:
        return 8;
    case OpusMessageType::HEARTBEAT:
    case OpusMessageType::FAULT:
    case OpusMessageType::TAKE_OVER:
    case OpusMessageType::ABORT:
    case OpusMessageType::RESTART:
    case OpusMessageType::AVOID:
    case OpusMessageType::PROGRESS:
    case OpusMessageType::STOP:
    case OpusMessageType::STOPPED:
    case OpusMessageType::REPLACE:
    case OpusMessageType::REPLACED:
    case OpusMessageType::RESUME:
    case OpusMessageType::READY:
    case OpusMessageType::GO:
        return FAULT_BYTES + 4 + 8 * static_cast<uint32_t>(groups.size()) + GetTextSize(error);
    }
    return 0;
}

uint32_t
OpusMessage::GetSerializedSize() const
{
    return LENGTH_BYTES + PREFIX_BYTES + GetBodySize();
}

void
OpusMessage::SerializeLease(Buffer::Iterator& it) const
{
    it.WriteHtonU32(job);
    it.WriteHtonU32(rank);
    it.WriteHtonU64(group);
    it.WriteHtonU32(lease);
}

void
OpusMessage::Serialize(Buffer::Iterator it) const
{
    it.WriteHtonU32(PREFIX_BYTES + GetBodySize());
    it.WriteU8(VERSION);
    it.WriteU8(static_cast<uint8_t>(type));
    it.WriteHtonU16((passive ? PASSIVE : 0) | (speculative ? SPECULATIVE : 0));
    switch (type)
    {
    case OpusMessageType::REQUEST:
        SerializeLease(it);
        it.WriteHtonU64(completed);
        it.WriteHtonU32(ranks.size());
        for (uint32_t member : ranks)
        {
            it.WriteHtonU32(member);
        }
        break;
    case OpusMessageType::RELEASE:
        SerializeLease(it);
        it.WriteHtonU64(completed);
        break;
    case OpusMessageType::GRANT:
        SerializeLease(it);
        it.WriteHtonU64(duration.GetPicoSeconds());
        break;
    case OpusMessageType::RECALL:
        SerializeLease(it);
        it.WriteHtonU64(limit);
        break;
    case OpusMessageType::REFUSE:
        SerializeLease(it);
        WriteText(it, error);
        break;
    case OpusMessageType::CONFIGURE:
        it.WriteHtonU64(command);
        it.WriteHtonU32(drop.size());
        it.WriteHtonU32(make.size());
        WriteCircuits(it, drop);
        WriteCircuits(it, make);
        break;
    case OpusMessageType::CONFIGURED:
        it.WriteHtonU64(command);
        it.WriteHtonU64(duration.GetPicoSeconds());
        WriteText(it, error);
        break;
    case OpusMessageType::BATCH:
        SerializeParts(it);
        break;
    case OpusMessageType::ENTRY:
        it.WriteHtonU64(command);
        it.WriteHtonU32(fromAddress);
        it.WriteHtonU16(fromPort);
        it.WriteHtonU64(begin);
        it.WriteHtonU64(end);
        parts.at(0).Serialize(it);
        break;
    case OpusMessageType::STORED:
    case OpusMessageType::LEAD:
    case OpusMessageType::YIELD:
        it.WriteHtonU64(command);
        break;
    case OpusMessageType::HEARTBEAT:
    case OpusMessageType::FAULT:
    case OpusMessageType::TAKE_OVER:
    case OpusMessageType::ABORT:
    case OpusMessageType::RESTART:
    case OpusMessageType::AVOID:
    case OpusMessageType::PROGRESS:
    case OpusMessageType::STOP:
    case OpusMessageType::STOPPED:
    case OpusMessageType::REPLACE:
    case OpusMessageType::REPLACED:
    case OpusMessageType::RESUME:
    case OpusMessageType::READY:
    case OpusMessageType::GO:
        SerializeFault(it);
        break;
    }
}

uint32_t
OpusMessage::Deserialize(Buffer::Iterator it)
{
    *this = OpusMessage();
    m_valid = false;
    if (it.GetRemainingSize() < LENGTH_BYTES + PREFIX_BYTES)
    {
        return 0;
    }
    const uint32_t length = it.ReadNtohU32();
    if (length < PREFIX_BYTES || length > MAX_LENGTH || length > it.GetRemainingSize())
    {
        return 0;
    }
    const uint8_t version = it.ReadU8();
    type = static_cast<OpusMessageType>(it.ReadU8());
    const uint16_t flags = it.ReadNtohU16();
    if (version != VERSION || !DeserializeBody(it, length - PREFIX_BYTES, flags))
    {
        return 0;
    }
    m_valid = true;
    return LENGTH_BYTES + length;
}

bool
OpusMessage::DeserializeBody(Buffer::Iterator& it, uint32_t size, uint16_t flags)
{
    switch (type)
    {
    case OpusMessageType::REQUEST:
    case OpusMessageType::RELEASE:
    case OpusMessageType::GRANT:
    case OpusMessageType::RECALL:
    case OpusMessageType::REFUSE:
        return DeserializeLease(it, size, flags);
    case OpusMessageType::CONFIGURE:
    case OpusMessageType::CONFIGURED:
        return DeserializeCommand(it, size);
    case OpusMessageType::BATCH:
        return DeserializeParts(it, size);
    case OpusMessageType::ENTRY:
        return DeserializeEntry(it, size);
    case OpusMessageType::STORED:
    case OpusMessageType::LEAD:
    case OpusMessageType::YIELD:
        if (size != 8)
        {
            return false;
        }
        command = it.ReadNtohU64();
        return true;
    case OpusMessageType::HEARTBEAT:
    case OpusMessageType::FAULT:
    case OpusMessageType::TAKE_OVER:
    case OpusMessageType::ABORT:
    case OpusMessageType::RESTART:
    case OpusMessageType::AVOID:
    case OpusMessageType::PROGRESS:
    case OpusMessageType::STOP:
    case OpusMessageType::STOPPED:
    case OpusMessageType::REPLACE:
    case OpusMessageType::REPLACED:
    case OpusMessageType::RESUME:
    case OpusMessageType::READY:
    case OpusMessageType::GO:
        return DeserializeFault(it, size);
    }
    return false;
}

bool
OpusMessage::DeserializeEntry(Buffer::Iterator& it, uint32_t size)
{
    if (size < ENTRY_BYTES)
    {
        return false;
    }
    command = it.ReadNtohU64();
    fromAddress = it.ReadNtohU32();
    fromPort = it.ReadNtohU16();
    begin = it.ReadNtohU64();
    end = it.ReadNtohU64();
    // Looked at before it is read: an entry within an entry within an entry would have no end.
    Buffer::Iterator inner = it;
    if (size < ENTRY_BYTES + LENGTH_BYTES + PREFIX_BYTES)
    {
        return false;
    }
    inner.Next(LENGTH_BYTES + 1);
    if (static_cast<OpusMessageType>(inner.ReadU8()) == OpusMessageType::ENTRY)
    {
        return false;
    }
    parts.emplace_back();
    return parts[0].Deserialize(it) == size - ENTRY_BYTES;
}

bool
OpusMessage::DeserializeLease(Buffer::Iterator& it, uint32_t size, uint16_t flags)
{
    if (size < LEASE_BYTES)
    {
        return false;
    }
    job = it.ReadNtohU32();
    rank = it.ReadNtohU32();
    group = it.ReadNtohU64();
    lease = it.ReadNtohU32();
    size -= LEASE_BYTES;
    if (type == OpusMessageType::REFUSE)
    {
        return ReadText(it, size, error);
    }
    if (size < 8)
    {
        return false;
    }
    const uint64_t value = it.ReadNtohU64();
    size -= 8;
    completed = value;
    limit = value;
    if (type == OpusMessageType::GRANT)
    {
        return size == 0 && ReadDuration(value, duration);
    }
    speculative = flags & SPECULATIVE;
    if (type != OpusMessageType::REQUEST)
    {
        return size == 0;
    }
    passive = flags & PASSIVE;
    uint32_t count = 0;
    if (!ReadCount(it, size, 4, MAX_RANKS, count))
    {
        return false;
    }
    ranks.resize(count);
    std::generate(ranks.begin(), ranks.end(), [&it] { return it.ReadNtohU32(); });
    return true;
}

void
OpusMessage::SerializeParts(Buffer::Iterator& it) const
{
    it.WriteHtonU32(job);
    it.WriteHtonU32(parts.size());
    for (const OpusMessage& part : parts)
    {
        it.WriteU8(static_cast<uint8_t>(part.type));
        it.WriteU8((part.passive ? PASSIVE : 0) | (part.speculative ? SPECULATIVE : 0));
        it.WriteHtonU32(part.rank);
        it.WriteHtonU64(part.group);
        it.WriteHtonU32(part.lease);
        it.WriteHtonU64(part.completed);
        it.WriteHtonU32(part.ranks.size());
        for (uint32_t member : part.ranks)
        {
            it.WriteHtonU32(member);
        }
    }
}

bool
OpusMessage::DeserializeParts(Buffer::Iterator& it, uint32_t size)
{
    if (size < 8)
    {
        return false;
    }
    job = it.ReadNtohU32();
    uint32_t left = it.ReadNtohU32();
    for (size -= 8; left > 0 && size >= PART_BYTES; --left)
    {
        OpusMessage part(static_cast<OpusMessageType>(it.ReadU8()));
        const uint8_t flags = it.ReadU8();
        part.passive = flags & PASSIVE;
        part.speculative = flags & SPECULATIVE;
        part.job = job;
        part.rank = it.ReadNtohU32();
        part.group = it.ReadNtohU64();
        part.lease = it.ReadNtohU32();
        part.completed = it.ReadNtohU64();
        part.limit = part.completed; // as of a message of its own
        const uint32_t count = it.ReadNtohU32();
        size -= PART_BYTES;
        const bool isRequest = part.type == OpusMessageType::REQUEST;
        if ((!isRequest && (part.type != OpusMessageType::RELEASE || count > 0)) ||
            count > MAX_RANKS || size < 4 * count)
        {
            return false;
        }
        part.ranks.resize(count);
        std::generate(part.ranks.begin(), part.ranks.end(), [&it] { return it.ReadNtohU32(); });
        size -= 4 * count;
        parts.push_back(part);
    }
    return left == 0 && size == 0;
}

bool
OpusMessage::DeserializeCommand(Buffer::Iterator& it, uint32_t size)
{
    if (size < 16)
    {
        return false;
    }
    command = it.ReadNtohU64();
    if (type == OpusMessageType::CONFIGURED)
    {
        return ReadDuration(it.ReadNtohU64(), duration) && ReadText(it, size - 16, error);
    }
    const uint32_t drops = it.ReadNtohU32();
    const uint32_t makes = it.ReadNtohU32();
    if (drops > MAX_CIRCUITS || makes > MAX_CIRCUITS || size != 16 + 8 * (drops + makes))
    {
        return false;
    }
    ReadCircuits(it, drops, drop);
    ReadCircuits(it, makes, make);
    return true;
}

void
OpusMessage::SerializeFault(Buffer::Iterator& it) const
{
    it.WriteU8(static_cast<uint8_t>(fault));
    it.WriteU8(mended ? 1 : 0);
    it.WriteHtonU32(job);
    it.WriteHtonU32(rank);
    it.WriteHtonU32(ocs);
    it.WriteHtonU32(port);
    it.WriteHtonU64(command);
    it.WriteHtonU32(groups.size());
    for (const uint64_t one : groups)
    {
        it.WriteHtonU64(one);
    }
    WriteText(it, error);
}

bool
OpusMessage::DeserializeFault(Buffer::Iterator& it, uint32_t size)
{
    if (size < FAULT_BYTES + 4)
    {
        return false;
    }
    const uint8_t kind = it.ReadU8();
    const uint8_t state = it.ReadU8();
    if (kind < static_cast<uint8_t>(FaultKind::OCS) ||
        kind > static_cast<uint8_t>(FaultKind::SHIM) || state > 1)
    {
        return false;
    }
    fault = static_cast<FaultKind>(kind);
    mended = state != 0;
    job = it.ReadNtohU32();
    rank = it.ReadNtohU32();
    ocs = it.ReadNtohU32();
    port = it.ReadNtohU32();
    command = it.ReadNtohU64();
    const uint32_t count = it.ReadNtohU32();
    size -= FAULT_BYTES + 4;
    if (count > MAX_GROUPS || size < 8 * count)
    {
        return false;
    }
    groups.resize(count);
    std::generate(groups.begin(), groups.end(), [&it] { return it.ReadNtohU64(); });
    return ReadText(it, size - 8 * count, error);
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
