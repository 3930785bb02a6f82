// SPDX-License-Identifier: GPL-2.0-only

#include "end-of-run.h"

#include "ns3/map-scheduler.h"
#include "ns3/object-factory.h"
#include "ns3/simulation-singleton.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <vector>

namespace ns3
{

namespace
{

/// The functions to call at the end of a simulation.
class EndFunctions
{
  public:
    EndFunctions()
    {
        Simulator::ScheduleDestroy(&EndFunctions::Run, this);
    }

    /// Call all functions.
    void Run()
    {
        for (const auto function : functions)
        {
            function();
        }
    }

    std::vector<EndOfRun::Function> functions;
};

/// Counts the events that are moved to it.
class EventCounter : public MapScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::EventCounter").SetParent<MapScheduler>().AddConstructor<EventCounter>();
        return tid;
    }

    void Insert(const Event& event) override
    {
        s_inserted += event.impl->IsCancelled() ? 0 : 1;
        MapScheduler::Insert(event);
    }

    static uint64_t s_inserted; //!< static, because the simulator creates the object
};

uint64_t EventCounter::s_inserted = 0;

} // namespace

void
EndOfRun::Open()
{
    SimulationSingleton<EndFunctions>::Get();
}

void
EndOfRun::Add(Function function)
{
    auto& functions = SimulationSingleton<EndFunctions>::Get()->functions;
    if (std::find(functions.begin(), functions.end(), function) == functions.end())
    {
        functions.push_back(function);
    }
}

void
EndOfRun::Remove(Function function)
{
    auto& functions = SimulationSingleton<EndFunctions>::Get()->functions;
    functions.erase(std::remove(functions.begin(), functions.end(), function), functions.end());
}

uint64_t
EndOfRun::CountEvents()
{
    EventCounter::s_inserted = 0;
    ObjectFactory factory;
    factory.SetTypeId(EventCounter::GetTypeId());
    Simulator::SetScheduler(factory);
    return EventCounter::s_inserted;
}

} // namespace ns3
