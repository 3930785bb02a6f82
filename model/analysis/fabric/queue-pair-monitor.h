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
 * @brief Writes the counters of the queue pairs of NICs and the times of their RDMA Writes as XML
 * in the manner of FlowMonitor.
 *
 * Counters are read when the XML is written. Times come from the trace source WriteCompleted of the
 * NIC; a Write is the part of a message on one queue pair. The trace changes no simulated times,
 * but with it a burst ends at each Write.
 */
class QueuePairMonitor
{
  public:
    /// @param width width of the bins of the histograms, above 0
    explicit QueuePairMonitor(Time width);

    /**
     * @brief Observe a NIC from now on.
     * @param nic a NIC
     * @param node the node of the NIC
     * @param network the name of the network of the NIC
     */
    void Observe(Ptr<RdmaNic> nic, uint32_t node, const std::string& network);

    /**
     * @brief Write an element QueuePairMonitor with an element Nic for each NIC, an element
     * QueuePair for each queue pair in it, and a writeTimeHistogram in each of these. Times are in
     * picoseconds. Call before Simulator::Destroy.
     * @param os receives the XML
     */
    void WriteXml(std::ostream& os) const;

  private:
    /// The Writes of a queue pair.
    struct Writes
    {
        uint64_t delivered{0};
        uint64_t failed{0};
        uint64_t bytes{0}; //!< bytes of delivered Writes
        Time first;        //!< completion of the first Write
        Time last;
        Time sum; //!< sum of the times of delivered Writes
        Time min;
        Time max;
        std::map<int64_t, uint64_t> bins; //!< number of delivered Writes, by time / width
    };

    /// The Writes of a NIC.
    struct Log
    {
        Time width;                              //!< width of the bins
        std::map<uint32_t, Writes> ofQueuePairs; //!< by number of the queue pair
    };

    /// A NIC.
    struct Entry
    {
        Ptr<RdmaNic> nic;
        uint32_t node;
        std::string network;
        std::shared_ptr<Log> log; //!< shared with the callback
    };

    /// Record the completion of a Write.
    static void Completed(std::shared_ptr<Log> log,
                          uint64_t bytes,
                          Time elapsed,
                          bool delivered,
                          uint32_t queuePair);
    /// Write the attributes with sums over Writes.
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
