// SPDX-License-Identifier: GPL-2.0-only

#include "chakra-format.h"

#include "ns3/output-file.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>

#ifdef PHOTONIC_RAILS_PROTOBUF
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/wire_format_lite.h>
#endif

namespace ns3
{

#ifdef PHOTONIC_RAILS_PROTOBUF

bool
ChakraInput::IsAvailable()
{
    return true;
}

namespace
{

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr uint32_t MAX_MESSAGE_BYTES = 64U << 20;

/// Reads the fields of a message one after the other.
class ChakraFields
{
  public:
    /// @param in at the begin of a message, with its end as limit
    explicit ChakraFields(CodedInputStream& in)
        : m_in(in)
    {
    }

    /// @return false at the end of the message, or after an error
    bool Next()
    {
        if (!m_isGood || m_in.BytesUntilLimit() == 0)
        {
            return false;
        }
        m_tag = m_in.ReadTag();
        m_isGood = m_tag != 0;
        return m_isGood;
    }

    /// @return number of the field
    int GetField() const
    {
        return WireFormatLite::GetTagFieldNumber(m_tag);
    }

    /// @return true if the message is well formed so far
    bool IsGood() const
    {
        return m_isGood;
    }

    /// @return true if the value of the field has a length
    bool HasLength() const
    {
        return WireFormatLite::GetTagWireType(m_tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    }

    /// @return the bits of a field that is a number; nothing for another one, which is skipped
    std::optional<uint64_t> ReadBits()
    {
        uint64_t bits = 0;
        uint32_t word = 0;
        switch (WireFormatLite::GetTagWireType(m_tag))
        {
        case WireFormatLite::WIRETYPE_VARINT:
            m_isGood = m_in.ReadVarint64(&bits);
            return bits;
        case WireFormatLite::WIRETYPE_FIXED64:
            m_isGood = m_in.ReadLittleEndian64(&bits);
            return bits;
        case WireFormatLite::WIRETYPE_FIXED32:
            m_isGood = m_in.ReadLittleEndian32(&word);
            return word;
        default:
            Skip();
            return std::nullopt;
        }
    }

    /// Read a number, if the field is one. @param number gets it
    void ReadNumber(uint64_t& number)
    {
        number = ReadBits().value_or(number);
    }

    /// Read the begin of a text, if the field is one. @param text gets it
    void ReadText(std::string& text)
    {
        uint32_t length = 0;
        if (!HasLength())
        {
            Skip();
            return;
        }
        m_isGood = m_in.ReadVarint32(&length) && IsInside(length);
        if (m_isGood)
        {
            const auto kept =
                std::min<uint32_t>(length, static_cast<uint32_t>(ChakraValue::MAX_TEXT));
            m_isGood = m_in.ReadString(&text, static_cast<int>(kept)) &&
                       m_in.Skip(static_cast<int>(length - kept));
        }
    }

    /// Add the numbers of a repeated field. @param numbers gets them
    void AddNumbers(std::vector<uint64_t>& numbers)
    {
        if (!HasLength())
        {
            if (const auto bits = ReadBits())
            {
                numbers.push_back(*bits);
            }
            return;
        }
        ReadMessage([this, &numbers](ChakraFields&) {
            uint64_t number = 0;
            while (m_in.BytesUntilLimit() > 0 && (m_isGood = m_in.ReadVarint64(&number)))
            {
                numbers.push_back(number);
            }
        });
    }

    /// Read a message inside this one. @param read reads its fields
    template <typename F>
    void ReadMessage(F&& read)
    {
        uint32_t length = 0;
        if (!HasLength())
        {
            Skip();
            return;
        }
        m_isGood = m_in.ReadVarint32(&length) && IsInside(length);
        if (!m_isGood)
        {
            return;
        }
        const auto limit = m_in.PushLimit(static_cast<int>(length));
        ChakraFields inner(m_in);
        read(inner);
        m_isGood = m_isGood && inner.IsGood() && m_in.BytesUntilLimit() == 0;
        m_in.PopLimit(limit);
    }

    /// Skip the value of the field.
    void Skip()
    {
        m_isGood = WireFormatLite::SkipField(&m_in, m_tag);
    }

  private:
    /// @return true if so many bytes are left of the message
    bool IsInside(uint32_t length) const
    {
        const int left = m_in.BytesUntilLimit();
        return left >= 0 && length <= static_cast<uint32_t>(left);
    }

    CodedInputStream& m_in;
    uint32_t m_tag{0};
    bool m_isGood{true};
};

/// Set a value to a signed number.
void
SetSigned(ChakraValue& value, int64_t number)
{
    value.kind = ChakraValue::NUMBER;
    value.isNegative = number < 0;
    value.number = number < 0 ? ~static_cast<uint64_t>(number) + 1 : static_cast<uint64_t>(number);
}

/// Set a value from the bits of a field that is a number.
void
SetBits(ChakraValue& value, int field, uint64_t bits)
{
    value.kind = ChakraValue::NUMBER;
    value.isNegative = false;
    value.number = bits;
    switch (field)
    {
    case ChakraFormat::DOUBLE_VALUE:
        value.kind = ChakraValue::REAL;
        std::memcpy(&value.real, &bits, sizeof(value.real));
        break;
    case ChakraFormat::FLOAT_VALUE: {
        const auto word = static_cast<uint32_t>(bits);
        float real = 0;
        std::memcpy(&real, &word, sizeof(real));
        value.kind = ChakraValue::REAL;
        value.real = real;
        break;
    }
    case ChakraFormat::SFIXED32_VALUE:
        SetSigned(value, static_cast<int32_t>(bits));
        break;
    case ChakraFormat::INT32_VALUE:
    case ChakraFormat::INT64_VALUE:
    case ChakraFormat::SFIXED64_VALUE:
        SetSigned(value, static_cast<int64_t>(bits));
        break;
    case ChakraFormat::SINT32_VALUE:
    case ChakraFormat::SINT64_VALUE:
        SetSigned(value, WireFormatLite::ZigZagDecode64(bits));
        break;
    default:
        break;
    }
}

/// Read a list: its first value counts, and all of a list of numbers are kept.
void
ReadList(ChakraFields& fields, int field, ChakraValue& value)
{
    fields.ReadMessage([field, &value](ChakraFields& list) {
        while (list.Next())
        {
            if (field == ChakraFormat::STRING_LIST)
            {
                std::string text;
                list.ReadText(text);
                if (value.kind == ChakraValue::NONE)
                {
                    value.kind = ChakraValue::TEXT;
                    value.text = text;
                }
                continue;
            }
            list.AddNumbers(value.numbers);
        }
    });
    if (!value.numbers.empty())
    {
        SetBits(value, field - 1, value.numbers.front());
    }
}

/// @return true for a list of texts, or of numbers that are varints
bool
IsReadList(int field)
{
    return (field > ChakraFormat::INT32_VALUE && field <= ChakraFormat::SINT64_VALUE + 1 &&
            field % 2 == 0) ||
           field == ChakraFormat::BOOL_VALUE + 1 || field == ChakraFormat::STRING_LIST;
}

void
ReadAttribute(ChakraFields& fields, ChakraAttribute& attribute)
{
    ChakraValue& value = attribute.value;
    attribute.name.clear();
    value.kind = ChakraValue::NONE;
    value.numbers.clear();
    fields.ReadMessage([&](ChakraFields& inner) {
        while (inner.Next())
        {
            const int field = inner.GetField();
            if (field == ChakraFormat::ATTRIBUTE_NAME)
            {
                inner.ReadText(attribute.name);
            }
            else if (field == ChakraFormat::STRING_VALUE || field == ChakraFormat::BYTES_VALUE)
            {
                value.kind = ChakraValue::TEXT;
                inner.ReadText(value.text);
            }
            else if (field >= ChakraFormat::DOUBLE_VALUE && field <= ChakraFormat::BOOL_VALUE &&
                     field % 2 == 1)
            {
                if (const auto bits = inner.ReadBits())
                {
                    SetBits(value, field, *bits);
                }
            }
            else if (IsReadList(field) && inner.HasLength())
            {
                ReadList(inner, field, value);
            }
            else
            {
                inner.Skip();
            }
        }
    });
}

/// @return false if the message is not well formed
bool
ReadFields(CodedInputStream& in, bool isMetadata, ChakraMessage& message)
{
    message.Clear();
    const int attribute = isMetadata ? int{ChakraFormat::METADATA_ATTRIBUTE} //
                                     : int{ChakraFormat::ATTRIBUTE};
    ChakraFields fields(in);
    while (fields.Next())
    {
        const int field = fields.GetField();
        if (field == attribute)
        {
            if (message.attributeCount == message.attributes.size())
            {
                message.attributes.emplace_back();
            }
            ReadAttribute(fields, message.attributes[message.attributeCount++]);
            continue;
        }
        switch (isMetadata ? 0 : field)
        {
        case ChakraFormat::ID:
            fields.ReadNumber(message.id);
            break;
        case ChakraFormat::NAME:
            fields.ReadText(message.name);
            break;
        case ChakraFormat::TYPE:
            fields.ReadNumber(message.type);
            break;
        case ChakraFormat::CONTROL_DEPENDENCIES:
            fields.AddNumbers(message.control);
            break;
        case ChakraFormat::DATA_DEPENDENCIES:
            fields.AddNumbers(message.data);
            break;
        case ChakraFormat::DURATION_MICROS:
            fields.ReadNumber(message.durationMicros);
            break;
        default:
            fields.Skip();
        }
    }
    return fields.IsGood();
}

/// @return true if a file that begins like this is text, and JSON
bool
IsJson(const char* bytes, int size)
{
    const char* end = bytes + size;
    const char* first =
        std::find_if(bytes, end, [](char c) { return std::strchr(" \t\r\n", c) == nullptr; });
    return first != end && (*first == '{' || *first == '[');
}

std::string
ReadMessages(google::protobuf::io::ZeroCopyInputStream& stream,
             const std::function<void(const ChakraMessage&, uint64_t)>& visit)
{
    bool isJson = false;
    ChakraMessage message;
    for (uint64_t number = 0;; ++number)
    {
        CodedInputStream in(&stream);
        const void* bytes = nullptr;
        int left = 0;
        if (!in.GetDirectBufferPointer(&bytes, &left))
        {
            return number > 0 ? "" : "the file is empty";
        }
        isJson = isJson || (number == 0 && IsJson(static_cast<const char*>(bytes), left));
        const std::string name = "message " + std::to_string(number);
        uint32_t length = 0;
        if (!in.ReadVarint32(&length))
        {
            return name + ": the length is no varint of 32 bits";
        }
        if (length > MAX_MESSAGE_BYTES)
        {
            return name + ": a length of " + std::to_string(length) + " bytes is above " +
                   std::to_string(MAX_MESSAGE_BYTES);
        }
        in.PushLimit(static_cast<int>(length));
        if (!ReadFields(in, number == 0, message) || in.BytesUntilLimit() != 0)
        {
            return isJson ? "the file is text in JSON; what can be read are Chakra's binary "
                            "traces, messages of protobuf with the length before each"
                          : name + ": truncated, or no message of Chakra's schema";
        }
        visit(message, number);
    }
}

} // namespace

std::string
ChakraInput::Read(const std::string& file,
                  const std::function<void(const ChakraMessage&, uint64_t)>& visit)
{
    std::ifstream input(file, std::ios::binary);
    if (!input)
    {
        return "the file cannot be read";
    }
    google::protobuf::io::IstreamInputStream raw(&input);
    if (!HasEnding(file, ".gz"))
    {
        return ReadMessages(raw, visit);
    }
    google::protobuf::io::GzipInputStream unzipped(&raw);
    const std::string error = ReadMessages(unzipped, visit);
    return error.empty() && unzipped.ZlibErrorCode() < 0 ? "the file is no gzip file, or truncated"
                                                         : error;
}

#else // without libprotobuf

bool
ChakraInput::IsAvailable()
{
    return false;
}

std::string
ChakraInput::Read(const std::string& /* file */,
                  const std::function<void(const ChakraMessage&, uint64_t)>& /* visit */)
{
    return "the module was built without libprotobuf (Debian: libprotobuf-dev)";
}

#endif

} // namespace ns3
