// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRACE_BYTES_H
#define PHOTONIC_RAILS_TRACE_BYTES_H

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ns3
{

/// @return a number as a varint
inline std::string
ToVarint(uint64_t number)
{
    std::string bytes;
    for (; number >= 0x80; number >>= 7)
    {
        bytes += static_cast<char>(0x80 | (number & 0x7F));
    }
    return bytes + static_cast<char>(number);
}

/// @return a field of a message that is a number
inline std::string
EncodeField(uint32_t field, uint64_t number)
{
    return ToVarint(uint64_t{field} << 3) + ToVarint(number);
}

/// @return a field of a message that is a text, or a message
inline std::string
EncodeField(uint32_t field, const std::string& bytes)
{
    return ToVarint(uint64_t{field} << 3 | 2) + ToVarint(bytes.size()) + bytes;
}

/**
 * @brief A node of an execution trace, encoded by hand: the tests have an encoder of their own,
 * beside that of the module.
 */
struct TraceBytes
{
    std::string bytes; //!< the message so far

    /**
     * @param id of the node
     * @param type number of a NodeType: 1 METADATA, 2 MEM_LOAD, 4 COMP, 5 SEND, 6 RECV, 7 COLL
     * @param after ids of data dependencies
     */
    TraceBytes(uint64_t id, uint64_t type, const std::vector<uint64_t>& after = {})
        : bytes(EncodeField(1, id) + EncodeField(2, "node" + std::to_string(id)) +
                EncodeField(3, type))
    {
        std::string packed;
        for (const uint64_t one : after)
        {
            packed += ToVarint(one);
        }
        bytes += EncodeField(5, packed);
    }

    /// Add a field. @return the node
    template <typename T>
    TraceBytes& Add(uint32_t field, const T& value)
    {
        bytes += EncodeField(field, value);
        return *this;
    }

    /// Add an attribute. @param type number of the type in AttributeProto @return the node
    template <typename T>
    TraceBytes& Set(const std::string& name, uint32_t type, const T& value)
    {
        return Add(10, EncodeField(1, name) + EncodeField(type, value));
    }
};

/// @return a computation of the GPU
inline TraceBytes
TraceComputation(uint64_t id, uint64_t micros, const std::vector<uint64_t>& after = {})
{
    return TraceBytes(id, 4, after).Add(7, micros);
}

/// @return a collective. @param type value of comm_type
inline TraceBytes
TraceCollective(uint64_t id,
                uint64_t type,
                uint64_t bytes,
                const std::vector<uint64_t>& after = {},
                const std::string& group = "")
{
    auto node = TraceBytes(id, 7, after).Set("comm_type", 9, type).Set("comm_size", 9, bytes);
    return group.empty() ? node : node.Set("pg_name", 29, group);
}

/// @return one side of a message. @param type 5: Send, 6: Recv
inline TraceBytes
TraceTransfer(uint64_t id,
              uint64_t type,
              uint64_t peer,
              uint64_t tag,
              uint64_t bytes,
              const std::vector<uint64_t>& after = {})
{
    return TraceBytes(id, type, after)
        .Set(type == 5 ? "comm_dst" : "comm_src", 7, peer)
        .Set("comm_tag", 7, tag)
        .Set("comm_size", 9, bytes);
}

/// @return the bytes of a file. @param metadata attributes of GlobalMetadata
inline std::string
EncodeTrace(const std::vector<TraceBytes>& nodes, const std::string& metadata = "")
{
    const std::string first = EncodeField(1, "0.0.4") + metadata;
    std::string file = ToVarint(first.size()) + first;
    for (const TraceBytes& node : nodes)
    {
        file += ToVarint(node.bytes.size()) + node.bytes;
    }
    return file;
}

/// Files of traces in a folder of their own, which is removed in the end.
class TraceFolder
{
  public:
    TraceFolder()
        : m_folder(std::filesystem::temp_directory_path() /
                   ("photonic-rails-traces-" + std::to_string(++Count()) + "-" +
                    std::to_string(reinterpret_cast<uintptr_t>(this))))
    {
        std::filesystem::create_directories(m_folder);
    }

    ~TraceFolder()
    {
        std::error_code error;
        std::filesystem::remove_all(m_folder, error);
    }

    TraceFolder(const TraceFolder&) = delete;
    TraceFolder& operator=(const TraceFolder&) = delete;

    /// @return the prefix of the files
    std::string GetPrefix() const
    {
        return (m_folder / "t").string();
    }

    /// Write a file. @param ending behind the prefix
    void Write(const std::string& ending, const std::string& bytes) const
    {
        std::ofstream(GetPrefix() + ending, std::ios::binary) << bytes;
    }

    /// Write the trace of each rank.
    void WriteRanks(const std::vector<std::vector<TraceBytes>>& ranks) const
    {
        for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        {
            Write("." + std::to_string(rank) + ".et", EncodeTrace(ranks[rank]));
        }
    }

  private:
    /// @return number of folders so far
    static uint32_t& Count()
    {
        static uint32_t count = 0;
        return count;
    }

    std::filesystem::path m_folder;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRACE_BYTES_H
