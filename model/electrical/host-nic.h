// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HOST_NIC_H
#define PHOTONIC_RAILS_HOST_NIC_H

#include "ns3/rdma-nic.h"

namespace ns3
{

/**
 * @brief A GPU's port on its host, and so on the network of hosts, aggregated to the GPU's node.
 *
 * What a node is asked for as RdmaNic is its NIC on the rails; see ScaleUpNic.
 */
class HostNic : public Object
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

} // namespace ns3

#endif // PHOTONIC_RAILS_HOST_NIC_H
