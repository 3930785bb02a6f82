// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CHAKRA_MESSAGE_H
#define PHOTONIC_RAILS_CHAKRA_MESSAGE_H

#include <cstdint>
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

} // namespace ns3

#endif // PHOTONIC_RAILS_CHAKRA_MESSAGE_H
