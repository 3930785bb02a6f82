// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SECONDARY_NIC_H
#define PHOTONIC_RAILS_SECONDARY_NIC_H

#include "ns3/rdma-nic.h"

namespace ns3
{

/**
 * @brief Holds a further NIC of a GPU, aggregated to the node of the GPU.
 *
 * The aggregated RdmaNic of a node is its NIC on the rails, and a node can have only one aggregated
 * object of a class. Each further network therefore has a class derived from SecondaryNic.
 */
class SecondaryNic : public Object
{
  public:
    static TypeId GetTypeId();

    /// @param nic the NIC, with one port
    void SetNic(Ptr<RdmaNic> nic)
    {
        m_nic = nic;
    }

    /// @return the NIC
    Ptr<RdmaNic> GetNic() const
    {
        return m_nic;
    }

  protected:
    void DoDispose() override;

  private:
    Ptr<RdmaNic> m_nic;
};

/// The NIC of a GPU on the network of its scale-up domain.
class ScaleUpNic : public SecondaryNic
{
  public:
    static TypeId GetTypeId();
};

/// The NIC of a GPU on its host, which leads to the network of hosts.
class HostNic : public SecondaryNic
{
  public:
    static TypeId GetTypeId();
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SECONDARY_NIC_H
