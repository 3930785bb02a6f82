// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SECONDARY_NIC_H
#define PHOTONIC_RAILS_SECONDARY_NIC_H

#include "ns3/rdma-nic.h"

namespace ns3
{

/**
 * @brief Keeps a NIC of a GPU that is not the one on the rails, aggregated to the GPU's node.
 *
 * What a node is asked for as RdmaNic is its NIC on the rails; a node can have one only. There is a
 * class for each further network, by which a node is asked for that one.
 */
class SecondaryNic : public Object
{
  public:
    static TypeId GetTypeId();

    /// @param nic the NIC, with one port
    void SetNic(Ptr<RdmaNic> nic);
    /// @return the NIC
    Ptr<RdmaNic> GetNic() const;

  protected:
    void DoDispose() override;

  private:
    Ptr<RdmaNic> m_nic;
};

/// A GPU's port into its scale-up domain.
class ScaleUpNic : public SecondaryNic
{
  public:
    static TypeId GetTypeId();
};

/// A GPU's port on its host, and so on the network of hosts.
class HostNic : public SecondaryNic
{
  public:
    static TypeId GetTypeId();
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SECONDARY_NIC_H
