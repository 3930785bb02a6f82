// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SPARE_GPU_CABLING_H
#define PHOTONIC_RAILS_SPARE_GPU_CABLING_H

#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Fibres of spare GPUs that can be led to any rail, by a FibreSelector if there are several.
class SpareGpuCabling
{
  public:
    /**
     * @param rails nodes of the optical circuit switches
     * @param fibreFactory makes an OpticalFibreLink
     * @param selectionTime how long the fibres of a GPU are dark when they are led to a rail
     */
    SpareGpuCabling(const NodeContainer& rails,
                    const ObjectFactory& fibreFactory,
                    Time selectionTime);

    /**
     * @brief Cable a spare GPU, and keep ports of all rails for it.
     * @param gpu a node with an RdmaNic
     * @return the OCS ports, by rail and NIC port
     */
    std::vector<std::vector<uint32_t>> Cable(Ptr<Node> gpu) const;

  private:
    NodeContainer m_rails;
    ObjectFactory m_fibreFactory;
    Time m_selectionTime;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SPARE_GPU_CABLING_H
