// SPDX-License-Identifier: GPL-2.0-only

// A circuit policy with a connectivity provider of its own: a rotor whose GPUs know the clock of
// the switches and stop sending shortly before the end of each slot, so that no packet is lost. The
// program is photonic-rails-training with one more name for --policy; copied into scratch/, the
// file is a program, too. Example: photonic-rails-extend-provider --policy=guarded-rotor

#include "ns3/photonic-rails-module.h"

#include <map>
#include <set>
#include <vector>

using namespace ns3;

/// Lets the calls of one GPU send while circuits carry light, except in the guard time before the
/// light ends. Providers of different GPUs need no messages: each knows the clock of the rotors.
class GuardedProvider : public ConnectivityProvider
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("GuardedProvider")
                .SetParent<ConnectivityProvider>()
                .SetGroupName("PhotonicRails")
                .AddConstructor<GuardedProvider>()
                .AddAttribute("GuardTime",
                              "No packet is sent for this time before circuits end: at least a "
                              "round trip and the time of a packet.",
                              TimeValue(MicroSeconds(5)),
                              MakeTimeAccessor(&GuardedProvider::m_guard),
                              MakeTimeChecker(Time(0)));
        return tid;
    }

    /// Circuits are dark for a switching time, then carry light for a slot, and so on from time 0.
    void SetSlots(Time switching, Time slot)
    {
        m_switching = switching;
        m_slot = slot;
    }

    // A Recv is granted like any other call: no lease is held, so nobody waits for its end.
    void Request(const ProcessGroup& group,
                 const CollectiveCall& /* call */,
                 Callback<void> granted) override
    {
        ++m_calls[group.id];
        if (GetPhase() < m_slot - m_guard && m_stopped.empty())
        {
            Schedule(m_slot - m_guard, &GuardedProvider::Stop);
            granted();
            return;
        }
        Schedule(m_slot + m_switching, &GuardedProvider::Go);
        m_waiting.push_back(granted);
    }

    void Release(const ProcessGroup& group, const CollectiveCall& /* call */) override
    {
        if (--m_calls[group.id] == 0)
        {
            m_calls.erase(group.id);
        }
    }

    // For the report on a job that does not end.
    Wait DescribeWait(const ProcessGroup&, const CollectiveCall&) const override
    {
        return {"waits for the next slot", {}};
    }

  protected:
    void DoDispose() override
    {
        m_event.Cancel();
        m_waiting.clear();
        ConnectivityProvider::DoDispose();
    }

  private:
    /// @return the time since circuits began to carry light
    Time GetPhase() const
    {
        const int64_t period = (m_slot + m_switching).GetTimeStep();
        return TimeStep((Simulator::Now() + m_slot).GetTimeStep() % period);
    }

    /// Schedule an event at a phase, unless one is scheduled. Without calls nothing is scheduled,
    /// so that the simulation ends.
    void Schedule(Time phase, void (GuardedProvider::*event)())
    {
        if (m_event.IsExpired() && !m_calls.empty())
        {
            m_event = Simulator::Schedule(phase - GetPhase(), event, this);
        }
    }

    /// The guard time begins: groups with calls stop at the next packet boundary.
    void Stop()
    {
        for (const auto& [group, calls] : m_calls)
        {
            m_stopped.insert(group);
            m_traffic.suspend(group, MakeCallback(&GuardedProvider::Drained, this));
        }
        Schedule(m_slot + m_switching, &GuardedProvider::Go);
    }

    /// All packets of a stopped group are acknowledged: the rotor does not ask for it.
    void Drained()
    {
    }

    /// Circuits carry light again.
    void Go()
    {
        for (const uint32_t group : m_stopped)
        {
            m_traffic.resume(group);
        }
        m_stopped.clear();
        std::vector<Callback<void>> waiting;
        waiting.swap(m_waiting); // a call that is granted may lead to further requests
        for (const auto& granted : waiting)
        {
            granted();
        }
        Schedule(m_slot - m_guard, &GuardedProvider::Stop);
    }

    Time m_guard;
    Time m_switching;
    Time m_slot;
    std::map<uint32_t, uint32_t> m_calls; // that are not over, by group
    std::set<uint32_t> m_stopped;
    std::vector<Callback<void>> m_waiting;
    EventId m_event;
};

NS_OBJECT_ENSURE_REGISTERED(GuardedProvider);

/// A rotor that loses no light.
class GuardedRotorPolicy : public CircuitPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("GuardedRotorPolicy")
                                .SetParent<CircuitPolicy>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<GuardedRotorPolicy>();
        return tid;
    }

    std::string GetName() const override
    {
        return "guarded-rotor";
    }

    std::string Describe() const override
    {
        return "in turn, with guard times";
    }

    // --slotTime has an effect.
    bool HasSlots() const override
    {
        return true;
    }

    std::string Check(const CircuitJob& job, const LightPathCheck& lightPaths) const override
    {
        return lightPaths.CheckRotation(job.domains);
    }

    std::function<void()> Install(RailCluster& cluster,
                                  OpusHelper& /* opus */,
                                  const CircuitJob& job) const override
    {
        RotorHelper helper;
        helper.SetSlotTime(job.slotTime);
        helper.SetPortRate(job.portRate);
        const ApplicationContainer rotors = helper.Install(cluster);
        TimeValue slot;
        rotors.Get(0)->GetAttribute("SlotTime", slot);
        for (uint32_t gpu = 0; gpu < cluster.GetNAllGpus(); ++gpu)
        {
            auto provider = CreateObject<GuardedProvider>();
            provider->SetSlots(cluster.GetOcs(0)->GetSwitchingTime(), slot.Get());
            cluster.GetGpu(gpu)->AggregateObject(provider);
        }
        return [rotors] { // rotors run forever unless finished
            for (uint32_t i = 0; i < rotors.GetN(); ++i)
            {
                DynamicCast<RotorScheduler>(rotors.Get(i))->Finish();
            }
        };
    }
};

NS_OBJECT_ENSURE_REGISTERED(GuardedRotorPolicy);

int
main(int argc, char* argv[])
{
    return RunNamedProgram(argc, argv, __FILE__);
}
