// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CHAKRA_FORMAT_H
#define PHOTONIC_RAILS_CHAKRA_FORMAT_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

class JobRanks;

/**
 * @brief Numbers and names of Chakra's execution traces, package ChakraProtoMsg of its schema.
 *
 * A file is one message GlobalMetadata and then messages Node, each behind its length as a varint.
 */
struct ChakraFormat
{
    /// Fields of GlobalMetadata.
    enum MetadataField : uint8_t
    {
        VERSION = 1,
        METADATA_ATTRIBUTE = 2,
    };

    /// Fields of Node.
    enum NodeField : uint8_t
    {
        ID = 1,
        NAME = 2,
        TYPE = 3,
        CONTROL_DEPENDENCIES = 4,
        DATA_DEPENDENCIES = 5,
        DURATION_MICROS = 7,
        ATTRIBUTE = 10,
    };

    /// Types of nodes.
    enum NodeType : uint8_t
    {
        INVALID_NODE,
        METADATA_NODE,
        MEM_LOAD_NODE,
        MEM_STORE_NODE,
        COMP_NODE,
        COMM_SEND_NODE,
        COMM_RECV_NODE,
        COMM_COLL_NODE,
        NODE_TYPES,
    };

    /// Values of comm_type.
    enum CollectiveType : uint8_t
    {
        ALL_REDUCE,
        REDUCE,
        ALL_GATHER,
        GATHER,
        SCATTER,
        BROADCAST,
        ALL_TO_ALL,
        REDUCE_SCATTER,
        REDUCE_SCATTER_BLOCK,
        BARRIER,
        COLLECTIVE_TYPES,
    };

    /// Fields of AttributeProto: its name, and one of several values. A list of a type is a
    /// message with the values as field 1, and has the number after that of the type.
    enum AttributeField : uint8_t
    {
        ATTRIBUTE_NAME = 1,
        DOUBLE_VALUE = 3,
        FLOAT_VALUE = 5,
        INT32_VALUE = 7,
        INT64_VALUE = 9,
        UINT32_VALUE = 11,
        UINT64_VALUE = 13,
        SINT32_VALUE = 15,
        SINT64_VALUE = 17,
        FIXED32_VALUE = 19,
        FIXED64_VALUE = 21,
        SFIXED32_VALUE = 23,
        SFIXED64_VALUE = 25,
        BOOL_VALUE = 27,
        STRING_VALUE = 29,
        STRING_LIST = 30,
        BYTES_VALUE = 31,
    };

    /// Bytes of the AllReduce as which a Barrier runs, as in NCCL.
    static constexpr uint64_t BARRIER_BYTES = 4;

    // Attributes of this module, by which a job that is written and read again is the same.
    static constexpr const char* OWN_DURATION = "photonic_rails_ps";
    static constexpr const char* OWN_STREAM = "photonic_rails_stream";
    static constexpr const char* OWN_DIMENSION = "photonic_rails_dimension";
    static constexpr const char* OWN_ROLE = "photonic_rails_role";
    static constexpr const char* OWN_SIZES = "photonic_rails_sizes";
    static constexpr const char* OWN_STAGE = "photonic_rails_pipeline_rank";
};

/// The value of an attribute in Chakra's format.
struct ChakraValue
{
    /// Types of values that differ for their readers.
    enum Kind : uint8_t
    {
        NONE,   //!< the attribute has no value
        NUMBER, //!< an integer or a truth value
        REAL,   //!< floating point
        TEXT,   //!< text
    };

    Kind kind{NONE};
    bool isNegative{false};        //!< of a NUMBER
    uint64_t number{0};            //!< magnitude of a NUMBER
    double real{0};                //!< of a REAL
    std::string text;              //!< of a TEXT, cut at MAX_TEXT
    std::vector<uint64_t> numbers; //!< of a list of unsigned integers; `number` is the first

    static constexpr std::size_t MAX_TEXT = 256; //!< bytes of a text that are kept
};

/// An attribute in Chakra's format.
struct ChakraAttribute
{
    std::string name;
    ChakraValue value;
};

/// A message Node in Chakra's format, as far as it is read. GlobalMetadata has attributes only.
struct ChakraMessage
{
    uint64_t id{0};
    uint64_t type{0};
    uint64_t durationMicros{0};
    std::string name;              //!< cut at ChakraValue::MAX_TEXT
    std::vector<uint64_t> control; //!< ids of nodes
    std::vector<uint64_t> data;    //!< ids of nodes
    std::vector<ChakraAttribute> attributes;
    std::size_t attributeCount{0}; //!< those of `attributes` that are in use

    /// Forget the message, and keep its memory.
    void Clear()
    {
        id = 0;
        type = 0;
        durationMicros = 0;
        name.clear();
        control.clear();
        data.clear();
        attributeCount = 0;
    }

    /**
     * @param attribute name of an attribute
     * @return the value; null if the message has no such attribute
     */
    const ChakraValue* Find(const char* attribute) const
    {
        const auto end = attributes.begin() + static_cast<std::ptrdiff_t>(attributeCount);
        const auto found = std::find_if(attributes.begin(), end, [attribute](const auto& one) {
            return one.name == attribute;
        });
        return found == end ? nullptr : &found->value;
    }
};

/// Reads files of Chakra's messages.
class ChakraInput
{
  public:
    /// @return true if the module was built with libprotobuf
    static bool IsAvailable();

    /**
     * @brief Read a file message by message, with memory for one of them.
     *
     * A file that ends in .gz is decompressed. A message may have 64 MiB.
     * @param file name of the file
     * @param visit called with each message and its number; the first one is GlobalMetadata
     * @return an empty string, or the error, which names the message and not the file
     */
    static std::string Read(const std::string& file,
                            const std::function<void(const ChakraMessage&, uint64_t)>& visit);
};

/**
 * @brief Writes the ranks of a job as execution traces in Chakra's format, schema 0.0.4.
 *
 * An operation is a node, whose id is its index. Dependencies are data dependencies, and the order
 * of a stream is one of control dependencies. Attributes of this module hold values that the
 * schema does not: picoseconds, streams, parallelism, roles of groups, and sizes of an AllToAll
 * whose parts differ. TraceJob makes the same ranks from the files again.
 */
class ChakraWriter
{
  public:
    /**
     * @brief Write PREFIX.RANK.et for each rank, and the process groups into PREFIX.json.
     * @param ranks the ranks
     * @param prefix of the names of files
     * @return an empty string, or one line that names the file that is in the way or could not be
     * written
     */
    static std::string Write(const JobRanks& ranks, const std::string& prefix);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CHAKRA_FORMAT_H
