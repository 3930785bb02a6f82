// SPDX-License-Identifier: GPL-2.0-only

#include "fault-kind.h"

namespace ns3
{

std::vector<FaultKind>
GetFaultKinds()
{
    return {FaultKind::OCS,
            FaultKind::OCS_PORT,
            FaultKind::NIC_PORT,
            FaultKind::GPU,
            FaultKind::SHIM};
}

std::string
ToString(FaultKind kind)
{
    switch (kind)
    {
    case FaultKind::OCS:
        return "ocs";
    case FaultKind::OCS_PORT:
        return "ocs-port";
    case FaultKind::NIC_PORT:
        return "nic-port";
    case FaultKind::GPU:
        return "gpu";
    case FaultKind::SHIM:
        return "shim";
    }
    return "?";
}

std::optional<FaultKind>
FindFaultKind(const std::string& name)
{
    for (const FaultKind kind : GetFaultKinds())
    {
        if (ToString(kind) == name)
        {
            return kind;
        }
    }
    return std::nullopt;
}

} // namespace ns3
