// SPDX-License-Identifier: GPL-2.0-only

#include "opus-message.h"

#include "field-archive.h"

#include "ns3/buffer.h"

#include <array>
#include <cstddef>
#include <ostream>

namespace ns3
{

std::vector<FaultKind>
GetFaultKinds()
{
    return {FaultKind::OCS,
            FaultKind::OCS_PORT,
            FaultKind::NIC_PORT,
            FaultKind::GPU,
            FaultKind::SHIM,
            FaultKind::LINK,
            FaultKind::SWITCH};
}

std::string
ToString(FaultKind kind)
{
    // By the number, from 1.
    static constexpr std::array
        names{"ocs", "ocs-port", "nic-port", "gpu", "shim", "link", "switch"};
    const auto place = static_cast<std::size_t>(kind) - 1;
    return place < names.size() ? names[place] : "?";
}

std::optional<FaultKind>
FindFaultKind(const std::string& name)
{
    for (const FaultKind kind : GetFaultKinds())
    {
        if (ToString(kind) == name)
        {
            return kind;
        }
    }
    return std::nullopt;
}

NS_OBJECT_ENSURE_REGISTERED(OpusMessage);

namespace
{

/// Bits of the flags.
enum OpusFlags : uint8_t
{
    PASSIVE = 0x1,
    SPECULATIVE = 0x2,
    HELD = 0x4, // in an OpusLeases only
};

/// Names a type of body. The body itself is const unless it is read.
template <typename T>
struct BodyTag
{
};

/// Flags of a type of message; most types have none.
template <typename T, typename Archive, typename Body>
void
VisitFlags(Archive& archive, Body& body, uint16_t& flags)
{
    if constexpr (std::is_same_v<T, OpusRequest>)
    {
        flags |= body.passive ? PASSIVE : 0;
        archive.Implied(body.passive, (flags & PASSIVE) != 0);
    }
    if constexpr (std::is_same_v<T, OpusRequest> || std::is_same_v<T, OpusRecall>)
    {
        flags |= body.speculative ? SPECULATIVE : 0;
        archive.Implied(body.speculative, (flags & SPECULATIVE) != 0);
    }
}

// --- leases and switches ------------------------------------------------------------------------

/// The lease of a message whose job is known.
template <typename Archive, typename Body>
void
VisitLease(Archive& archive, Body& body)
{
    archive.Number(body.rank);
    archive.Number(body.group);
    archive.Number(body.lease);
}

/// A message about a lease: the lease, then the fields of the type.
template <typename T, typename Archive, typename Body>
void
VisitLeaseBody(Archive& archive, Body& body)
{
    archive.Number(body.job);
    VisitLease(archive, body);
    if constexpr (std::is_same_v<T, OpusRequest> || std::is_same_v<T, OpusRelease>)
    {
        archive.Number(body.completed);
    }
    if constexpr (std::is_same_v<T, OpusRequest>)
    {
        archive.Numbers(body.ranks, OpusMessage::MAX_RANKS);
    }
    if constexpr (std::is_same_v<T, OpusGrant>)
    {
        archive.Duration(body.switching);
    }
    if constexpr (std::is_same_v<T, OpusRecall>)
    {
        archive.Number(body.limit);
    }
    if constexpr (std::is_same_v<T, OpusRefusal>)
    {
        archive.Text(body.error, OpusMessage::MAX_TEXT);
    }
}

template <typename Archive, typename Body>
void
VisitBody(Archive& archive, Body& body, BodyTag<OpusCommand>)
{
    archive.Number(body.number);
    archive.Circuits(body.drop, body.make, OpusMessage::MAX_CIRCUITS);
}

template <typename Archive, typename Body>
void
VisitBody(Archive& archive, Body& body, BodyTag<OpusReport>)
{
    archive.Number(body.command);
    archive.Duration(body.duration);
    archive.Text(body.error, OpusMessage::MAX_TEXT);
}

// --- batches and leases -------------------------------------------------------------------------

/// A request or a release within another message; a release has no ranks.
template <typename Archive, typename Request>
void
VisitPartFields(Archive& archive, OpusMessageType& type, Request& part)
{
    archive.Enumerator(type);
    uint8_t flags = (part.passive ? PASSIVE : 0) | (part.speculative ? SPECULATIVE : 0) |
                    (part.held ? HELD : 0);
    archive.Number(flags);
    archive.Implied(part.passive, (flags & PASSIVE) != 0);
    archive.Implied(part.speculative, (flags & SPECULATIVE) != 0);
    archive.Implied(part.held, (flags & HELD) != 0);
    VisitLease(archive, part);
    archive.Number(part.completed);
    archive.Numbers(part.ranks, OpusMessage::MAX_RANKS);
}

/// A part that is written.
void
VisitPart(FieldWriter& archive, const OpusMessage& part, uint32_t)
{
    OpusMessageType type = part.GetType();
    if (const auto* request = part.Get<OpusRequest>())
    {
        VisitPartFields(archive, type, *request);
        return;
    }
    OpusRequest fields;
    if (const auto* release = part.Get<OpusRelease>())
    {
        static_cast<OpusLease&>(fields) = *release;
        fields.completed = release->completed;
    }
    const OpusRequest& written = fields;
    VisitPartFields(archive, type, written);
}

/// A part that is read.
void
VisitPart(FieldReader& archive, OpusMessage& part, uint32_t job)
{
    OpusMessageType type{};
    OpusRequest request;
    VisitPartFields(archive, type, request);
    request.job = job;
    if (type == OpusMessageType::RELEASE)
    {
        archive.Require(request.ranks.empty());
        part = OpusMessage(OpusRelease{request, request.completed});
        return;
    }
    archive.Require(type == OpusMessageType::REQUEST);
    part = OpusMessage(std::move(request));
}

template <typename Archive, typename Body>
void
VisitBody(Archive& archive, Body& body, BodyTag<OpusBatch>)
{
    archive.Number(body.job);
    archive.Each(body.parts, [&](auto& part) { VisitPart(archive, part, body.job); });
}

template <typename Archive, typename Body>
void
VisitBody(Archive& archive, Body& body, BodyTag<OpusLeases>)
{
    archive.Number(body.job);
    archive.Number(body.rank);
    archive.Number(body.epoch);
    archive.Boolean(body.hasFailedPorts);
    archive.Text(body.error, OpusMessage::MAX_TEXT);
    archive.Each(body.parts, [&](auto& part) { VisitPart(archive, part, body.job); });
}

// --- a controller that begins anew --------------------------------------------------------------

template <typename Archive, typename Body>
void
VisitBody(Archive& archive, Body& body, BodyTag<OpusLearn>)
{
    archive.Number(body.epoch);
}

template <typename Archive, typename Body>
void
VisitBody(Archive& archive, Body& body, BodyTag<OpusCircuits>)
{
    archive.Number(body.epoch);
    archive.Number(body.starts);
    archive.Boolean(body.isNew);
    archive.Numbers(body.rails, 1);
    std::conditional_t<std::is_const_v<Body>, const CircuitSet, CircuitSet> none;
    archive.Circuits(body.circuits, none, OpusMessage::MAX_CIRCUITS);
}

template <typename Archive, typename Body>
void
VisitBody(Archive& archive, Body& body, BodyTag<OpusLead>)
{
    archive.Number(body.epoch);
}

// --- faults and recovery: one layout ------------------------------------------------------------

/// Layout of all messages about faults and recoveries on the wire. Each type uses some of the
/// fields.
struct CommonLayout
{
    FaultKind kind{FaultKind::OCS};
    bool repaired{false};
    uint32_t job{0};
    uint32_t receiver{0}; //!< or sender: rank or GPU
    uint32_t place{0};    //!< switch, rail or rank
    uint32_t count{0};    //!< port or iterations
    uint64_t number{0};   //!< of starts or of a generation
    std::vector<uint64_t> list;
    std::string error;
};

template <typename Archive>
void
VisitCommonLayout(Archive& archive, CommonLayout& layout)
{
    archive.Enumerator(layout.kind);
    archive.Require(layout.kind >= FaultKind::OCS && layout.kind <= FaultKind::SHIM);
    archive.Boolean(layout.repaired);
    archive.Number(layout.job);
    archive.Number(layout.receiver);
    archive.Number(layout.place);
    archive.Number(layout.count);
    archive.Number(layout.number);
    archive.Numbers(layout.list, OpusMessage::MAX_GROUPS);
    archive.Text(layout.error, OpusMessage::MAX_TEXT);
}

// A field of a message is copied into the layout if it is const, otherwise from the layout. The
// result is false if a list of the layout has a wrong length.

template <typename T>
bool
CopyField(const T& field, T& slot)
{
    slot = field;
    return true;
}

bool
CopyField(const std::vector<OpusFailedPorts::Port>& ports, std::vector<uint64_t>& list)
{
    for (const auto& port : ports)
    {
        list.push_back(uint64_t{port.gpu} << 32 | port.port);
    }
    return true;
}

bool
CopyField(const std::vector<OpusResume::Place>& places, std::vector<uint64_t>& list)
{
    for (const auto& place : places)
    {
        list.push_back(place.gpu);
        list.push_back(uint64_t{place.railNumber} << 32 | place.domainNumber);
    }
    return true;
}

bool
CopyField(const OpusStopped::Numbers& numbers, std::vector<uint64_t>& list)
{
    list = {numbers.rail, numbers.domain};
    return true;
}

template <typename T>
bool
CopyField(T& field, const T& slot)
{
    field = slot;
    return true;
}

bool
CopyField(std::vector<OpusFailedPorts::Port>& ports, const std::vector<uint64_t>& list)
{
    for (const uint64_t one : list)
    {
        ports.push_back({static_cast<uint32_t>(one >> 32), static_cast<uint32_t>(one)});
    }
    return true;
}

bool
CopyField(std::vector<OpusResume::Place>& places, const std::vector<uint64_t>& list)
{
    for (std::size_t i = 0; i + 1 < list.size(); i += 2)
    {
        places.push_back({list[i],
                          static_cast<uint32_t>(list[i + 1] >> 32),
                          static_cast<uint32_t>(list[i + 1])});
    }
    return list.size() % 2 == 0;
}

bool
CopyField(OpusStopped::Numbers& numbers, const std::vector<uint64_t>& list)
{
    if (list.size() != 2)
    {
        return false;
    }
    numbers = {list[0], list[1]};
    return true;
}

/// @return true if all fields of a type could be copied to or from the layout
template <typename T, typename Body, typename Layout>
bool
CopyFields(Body& body, Layout& layout)
{
    bool isGood = true;
    const auto field = [&](auto& one, auto& slot) { isGood = CopyField(one, slot) && isGood; };
    if constexpr (std::is_base_of_v<OpusRank, T>)
    {
        field(body.job, layout.job);
        field(body.rank, layout.receiver);
    }
    if constexpr (std::is_base_of_v<OpusGpu, T>)
    {
        field(body.gpu, layout.receiver);
    }
    if constexpr (std::is_base_of_v<OpusGeneration, T>)
    {
        field(body.generation, layout.number);
    }
    if constexpr (std::is_base_of_v<OpusJob, T>)
    {
        field(body.job, layout.job);
    }
    if constexpr (std::is_same_v<T, OpusHeartbeat>)
    {
        field(body.starts, layout.number);
    }
    else if constexpr (std::is_same_v<T, OpusFault>)
    {
        field(body.kind, layout.kind);
        field(body.repaired, layout.repaired);
        field(body.ocs, layout.place);
        field(body.port, layout.count);
        field(body.starts, layout.number);
    }
    else if constexpr (std::is_same_v<T, OpusTakeOver>)
    {
        field(body.rail, layout.place);
        field(body.starts, layout.number);
    }
    else if constexpr (std::is_same_v<T, OpusAbort> || std::is_same_v<T, OpusReplaced> ||
                       std::is_same_v<T, OpusGiveUp>)
    {
        field(body.error, layout.error);
    }
    else if constexpr (std::is_same_v<T, OpusRestart>)
    {
        field(body.groups, layout.list);
    }
    else if constexpr (std::is_same_v<T, OpusFailedPorts>)
    {
        field(body.ports, layout.list);
    }
    else if constexpr (std::is_same_v<T, OpusProgress> || std::is_same_v<T, OpusLost>)
    {
        field(body.iterations, layout.count);
    }
    else if constexpr (std::is_same_v<T, OpusStopped>)
    {
        field(body.rank, layout.place);
        field(body.iterations, layout.count);
        field(body.next, layout.list);
    }
    else if constexpr (std::is_same_v<T, OpusReplace>)
    {
        field(body.gpus, layout.list);
    }
    else if constexpr (std::is_same_v<T, OpusResume>)
    {
        field(body.rank, layout.place);
        field(body.iteration, layout.count);
        field(body.places, layout.list);
    }
    return isGood;
}

/// A message about a lease, or a type of the common layout.
template <typename Archive, typename Body, typename T>
void
VisitBody(Archive& archive, Body& body, BodyTag<T>)
{
    CommonLayout layout;
    if constexpr (std::is_base_of_v<OpusLease, T>)
    {
        VisitLeaseBody<T>(archive, body);
    }
    else if constexpr (std::is_const_v<Body>)
    {
        CopyFields<T>(body, layout);
        VisitCommonLayout(archive, layout);
    }
    else
    {
        VisitCommonLayout(archive, layout);
        const CommonLayout& received = layout;
        archive.Require(CopyFields<T>(body, received));
    }
}

// --- the whole ----------------------------------------------------------------------------------

/// Write a message, without its length field.
void
WriteBody(FieldWriter& archive, const OpusMessage::Body& body)
{
    std::visit(
        [&archive](const auto& one) {
            using T = std::decay_t<decltype(one)>;
            archive.Number(OpusMessage::VERSION);
            archive.Enumerator(T::TYPE);
            uint16_t flags = 0;
            VisitFlags<T>(archive, one, flags);
            archive.Number(flags);
            VisitBody(archive, one, BodyTag<T>());
        },
        body);
}

/// Read a body of type T, if that is the type on the wire. @return true if it is
template <typename T>
bool
ReadIf(OpusMessageType type, uint16_t flags, FieldReader& reader, OpusMessage::Body& body)
{
    if (type != T::TYPE)
    {
        return false;
    }
    T& one = body.emplace<T>();
    VisitFlags<T>(reader, one, flags);
    VisitBody(reader, one, BodyTag<T>());
    return true;
}

/// Read a body of the type on the wire.
template <typename... Ts>
void
ReadBody(FieldReader& reader, std::variant<Ts...>& body)
{
    uint8_t version = 0;
    reader.Number(version);
    reader.Require(version == OpusMessage::VERSION);
    OpusMessageType type{};
    reader.Enumerator(type);
    uint16_t flags = 0;
    reader.Number(flags);
    const bool isKnown = reader.IsGood() && (ReadIf<Ts>(type, flags, reader, body) || ...);
    reader.Require(isKnown);
}

} // namespace

std::string
ToString(OpusMessageType type)
{
    // By the number on the wire; "?" is of no type.
    static constexpr std::array names{
        "?",       "REQUEST",      "RELEASE",    "GRANT",     "RECALL",
        "REFUSE",  "CONFIGURE",    "CONFIGURED", "BATCH",     "LEARN",
        "LEASES",  "CIRCUITS",     "LEAD",       "?",         "?",
        "?",       "HEARTBEAT",    "FAULT",      "TAKE_OVER", "ABORT",
        "RESTART", "PORTS_FAILED", "PROGRESS",   "STOP",      "STOPPED",
        "REPLACE", "REPLACED",     "RESUME",     "READY",     "GO",
        "LOST",    "GIVE_UP"};
    const auto number = static_cast<std::size_t>(type);
    return number < names.size() ? names[number] : "?";
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

OpusMessageType
OpusMessage::GetType() const
{
    return std::visit([](const auto& body) { return std::decay_t<decltype(body)>::TYPE; }, m_body);
}

uint32_t
OpusMessage::GetSerializedSize() const
{
    FieldWriter archive;
    WriteBody(archive, m_body);
    return LENGTH_BYTES + archive.GetSize();
}

void
OpusMessage::Serialize(Buffer::Iterator it) const
{
    it.WriteHtonU32(GetSerializedSize() - LENGTH_BYTES);
    FieldWriter archive(it);
    WriteBody(archive, m_body);
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
    ReadBody(reader, m_body);
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
    os << ToString(GetType());
    if (const OpusRank* rank = GetRank())
    {
        os << " job=" << rank->job << " rank=" << rank->rank;
    }
    if (const OpusLease* lease = GetLease())
    {
        os << " group=" << lease->group << " lease=" << lease->lease;
    }
    if (const auto* request = Get<OpusRequest>())
    {
        os << " completed=" << request->completed << (request->passive ? " passive" : "")
           << (request->speculative ? " speculative" : "");
    }
    if (const auto* recall = Get<OpusRecall>())
    {
        os << (recall->speculative ? " speculative" : " limit=" + std::to_string(recall->limit));
    }
    if (const OpusGpu* gpu = GetGpu())
    {
        os << " gpu=" << gpu->gpu;
    }
    if (const auto* command = Get<OpusCommand>())
    {
        os << " command=" << command->number << " drop=" << command->drop.size()
           << " make=" << command->make.size();
    }
    if (const auto* report = Get<OpusReport>())
    {
        os << " command=" << report->command << " duration=" << report->duration.As(Time::US)
           << " error=" << report->error;
    }
    if (const auto* batch = Get<OpusBatch>())
    {
        os << " job=" << batch->job << " parts=" << batch->parts.size();
    }
    if (const auto* learn = Get<OpusLearn>())
    {
        os << " epoch=" << learn->epoch;
    }
    if (const auto* leases = Get<OpusLeases>())
    {
        os << " epoch=" << leases->epoch << " parts=" << leases->parts.size();
    }
    if (const auto* circuits = Get<OpusCircuits>())
    {
        os << " epoch=" << circuits->epoch << " circuits=" << circuits->circuits.size();
    }
    if (const auto* fault = Get<OpusFault>())
    {
        os << " " << ns3::ToString(fault->kind) << (fault->repaired ? " mended" : "")
           << " ocs=" << fault->ocs << " port=" << fault->port;
    }
}

} // namespace ns3
