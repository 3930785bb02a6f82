// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIPELINE_LINKS_H
#define PHOTONIC_RAILS_PIPELINE_LINKS_H

#include "ns3/collective-call.h"
#include "ns3/job-demand.h"
#include "ns3/job-ranks.h"

#include <cstdint>
#include <map>

namespace ns3
{

/**
 * @brief Decides which messages between pipeline stages have circuits beside each other. Pure.
 *
 * The degree of a GPU on circuits is the number of its ports (C1 of the Photonic Rails paper, arXiv
 * 2507.08119, section 3), so a stage can keep circuits to two neighbours, each on half of its
 * ports: the links of a ring. Or it gives all ports to one neighbour at a time, and switches in
 * between. Links pay if a stage saves more time by not switching from one neighbour to the other
 * than its messages take longer on half of the ports. A stage that has other circuits in between,
 * such as those of a collective of its replicas, switches in any case.
 */
class PipelineLinks
{
  public:
    /**
     * @param ranks the ranks of a job
     * @param groups their groups
     * @param terms of leased circuits
     * @return the pairs that use links, each in the direction of its link, by id: pairs of ranks in
     * different domains that only exchange messages, and form lines or rings of three and more
     * ranks
     */
    static std::map<uint32_t, ProcessGroup> Find(const JobRanks& ranks,
                                                 const JobGroups& groups,
                                                 const CircuitTerms& terms);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIPELINE_LINKS_H
