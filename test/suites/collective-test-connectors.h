// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_TEST_CONNECTORS_H
#define PHOTONIC_RAILS_COLLECTIVE_TEST_CONNECTORS_H

#include "ns3/collective-connector.h"
#include "ns3/connectivity-provider.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <deque>
#include <tuple>
#include <vector>

namespace ns3
{

/** A connector that delivers after a delay, in two stripes. */
class DelayConnector : public CollectiveConnector
{
  public:
    /** @param delay one way */
    explicit DelayConnector(Time delay)
        : m_delay(delay)
    {
    }

    void SetCallbacks(SentCallback sent, ReceivedCallback received) override
    {
        m_sent = sent;
        m_received = received;
    }

    void Post(uint64_t bytes, uint32_t immediate, bool signaled) override
    {
        m_waiting.push_back({bytes, immediate, signaled});
        SendWaiting();
    }

    void Pause(Callback<void> drained) override
    {
        m_paused = true;
        m_drained = drained;
        CheckDrained();
    }

    void Resume() override
    {
        m_paused = false;
        m_drained = Callback<void>();
        SendWaiting();
    }

    void Abort() override
    {
        m_paused = true;
        m_waiting.clear();
    }

    /** The other end of the connector. */
    DelayConnector* m_peer{nullptr};
    /** Number of messages that fail from now on. */
    uint32_t m_toFail{0};

  private:
    void SendWaiting()
    {
        while (!m_paused && !m_waiting.empty())
        {
            const auto [bytes, immediate, signaled] = m_waiting.front();
            m_waiting.pop_front();
            ++m_outstanding;
            const bool fails = m_toFail > 0;
            if (fails)
            {
                --m_toFail;
            }
            else
            {
                Simulator::Schedule(m_delay, &DelayConnector::Arrive, m_peer, bytes, immediate);
            }
            Simulator::Schedule(2 * m_delay,
                                &DelayConnector::Sent,
                                this,
                                immediate,
                                !fails,
                                signaled);
        }
    }

    void Arrive(uint64_t bytes, uint32_t immediate)
    {
        if (bytes > 1)
        {
            m_received(immediate, bytes / 2);
        }
        m_received(immediate, bytes > 1 ? bytes - bytes / 2 : bytes);
    }

    void Sent(uint32_t immediate, bool delivered, bool signaled)
    {
        --m_outstanding;
        if (signaled || !delivered)
        {
            m_sent(immediate, delivered);
        }
        CheckDrained();
    }

    void CheckDrained()
    {
        if (m_paused && m_outstanding == 0 && !m_drained.IsNull())
        {
            auto drained = m_drained;
            m_drained = Callback<void>();
            drained();
        }
    }

    Time m_delay;
    SentCallback m_sent;
    ReceivedCallback m_received;
    Callback<void> m_drained;
    bool m_paused{false};
    uint32_t m_outstanding{0};
    std::deque<std::tuple<uint64_t, uint32_t, bool>> m_waiting; //!< bytes, immediate, signaled
};

/** Grants after a delay, counts, and can suspend. */
class TestProvider : public ConnectivityProvider
{
  public:
    CollectiveNetwork ChooseNetwork(const ProcessGroup&, const CollectiveCall& call) const override
    {
        return NetworkRule{m_hostThreshold}.Choose({false, true, true}, call);
    }

    void Request(const ProcessGroup&, const CollectiveCall&, Callback<void> granted) override
    {
        ++m_requests;
        if (m_grantDelay.IsZero())
        {
            granted();
            return;
        }
        Simulator::Schedule(m_grantDelay, &TestProvider::Grant, this, granted);
    }

    void Release(const ProcessGroup&, const CollectiveCall&) override
    {
        ++m_releases;
    }

    /** Suspend a group. */
    void Suspend(uint32_t group)
    {
        m_traffic.suspend(group, MakeCallback(&TestProvider::Drained, this));
    }

    /** Resume a group. */
    void Resume(uint32_t group)
    {
        m_traffic.resume(group);
    }

    Time m_grantDelay{0};
    uint64_t m_hostThreshold{0};
    uint32_t m_requests{0};
    uint32_t m_releases{0};
    std::vector<Time> m_drained;

  private:
    void Grant(Callback<void> granted)
    {
        granted();
    }

    void Drained()
    {
        m_drained.push_back(Simulator::Now());
    }
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_TEST_CONNECTORS_H
