// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FIELD_ARCHIVE_H
#define PHOTONIC_RAILS_FIELD_ARCHIVE_H

#include "opus-message.h"

#include "ns3/buffer.h"
#include "ns3/circuit-fabric.h"
#include "ns3/header.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/**
 * @file
 * The fields of a message on the wire: FieldOutput counts their bytes or writes them, FieldReader
 * reads them. Both classes have the same members, so that one function template lists the fields of
 * a message for all three purposes (opus-message.cc). Numbers are in network byte order.
 */

namespace ns3
{

/**
 * @brief Splits a stream of bytes into messages, by their length fields.
 *
 * The reader drops and counts messages that cannot be parsed. After a length above
 * OpusMessage::MAX_LENGTH the begin of the next message is unknown: the reader drops all bytes
 * received so far and counts one malformed message.
 */
class MessageReader
{
  public:
    /**
     * @brief Add received bytes.
     * @param bytes the bytes
     * @param size number of bytes
     */
    void Append(const uint8_t* bytes, std::size_t size);

    /**
     * @param message receives the next complete message that can be parsed
     * @return false if there is no complete message
     */
    bool Next(OpusMessage& message);

    /// @return number of received bytes of an incomplete message
    std::size_t GetPending() const
    {
        return m_bytes.size() - m_offset;
    }

    /// @return number of messages that could not be parsed
    uint64_t GetMalformed() const
    {
        return m_malformed;
    }

  private:
    std::vector<uint8_t> m_bytes; //!< received; unread from m_offset on
    std::size_t m_offset{0};      //!< begin of the next message
    uint64_t m_malformed{0};
};

/// Where a FieldOutput counts bytes instead of writing them.
class ByteCounter
{
  public:
    /// An unsigned number takes as many bytes as its type has.
    template <typename T>
    void Number(T /* number */)
    {
        m_size += sizeof(T);
    }

    /// @param size number of bytes
    void Bytes(const char* /* bytes */, uint32_t size)
    {
        m_size += size;
    }

    /// @param header takes as many bytes as it serializes to
    void Whole(const Header& header);

    /// @return number of bytes so far
    uint32_t GetSize() const
    {
        return m_size;
    }

  private:
    uint32_t m_size{0};
};

/// Where a FieldOutput writes bytes.
class ByteWriter
{
  public:
    /// @param it position to write at; the buffer has room for as many bytes as ByteCounter counts
    explicit ByteWriter(Buffer::Iterator it);

    /// An unsigned number is written in network byte order.
    template <typename T>
    void Number(T number)
    {
        static_assert(std::is_unsigned_v<T>, "only unsigned numbers have a layout");
        for (std::size_t i = sizeof(T); i > 0; --i)
        {
            m_it.WriteU8(static_cast<uint8_t>(number >> 8 * (i - 1)));
        }
    }

    /// @param bytes the bytes @param size number of bytes
    void Bytes(const char* bytes, uint32_t size)
    {
        m_it.Write(reinterpret_cast<const uint8_t*>(bytes), size);
    }

    /// @param header is serialized
    void Whole(const Header& header);

  private:
    Buffer::Iterator m_it;
};

/**
 * @brief Sends fields to a ByteCounter or a ByteWriter, one call for each field, in the order on
 * the wire.
 */
template <typename Sink>
class FieldOutput
{
  public:
    /// @param sink counts or writes the bytes
    explicit FieldOutput(Sink& sink)
        : m_sink(sink)
    {
    }

    /// An unsigned number, in as many bytes as its type has.
    template <typename T>
    void Number(const T& number)
    {
        m_sink.Number(number);
    }

    /// An enumerator of one byte. The value is not checked.
    template <typename T>
    void Enumerator(const T& value)
    {
        static_assert(sizeof(T) == 1, "an enumerator takes a byte");
        m_sink.Number(static_cast<uint8_t>(value));
    }

    /// A byte that is 0 or 1.
    void Boolean(bool value)
    {
        m_sink.Number(static_cast<uint8_t>(value ? 1 : 0));
    }

    /// A time of at least 0: 8 bytes, in picoseconds.
    void Duration(const Time& duration)
    {
        m_sink.Number(static_cast<uint64_t>(duration.GetPicoSeconds()));
    }

    /// The length of a text (4 bytes), then the text. Bytes beyond @p max are omitted.
    void Text(const std::string& text, uint32_t max)
    {
        const auto length = static_cast<uint32_t>(std::min<std::size_t>(text.size(), max));
        m_sink.Number(length);
        m_sink.Bytes(text.data(), length);
    }

    /// The size of a list of numbers (4 bytes), then the numbers; at most @p max.
    template <typename T>
    void Numbers(const std::vector<T>& numbers, uint32_t /* max */)
    {
        Each(numbers, [this](const T& number) { m_sink.Number(number); });
    }

