// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_SHIM_CONNECTIVITY_H
#define PHOTONIC_RAILS_OPUS_SHIM_CONNECTIVITY_H

#include "opus-shim.h"

#include "ns3/connectivity-provider.h"

namespace ns3
{

/// The face that the shim shows to the collective library.
class OpusShim::Connectivity : public ConnectivityProvider
{
  public:
    /// @param shim that answers
    explicit Connectivity(OpusShim* shim)
        : m_shim(shim)
    {
    }

    /// The shim is gone.
    void Detach()
    {
        m_shim = nullptr;
        m_traffic = Traffic{};
    }

    /// @return the engine's side of a suspension
    const Traffic& GetTraffic() const
    {
        return m_traffic;
    }

    // Also asked, while groups are joined, on nodes of other processes, which have no shim.
    CollectiveNetwork ChooseNetwork(const ProcessGroup&, const CollectiveCall& call) const override
    {
        return m_rule.Choose({false, true, true}, call);
    }

    /// @param rule says which calls take the network of the hosts
    void SetRule(const NetworkRule& rule)
    {
        m_rule = rule;
    }

    void Request(const ProcessGroup& group,
                 const CollectiveCall& call,
                 Callback<void> granted) override
    {
        if (m_shim)
        {
            m_shim->Request(group, call, granted);
        }
    }

    Wait DescribeWait(const ProcessGroup& group, const CollectiveCall& call) const override
    {
        return {m_shim ? m_shim->DescribeWait(group, call) : "", {}};
    }

    void Release(const ProcessGroup& group, const CollectiveCall& call) override
    {
        if (m_shim)
        {
            m_shim->Release(group, call);
        }
    }

  private:
    OpusShim* m_shim;
    NetworkRule m_rule; //!< of the shim
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_SHIM_CONNECTIVITY_H
