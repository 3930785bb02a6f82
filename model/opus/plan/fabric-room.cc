// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-room.h"

namespace ns3
{

namespace
{

/// @return true if the circuits fit after the other circuits are dropped
bool
Fits(const CircuitFabric& fabric,
     const CircuitSet& drop,
     const CircuitSet& give,
     const CircuitSet& make)
{
    CircuitSet gone = drop;
    gone.insert(gone.end(), give.begin(), give.end());
    return fabric.Copy()->Change(gone, make).empty();
}

/// Keep as many circuits of @p give as possible, from index @p first on.
void
Keep(const CircuitFabric& fabric,
     const CircuitSet& drop,
     const CircuitSet& make,
     std::size_t first,
     CircuitSet& give)
{
    for (std::size_t i = first; i < give.size();)
    {
        CircuitSet fewer = give;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (Fits(fabric, drop, fewer, make))
        {
            give = std::move(fewer);
        }
        else
        {
            ++i;
        }
    }
}

} // namespace

FabricRoom
FindFabricRoom(const CircuitFabric& fabric,
               const CircuitSet& drop,
               const CircuitSet& make,
               const CircuitSet& idle,
               const CircuitSet& held)
{
    FabricRoom room;
    if (Fits(fabric, drop, {}, make))
    {
        room.exists = true;
        return room;
    }
    room.give = idle;
    if (!Fits(fabric, drop, room.give, make))
    {
        room.give.insert(room.give.end(), held.begin(), held.end());
        if (!Fits(fabric, drop, room.give, make))
        {
            room.give.clear();
            return room;
        }
        Keep(fabric, drop, make, idle.size(), room.give);
    }
    room.exists = true;
    Keep(fabric, drop, make, 0, room.give);
    return room;
}

std::string
CheckOnIdleFabric(const CircuitFabric& fabric, const CircuitSet& circuits)
{
    const Ptr<CircuitFabric> idle = fabric.Copy();
    idle->Clear();
    return idle->Change({}, circuits);
}

} // namespace ns3
