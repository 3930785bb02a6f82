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
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

/**
 * @file
 * The fields of a message on the wire: FieldWriter counts their bytes or writes them, FieldReader
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

/**
 * @brief Writes fields, or only counts their bytes: one call for each field, in the order on the
 * wire.
 */
class FieldWriter
{
  public:
    /// Count bytes without writing them.
    FieldWriter() = default;

    /// @param it position to write at; the buffer has room for as many bytes as another FieldWriter
    /// has counted
    explicit FieldWriter(Buffer::Iterator it)
        : m_it(it)
    {
    }

    /// @return number of bytes so far
    uint32_t GetSize() const
    {
        return m_size;
    }

    /// An unsigned number, in as many bytes as its type has, in network byte order.
    template <typename T>
    void Number(T number)
    {
        static_assert(std::is_unsigned_v<T>, "only unsigned numbers have a layout");
        m_size += sizeof(T);
        for (std::size_t i = sizeof(T); m_it && i > 0; --i)
        {
            m_it->WriteU8(static_cast<uint8_t>(number >> 8 * (i - 1)));
        }
    }

    /// An enumerator of one byte. The value is not checked.
    template <typename T>
    void Enumerator(const T& value)
    {
        static_assert(sizeof(T) == 1, "an enumerator takes a byte");
        Number(static_cast<uint8_t>(value));
    }

    /// A byte that is 0 or 1.
    void Boolean(bool value)
    {
        Number(static_cast<uint8_t>(value ? 1 : 0));
    }

    /// A time of at least 0: 8 bytes, in picoseconds.
    void Duration(const Time& duration)
    {
        Number(static_cast<uint64_t>(duration.GetPicoSeconds()));
    }

    /// The length of a text (4 bytes), then the text. Bytes beyond @p max are omitted.
    void Text(const std::string& text, uint32_t max);

    /// The size of a list of numbers (4 bytes), then the numbers; at most @p max.
    template <typename T>
    void Numbers(const std::vector<T>& numbers, uint32_t /* max */)
    {
        Each(numbers, [this](const T& number) { Number(number); });
    }

    /// The sizes of two lists of circuits (4 bytes each), then the circuits; at most @p max in
    /// each.
    void Circuits(const CircuitSet& first, const CircuitSet& second, uint32_t /* max */)
    {
        Number(static_cast<uint32_t>(first.size()));
        Number(static_cast<uint32_t>(second.size()));
        for (const CircuitSet* circuits : {&first, &second})
        {
            for (const Circuit& circuit : *circuits)
            {
                Number(circuit.a);
                Number(circuit.b);
            }
        }
    }

    /// The size of a list (4 bytes), then its elements; @p visit sends the fields of one element.
    template <typename T, typename F>
    void Each(const std::vector<T>& elements, const F& visit)
    {
        Number(static_cast<uint32_t>(elements.size()));
        std::for_each(elements.begin(), elements.end(), visit);
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

  private:
    std::optional<Buffer::Iterator> m_it; //!< none to count only
    uint32_t m_size{0};
};

/**
 * @brief Reads fields from untrusted bytes. For the members see FieldWriter.
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
    void Implied(T& field, const T& value)
    {
        field = value;
    }

    void Require(bool condition)
    {
        m_good = m_good && condition;
    }

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
