// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CHAKRA_MESSAGE_H
#define PHOTONIC_RAILS_CHAKRA_MESSAGE_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

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
    void Clear();

    /**
     * @param attribute name of an attribute
     * @return the value; null if the message has no such attribute
     */
    const ChakraValue* Find(const char* attribute) const;
};

/// Reads and writes files of Chakra's messages. The only user of libprotobuf.
class ChakraFile
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

    /**
     * @brief Write messages into a file.
     * @param file name of the file
     * @param next sets the next message and returns true, or returns false at the end; the first
     * message is GlobalMetadata
     * @return false if the file cannot be written
     */
    static bool Write(const std::string& file, const std::function<bool(ChakraMessage&)>& next);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CHAKRA_MESSAGE_H
