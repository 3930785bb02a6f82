// SPDX-License-Identifier: GPL-2.0-only

#include "rank-operation.h"

namespace ns3
{

std::string
ToString(Dimension dimension)
{
    static const char* const NAMES[] = {"compute", "tp", "fsdp", "pp", "dp", "cp", "ep"};
    return NAMES[static_cast<std::size_t>(dimension)];
}

} // namespace ns3
