// SPDX-License-Identifier: GPL-2.0-only

#include "chakra-output.h"

#include "chakra-format.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>

#ifdef PHOTONIC_RAILS_PROTOBUF
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/wire_format_lite.h>
#endif

namespace ns3
{

#ifdef PHOTONIC_RAILS_PROTOBUF

namespace
{

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;

/// Write a field that has a length.
void
WriteBytes(CodedOutputStream& out, int field, const std::string& bytes)
{
    out.WriteTag(WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
    out.WriteVarint32(static_cast<uint32_t>(bytes.size()));
    out.WriteString(bytes);
}

/// Write a field that is a number.
void
WriteNumber(CodedOutputStream& out, int field, uint64_t number)
{
    out.WriteTag(WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_VARINT));
    out.WriteVarint64(number);
}

/// @return bytes that a function writes
template <typename F>
std::string
Encode(F&& write)
{
    std::string bytes;
    {
        google::protobuf::io::StringOutputStream stream(&bytes);
        CodedOutputStream out(&stream);
        write(out);
    }
    return bytes;
}

/// @return numbers as a packed field has them
std::string
Pack(const std::vector<uint64_t>& numbers)
{
    return Encode([&numbers](CodedOutputStream& out) {
        for (const uint64_t number : numbers)
        {
            out.WriteVarint64(number);
        }
    });
}

/// @return an attribute: a text, a list of uint64, or an int64 (comm_src, ...: int32, bool)
std::string
EncodeAttribute(const ChakraAttribute& attribute)
{
    return Encode([&attribute](CodedOutputStream& out) {
        WriteBytes(out, ChakraFormat::ATTRIBUTE_NAME, attribute.name);
        const ChakraValue& value = attribute.value;
        const auto isOne = [&attribute](std::initializer_list<const char*> names) {
            return std::any_of(names.begin(), names.end(), [&attribute](const char* name) {
                return attribute.name == name;
            });
        };
        if (value.kind == ChakraValue::TEXT)
        {
            WriteBytes(out, ChakraFormat::STRING_VALUE, value.text);
        }
        else if (!value.numbers.empty())
        {
            WriteBytes(out, ChakraFormat::UINT64_VALUE + 1, Encode([&value](auto& list) {
                           WriteBytes(list, 1, Pack(value.numbers));
                       }));
        }
        else
        {
            // The types that Chakra's feeder reads.
            const int field = isOne({"is_cpu_op"})     ? int{ChakraFormat::BOOL_VALUE}
                              : isOne({"tensor_size"}) ? int{ChakraFormat::UINT64_VALUE}
                              : isOne({"comm_src", "comm_dst", "comm_tag"})
                                  ? int{ChakraFormat::INT32_VALUE}
                                  : int{ChakraFormat::INT64_VALUE};
            WriteNumber(out, field, value.number);
        }
    });
}

/// @return a message
std::string
EncodeMessage(const ChakraMessage& message, bool isMetadata)
{
    return Encode([&message, isMetadata](CodedOutputStream& out) {
        if (isMetadata)
        {
            WriteBytes(out, ChakraFormat::VERSION, "0.0.4");
        }
        else
        {
            WriteNumber(out, ChakraFormat::ID, message.id);
            WriteBytes(out, ChakraFormat::NAME, message.name);
            WriteNumber(out, ChakraFormat::TYPE, message.type);
            WriteBytes(out, ChakraFormat::CONTROL_DEPENDENCIES, Pack(message.control));
            WriteBytes(out, ChakraFormat::DATA_DEPENDENCIES, Pack(message.data));
            WriteNumber(out, ChakraFormat::DURATION_MICROS, message.durationMicros);
        }
        const int field = isMetadata ? int{ChakraFormat::METADATA_ATTRIBUTE} //
                                     : int{ChakraFormat::ATTRIBUTE};
        for (std::size_t i = 0; i < message.attributeCount; ++i)
        {
            WriteBytes(out, field, EncodeAttribute(message.attributes[i]));
        }
    });
}

} // namespace

bool
ChakraOutput::Write(const std::string& file, const std::function<bool(ChakraMessage&)>& next)
{
    std::ofstream output(file, std::ios::binary);
    {
        google::protobuf::io::OstreamOutputStream stream(&output);
        CodedOutputStream out(&stream);
        ChakraMessage message;
        for (bool isMetadata = true; next(message); isMetadata = false)
        {
            const std::string bytes = EncodeMessage(message, isMetadata);
            out.WriteVarint32(static_cast<uint32_t>(bytes.size()));
            out.WriteString(bytes);
            message.Clear();
        }
    }
    return output.flush().good();
}

#else // without libprotobuf

bool
ChakraOutput::Write(const std::string& /* file */,
                    const std::function<bool(ChakraMessage&)>& /* next */)
{
    return false;
}

#endif

} // namespace ns3
