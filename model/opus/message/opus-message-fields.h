// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What an OpusMessage is on the wire: the fields of each type, in order, in one place.
 */

#ifndef PHOTONIC_RAILS_OPUS_MESSAGE_FIELDS_H
#define PHOTONIC_RAILS_OPUS_MESSAGE_FIELDS_H

#include "opus-message.h"

#include <cstdint>

namespace ns3
{

/// Helpers of VisitOpusMessage.
namespace opus_message_fields
{

/// Bits of the flags.
enum Flags : uint8_t
{
    PASSIVE = 0x1,
    SPECULATIVE = 0x2,
};

/// T is how the flags are sent.
template <typename T, typename Archive, typename Message>
void
VisitFlags(Archive& archive, Message& message)
{
    T flags = (message.passive ? PASSIVE : 0) | (message.speculative ? SPECULATIVE : 0);
    archive.Number(flags);
    archive.Implied(message.passive, (flags & PASSIVE) != 0);
    archive.Implied(message.speculative, (flags & SPECULATIVE) != 0);
}

/// A lease of a rank, of a job that has been named.
template <typename Archive, typename Message>
void
VisitLease(Archive& archive, Message& message)
{
    archive.Number(message.rank);
    archive.Number(message.group);
    archive.Number(message.lease);
}

/// A request or release within a BATCH.
template <typename Archive, typename Message>
void
VisitPart(Archive& archive, Message& part)
{
    archive.Enumerator(part.type);
    VisitFlags<uint8_t>(archive, part);
    VisitLease(archive, part);
    archive.Number(part.completed);
    archive.Numbers(part.ranks, OpusMessage::MAX_RANKS);
    archive.Require(part.type == OpusMessageType::REQUEST ||
                    (part.type == OpusMessageType::RELEASE && part.ranks.empty()));
}

/// What is said of components and of recoveries.
template <typename Archive, typename Message>
void
VisitFault(Archive& archive, Message& message)
{
    archive.Enumerator(message.fault);
    archive.Require(message.fault >= FaultKind::OCS && message.fault <= FaultKind::SHIM);
    archive.Boolean(message.mended);
    archive.Number(message.job);
    archive.Number(message.rank);
    archive.Number(message.ocs);
    archive.Number(message.port);
    archive.Number(message.command);
    archive.Numbers(message.groups, OpusMessage::MAX_GROUPS);
    archive.Text(message.error, OpusMessage::MAX_TEXT);
}

/// The fields of the message's type, which has been visited.
template <typename Archive, typename Message>
void
VisitBody(Archive& archive, Message& message)
{
    switch (message.type)
    {
    case OpusMessageType::REQUEST:
        archive.Number(message.job);
        VisitLease(archive, message);
        archive.Number(message.completed);
        archive.Numbers(message.ranks, OpusMessage::MAX_RANKS);
        return;
    case OpusMessageType::RELEASE:
        archive.Number(message.job);
        VisitLease(archive, message);
        archive.Number(message.completed);
        return;
    case OpusMessageType::GRANT:
        archive.Number(message.job);
        VisitLease(archive, message);
        archive.Duration(message.duration);
        return;
    case OpusMessageType::RECALL:
        archive.Number(message.job);
        VisitLease(archive, message);
        archive.Number(message.limit);
        return;
    case OpusMessageType::REFUSE:
        archive.Number(message.job);
        VisitLease(archive, message);
        archive.Text(message.error, OpusMessage::MAX_TEXT);
        return;
    case OpusMessageType::CONFIGURE:
        archive.Number(message.command);
        archive.Circuits(message.drop, message.make, OpusMessage::MAX_CIRCUITS);
        return;
    case OpusMessageType::CONFIGURED:
        archive.Number(message.command);
        archive.Duration(message.duration);
        archive.Text(message.error, OpusMessage::MAX_TEXT);
        return;
    case OpusMessageType::BATCH:
        archive.Number(message.job);
        archive.Each(message.parts, [&archive, &message](auto& part) {
            VisitPart(archive, part);
            archive.Implied(part.job, message.job);
        });
        return;
    case OpusMessageType::ENTRY:
        archive.Number(message.command);
        archive.Number(message.fromAddress);
        archive.Number(message.fromPort);
        archive.Number(message.begin);
        archive.Number(message.end);
        // Looked at before it is read: an entry within an entry within an entry would have no end.
        archive.RequireOther(OpusMessage::LENGTH_BYTES + 1,
                             static_cast<uint8_t>(OpusMessageType::ENTRY));
        archive.Whole(message.parts);
        return;
    case OpusMessageType::STORED:
    case OpusMessageType::LEAD:
    case OpusMessageType::YIELD:
        archive.Number(message.command);
        return;
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
        VisitFault(archive, message);
        return;
    }
    archive.Require(false); // there is no such type
}

} // namespace opus_message_fields

/**
 * @brief Go through all that a message is on the wire, from behind its length field on.
 * @tparam Archive FieldSizer, FieldWriter or FieldReader
 * @tparam Message OpusMessage, const unless it is read
 * @param archive receives the fields in order
 * @param message the message
 */
template <typename Archive, typename Message>
void
VisitOpusMessage(Archive& archive, Message& message)
{
    uint8_t version = OpusMessage::VERSION;
    archive.Number(version);
    archive.Require(version == OpusMessage::VERSION);
    archive.Enumerator(message.type);
    opus_message_fields::VisitFlags<uint16_t>(archive, message);
    opus_message_fields::VisitBody(archive, message);
}

} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_MESSAGE_FIELDS_H
