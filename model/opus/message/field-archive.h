// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FIELD_ARCHIVE_H
#define PHOTONIC_RAILS_FIELD_ARCHIVE_H

#include "opus-message.h"

#include "ns3/buffer.h"
#include "ns3/circuit-fabric.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/**
 * @file
 * Three ways to go through the fields of a message: count their bytes, write them and read them.
 *
 * They have the same members, so that a function template that names the fields in order serves all
 * three (opus-message-fields.h). Numbers are in network byte order.
 */

namespace ns3
{

/**
 * @brief Cuts bytes that arrive in order into messages, by their length fields.
 *
 * A message that cannot be read is dropped and counted. After a length that cannot be true nobody
 * knows where the next message begins: what has arrived so far is dropped and counted once.
 */
class MessageReader
{
  public:
    /**
     * @param bytes what has arrived
     * @param size how many there are
     */
    void Append(const uint8_t* bytes, std::size_t size);

    /**
     * @param message receives the next message that is there in full and can be read
     * @return false if there is none
     */
    bool Next(OpusMessage& message);

    /// @return bytes that have arrived and belong to a message that is not there in full
    std::size_t GetPending() const;

    /// @return messages that arrived and could not be read
    uint64_t GetMalformed() const;

  private:
    std::vector<uint8_t> m_bytes; //!< from m_offset on not yet read
    std::size_t m_offset{0};      //!< where the next message begins
    uint64_t m_malformed{0};
};

/// Counts the bytes that fields take.
class FieldSizer
{
  public:
    /// @return bytes of the fields so far
    uint32_t GetSize() const;

    /// An unsigned number, in as many bytes as its type has.
    template <typename T>
    void Number(const T& /* number */)
    {
        m_size += sizeof(T);
    }

    /// An enumerator of a byte. Whether there is such a one is not checked.
    template <typename T>
    void Enumerator(const T& /* value */)
    {
        static_assert(sizeof(T) == 1, "an enumerator takes a byte");
        m_size += 1;
    }

    /// A byte that is 0 or 1.
    void Boolean(bool value);
    /// A time that is not negative: 8 bytes, in picoseconds.
    void Duration(const Time& duration);
    /// A text of at most so many bytes behind their number (4 bytes); what is more is left out.
    void Text(const std::string& text, uint32_t max);

    /// At most so many numbers behind their number (4 bytes).
    template <typename T>
    void Numbers(const std::vector<T>& numbers, uint32_t /* max */)
    {
        m_size += 4 + static_cast<uint32_t>(numbers.size() * sizeof(T));
    }

    /// Two lists of circuits, at most so many in each, behind their numbers (4 bytes each).
    void Circuits(const CircuitSet& first, const CircuitSet& second, uint32_t max);

    /// Elements, of which a function visits one, behind their number (4 bytes).
    template <typename T, typename F>
    void Each(const std::vector<T>& elements, const F& visit)
    {
        m_size += 4;
        std::for_each(elements.begin(), elements.end(), visit);
    }

    /// One element that tells its own size: a Header. It is the only one of a list.
    template <typename T>
    void Whole(const std::vector<T>& element)
    {
        m_size += element.at(0).GetSerializedSize();
    }

    /// A value that follows from what has been sent: takes no bytes.
    template <typename T>
    void Implied(const T& /* field */, const T& /* value */)
    {
    }

    /// What must be true of the fields so far, or the message is malformed.
    void Require(bool condition);
    /// The byte at an offset from here must be there and be another than this one.
    void RequireOther(uint32_t offset, uint8_t byte);

  private:
    uint32_t m_size{0};
};

/// Writes fields. For the members see FieldSizer.
class FieldWriter
{
  public:
    /// @param it where to write; there is room for as many bytes as a FieldSizer counts
    explicit FieldWriter(Buffer::Iterator it);

    template <typename T>
    void Number(const T& number)
    {
        static_assert(std::is_unsigned_v<T>, "how others are sent is not said");
        if constexpr (sizeof(T) == 8)
        {
            m_it.WriteHtonU64(number);
        }
        else if constexpr (sizeof(T) == 4)
        {
            m_it.WriteHtonU32(number);
        }
        else if constexpr (sizeof(T) == 2)
        {
            m_it.WriteHtonU16(number);
        }
        else
        {
            m_it.WriteU8(number);
        }
    }

    template <typename T>
    void Enumerator(const T& value)
    {
        m_it.WriteU8(static_cast<uint8_t>(value));
    }

    void Boolean(bool value);
    void Duration(const Time& duration);
    void Text(const std::string& text, uint32_t max);

    template <typename T>
    void Numbers(const std::vector<T>& numbers, uint32_t /* max */)
    {
        Number(static_cast<uint32_t>(numbers.size()));
        for (const T& number : numbers)
        {
            Number(number);
        }
    }

    void Circuits(const CircuitSet& first, const CircuitSet& second, uint32_t max);

    template <typename T, typename F>
    void Each(const std::vector<T>& elements, const F& visit)
    {
        Number(static_cast<uint32_t>(elements.size()));
        std::for_each(elements.begin(), elements.end(), visit);
    }

    template <typename T>
    void Whole(const std::vector<T>& element)
    {
        element.at(0).Serialize(m_it);
        m_it.Next(element[0].GetSerializedSize());
    }

    template <typename T>
    void Implied(const T& /* field */, const T& /* value */)
    {
    }

    void Require(bool condition);
    void RequireOther(uint32_t offset, uint8_t byte);

  private:
    Buffer::Iterator m_it;
};

/**
 * @brief Reads fields from bytes that somebody else may have made up. For the members see
 * FieldSizer.
 *
 * Never reads beyond the bytes that it has been given, and takes memory only for elements whose
 * bytes are there. After the first field that is malformed the others are left as they are.
 */
class FieldReader
{
  public:
    /**
     * @param it where to read
     * @param size bytes of all fields, which are there
     */
    FieldReader(Buffer::Iterator it, uint32_t size);

    /// @return true if all fields so far are well formed
    bool IsGood() const;
    /// @return true if they are, and nothing follows them
    bool IsDone() const;

    template <typename T>
    void Number(T& number)
    {
        static_assert(std::is_unsigned_v<T>, "how others are sent is not said");
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

    void Require(bool condition);
    void RequireOther(uint32_t offset, uint8_t byte);

  private:
    /// @return true if these bytes are there; they count as read
    bool Take(uint64_t bytes);

    /// Read a number whose bytes are there.
    template <typename T>
    T Read()
    {
        if constexpr (sizeof(T) == 8)
        {
            return m_it.ReadNtohU64();
        }
        else if constexpr (sizeof(T) == 4)
        {
            return m_it.ReadNtohU32();
        }
        else if constexpr (sizeof(T) == 2)
        {
            return m_it.ReadNtohU16();
        }
        else
        {
            return m_it.ReadU8();
        }
    }

    Buffer::Iterator m_it;
    uint32_t m_left; //!< bytes that have not been read
    bool m_good{true};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FIELD_ARCHIVE_H