    /// The sizes of two lists of circuits (4 bytes each), then the circuits; at most @p max in
    /// each.
    void Circuits(const CircuitSet& first, const CircuitSet& second, uint32_t /* max */)
    {
        m_sink.Number(static_cast<uint32_t>(first.size()));
        m_sink.Number(static_cast<uint32_t>(second.size()));
        for (const CircuitSet* circuits : {&first, &second})
        {
            for (const Circuit& circuit : *circuits)
            {
                m_sink.Number(circuit.a);
                m_sink.Number(circuit.b);
            }
        }
    }

    /// The size of a list (4 bytes), then its elements; @p visit sends the fields of one element.
    template <typename T, typename F>
    void Each(const std::vector<T>& elements, const F& visit)
    {
        m_sink.Number(static_cast<uint32_t>(elements.size()));
        std::for_each(elements.begin(), elements.end(), visit);
    }

    /// The only element of a list: a Header.
    template <typename T>
    void Whole(const std::vector<T>& element)
    {
        m_sink.Whole(element.at(0));
    }

    /// A value that follows from fields sent before takes no bytes.
    template <typename T>
    void Implied(const T& /* field */, const T& /* value */)
    {
    }

    /// A condition of well-formed fields, which FieldReader checks.
    void Require(bool /* condition */)
    {
    }

    /// A byte that must not be at an offset from the next field, which FieldReader checks.
    void RequireOther(uint32_t /* offset */, uint8_t /* byte */)
    {
    }

  private:
    Sink& m_sink;
};

/**
 * @brief Reads fields from untrusted bytes. For the members see FieldOutput.
 *
 * The reader never reads beyond the given bytes, and allocates memory only for elements whose bytes
 * are present. Fields after the first malformed field keep their values.
 */
class FieldReader
{
  public:
    /**
     * @param it position of the first field
     * @param size bytes of all fields; the buffer contains at least as many
     */
    FieldReader(Buffer::Iterator it, uint32_t size);

    /// @return true if all fields so far are well formed
    bool IsGood() const
    {
        return m_good;
    }

    /// @return true if all fields so far are well formed and no bytes are left
    bool IsDone() const
    {
        return m_good && m_left == 0;
    }

    template <typename T>
    void Number(T& number)
    {
        static_assert(std::is_unsigned_v<T>, "only unsigned numbers have a layout");
        if (Take(sizeof(T)))
        {
            number = Read<T>();
        }
    }

    template <typename T>
    void Enumerator(T& value)
    {
        static_assert(sizeof(T) == 1, "an enumerator takes a byte");
        if (Take(1))
        {
            value = static_cast<T>(m_it.ReadU8());
        }
    }

    void Boolean(bool& value);
    void Duration(Time& duration);
    void Text(std::string& text, uint32_t max);

    template <typename T>
    void Numbers(std::vector<T>& numbers, uint32_t max)
    {
        uint32_t count = 0;
        Number(count);
        Require(count <= max);
        if (IsGood() && Take(uint64_t{count} * sizeof(T)))
        {
            numbers.resize(count);
            std::generate(numbers.begin(), numbers.end(), [this] { return Read<T>(); });
        }
    }

    void Circuits(CircuitSet& first, CircuitSet& second, uint32_t max);

    template <typename T, typename F>
    void Each(std::vector<T>& elements, const F& visit)
    {
        uint32_t count = 0;
        Number(count);
        for (; count > 0 && IsGood(); --count) // as many as there are bytes for
        {
            elements.emplace_back();
            visit(elements.back());
        }
    }

    template <typename T>
    void Whole(std::vector<T>& element)
    {
        if (IsGood())
        {
            element.emplace_back();
            const uint32_t size = element.back().Deserialize(m_it);
            Require(size > 0);
            if (Take(size))
            {
                m_it.Next(size);
            }
        }
    }

    template <typename T>
    void Implied(T& field, const T& value)
    {
        field = value;
    }

    void Require(bool condition)
    {
        m_good = m_good && condition;
    }

    void RequireOther(uint32_t offset, uint8_t byte);

  private:
    /// Count bytes as read. @return true if as many bytes are left and all fields are well formed
    bool Take(uint64_t bytes);

    /// Read a number whose bytes are present.
    template <typename T>
    T Read()
    {
        T number = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i)
        {
            number = static_cast<T>(uint64_t{number} << 8 | m_it.ReadU8());
        }
        return number;
    }

    Buffer::Iterator m_it;
    uint32_t m_left; //!< bytes that have not been read
    bool m_good{true};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FIELD_ARCHIVE_H
