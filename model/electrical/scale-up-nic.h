// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SCALE_UP_NIC_H
#define PHOTONIC_RAILS_SCALE_UP_NIC_H

#include "ns3/rdma-nic.h"

namespace ns3
{

/**
 * @brief A GPU's port into its scale-up domain, aggregated to the GPU's node.
 *
 * What a node is asked for as RdmaNic is its NIC on the rails; a node can have one only. The second
 * is kept here.
 */
class ScaleUpNic : public Object
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

#endif // PHOTONIC_RAILS_SCALE_UP_NIC_H
