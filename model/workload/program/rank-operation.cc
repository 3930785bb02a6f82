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

std::string
ToString(RankOperation::Stream stream)
{
    static const char* const NAMES[] =
        {"compute", "tp", "cp", "ep", "fsdp", "dp", "send", "receive"};
    return NAMES[static_cast<std::size_t>(stream)];
}

std::string
ToString(RankOperation::Place place)
{
    static const char* const NAMES[] = {"gpu", "scale-up", "scale-out"};
    return NAMES[static_cast<std::size_t>(place)];
}

} // namespace ns3
