// SPDX-License-Identifier: GPL-2.0-only

#include "chakra-format.h"

namespace ns3
{

void
ChakraMessage::Clear()
{
    id = 0;
    type = 0;
    durationMicros = 0;
    name.clear();
    control.clear();
    data.clear();
    attributeCount = 0;
}

const ChakraValue*
ChakraMessage::Find(const char* attribute) const
{
    for (std::size_t i = 0; i < attributeCount; ++i)
    {
        if (attributes[i].name == attribute)
        {
            return &attributes[i].value;
        }
    }
    return nullptr;
}

} // namespace ns3
