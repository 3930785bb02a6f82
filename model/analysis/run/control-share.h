// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTROL_SHARE_H
#define PHOTONIC_RAILS_CONTROL_SHARE_H

#include "ns3/nstime.h"
#include "ns3/report-value.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// What the controllers of one process, or of all, have done in a run.
struct ControlShare
{
    uint64_t requests{0};         //!< for groups
    uint64_t grants{0};           //!< of groups, of which
    uint64_t cacheHits{0};        //!< needed no switching
    uint64_t commands{0};         //!< to switches
    uint64_t plans{0};            //!< lists of ranks for which circuits were planned
    uint64_t planHits{0};         //!< lists that had been planned before
    uint64_t messages{0};         //!< served by controllers
    uint64_t longestQueue{0};     //!< most messages that one had at once
    Time queued;                  //!< messages waited for the controller, in sum
    Time waitedRanks;             //!< groups waited for the last of their ranks, in sum
    Time waitedPorts;             //!< for their turn on all their ports
    Time waitedLight;             //!< and for light
    uint64_t retransmissions{0};  //!< frames with messages, of all nodes, that were sent again
    uint64_t crashes{0};          //!< of controllers
    uint64_t takeovers{0};        //!< by standbys
    Time down;                    //!< no controller, until the log had been read, in sum
    std::vector<double> upShares; //!< of each cabled port: time with light over that of the run

    /// @param other what other controllers have done
    void Add(const ControlShare& other);
    /// @param rails for which one has counted
    void CountForRails(uint32_t rails);

    /// @return the keys of the summary
    static const ReportTable<ControlShare>& GetTable();
    /// Write lines for people.
    void WriteTable(std::ostream& os) const;
};

/// Name the fields for an archive, see text-archive.h.
template <typename Archive>
void
VisitFields(Archive& archive, ControlShare& share)
{
    archive(share.requests,
            share.grants,
            share.cacheHits,
            share.commands,
            share.plans,
            share.planHits,
            share.messages,
            share.longestQueue,
            share.queued,
            share.waitedRanks,
            share.waitedPorts,
            share.waitedLight,
            share.retransmissions,
            share.crashes,
            share.takeovers,
            share.down,
            share.upShares);
}

} // namespace ns3

#endif // PHOTONIC_RAILS_CONTROL_SHARE_H
