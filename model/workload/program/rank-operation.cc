// SPDX-License-Identifier: GPL-2.0-only

#include "rank-operation.h"

namespace ns3
{

std::string
ToString(Dimension dimension)
{
    switch (dimension)
    {
    case Dimension::COMPUTE:
        return "compute";
    case Dimension::TP:
        return "tp";
    case Dimension::FSDP:
        return "fsdp";
    case Dimension::PP:
        return "pp";
    case Dimension::DP:
        break;
    }
    return "dp";
}

} // namespace ns3
