// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CHAKRA_INPUT_H
#define PHOTONIC_RAILS_CHAKRA_INPUT_H

#include "chakra-format.h"

#include <cstdint>
#include <functional>
#include <string>

namespace ns3
{

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

} // namespace ns3

#endif // PHOTONIC_RAILS_CHAKRA_INPUT_H
