// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CHAKRA_OUTPUT_H
#define PHOTONIC_RAILS_CHAKRA_OUTPUT_H

#include "chakra-format.h"

#include <functional>
#include <string>

namespace ns3
{

/// Writes files of Chakra's messages.
class ChakraOutput
{
  public:
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

#endif // PHOTONIC_RAILS_CHAKRA_OUTPUT_H
