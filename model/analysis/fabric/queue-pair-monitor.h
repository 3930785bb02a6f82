// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_QUEUE_PAIR_MONITOR_H
#define PHOTONIC_RAILS_QUEUE_PAIR_MONITOR_H

#include "ns3/nstime.h"
#include "ns3/rdma-nic.h"

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief What the queue pairs of NICs have counted, and how long their RDMA Writes took, as XML in
 * the manner of FlowMonitor.
 *
 * Counters are read when the XML is written. Times are heard of by the trace source WriteCompleted
 * of the NIC: a Write is what one queue pair carries of a message. To listen changes no times;
 * bursts end at each Write then, and remain bursts.
 */
class QueuePairMonitor
{
  public:
    /// @param width of the bins of the histograms, above 0
    explicit QueuePairMonitor(Time width);

    /**
     * @brief Listen to a NIC from now on.
     * @param nic a NIC
     * @param node the node that it belongs to
     * @param network the name of the network that it leads to
     */
    void Observe(Ptr<RdmaNic> nic, uint32_t node, const std::string& network);

    /**
     * @brief Write what there is: an element QueuePairMonitor with an element Nic for each NIC,
     * which has an element QueuePair for each queue pair, which has a writeTimeHistogram. Times are
     * in picoseconds. To be called before the simulator is destroyed.
     * @param os where to
     */
    void WriteXml(std::ostream& os) const;

  private:
    /// The Writes of a queue pair.
    struct Writes
    {
        uint64_t delivered{0};
        uint64_t failed{0};
        uint64_t bytes{0}; //!< of those that were delivered
        Time first;        //!< when the first was finished
        Time last;
        Time sum; //!< of the times that delivered ones took
        Time min;
        Time max;
        std::map<int64_t, uint64_t> bins; //!< delivered ones by time over the width of a bin
    };

    /// The Writes of a NIC.
    struct Log
    {
        Time width;                              //!< of bins
        std::map<uint32_t, Writes> ofQueuePairs; //!< by number
    };

    /// A NIC.
    struct Entry
    {
        Ptr<RdmaNic> nic;
        uint32_t node;
        std::string network;
        std::shared_ptr<Log> log; //!< shared with the callback
    };

    /// A Write is finished.
    static void Completed(std::shared_ptr<Log> log,
                          uint64_t bytes,
                          Time elapsed,
                          bool delivered,
                          uint32_t queuePair);
    /// Write the attributes that sum Writes up.
    static void WriteTimes(std::ostream& os, const Writes& writes);
    /// Write the histogram of Writes.
    void WriteHistogram(std::ostream& os, const Writes& writes) const;
    /// Write the element of a NIC.
    void WriteNic(std::ostream& os, const Entry& entry) const;
    /// Write the element of a queue pair.
    void WriteQueuePair(std::ostream& os, const Entry& entry, const RdmaQueuePair& pair) const;
    /// @return the node with a port of that address, or -1
    int64_t FindNode(Mac48Address address) const;

    Time m_width;
    std::vector<Entry> m_entries;
    std::map<Mac48Address, uint32_t> m_nodes; //!< by the address of a port
};

} // namespace ns3

#endif // PHOTONIC_RAILS_QUEUE_PAIR_MONITOR_H
