// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOVERY_JOB_H
#define PHOTONIC_RAILS_RECOVERY_JOB_H

#include "ns3/collective-algorithm.h"
#include "ns3/collective-connector.h"
#include "ns3/process-group.h"
#include "ns3/rank-program.h"
#include "ns3/rdma-queue-pair.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @brief The configuration of a job, known to every GPU, so that a GPU can take over any rank. Made
 * at set-up and never changed.
 */
struct RecoveryJob
{
    /// A group and the algorithms of its collectives.
    struct Group
    {
        ProcessGroup group;
        uint32_t perDomain{1}; //!< ranks of each domain, see GroupShape
        CollectiveAlgorithms algorithms;
    };

    /// Addresses of a GPU's NICs.
    struct Nics
    {
        std::shared_ptr<const RdmaPorts> rail;
        std::shared_ptr<const RdmaPorts> scaleUp; //!< null without a scale-up network
    };

    std::vector<Group> groups;   //!< indices in this list identify groups in connectors
    ConnectorPlan connectors{0}; //!< of all groups
    std::vector<std::shared_ptr<const RankProgram>> programs; //!< by rank
    std::vector<RankBinding> bindings;                        //!< by rank
    std::vector<uint32_t> rails;                              //!< by rank
    std::vector<Nics> nics;                                   //!< by GPU
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_JOB_H
