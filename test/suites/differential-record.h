// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DIFFERENTIAL_RECORD_H
#define PHOTONIC_RAILS_DIFFERENTIAL_RECORD_H

#include "ns3/electrical-switch.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/rdma-nic.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/// How a scenario is carried out. The result shall not depend on it.
struct RunMode
{
    std::string fidelity{"Packet"}; //!< attribute Detail of all NICs
    bool reversed{false};           //!< what is set up at one instant is set up in reverse order
    bool observed{false};           //!< sinks of traces see all frames, so that none may wait

    /// @return the mode as text
    std::string ToText() const
    {
        return fidelity + (reversed ? " in reverse order" : "") + (observed ? " with traces" : "");
    }

    /// Connect the traces of all ports and switches, if the mode asks for them.
    void Observe() const;
};

/// The events and counters of a run.
class Record
{
  public:
    /// A callback or trace of a node, and its time.
    struct Entry
    {
        int64_t at;       //!< ps
        uint32_t node;    //!< who was told
        std::string text; //!< what
    };

    /**
     * @brief Record an event at the present time.
     * @param node number of the node
     * @param text description of the event
     */
    void Note(uint32_t node, const std::string& text);
    /// @param text something that holds at the end
    void NoteAtEnd(const std::string& text);
    /// @param nic one whose packets count
    void CountPackets(const RdmaNic& nic);

    /**
     * @param name of this record
     * @param other record of the same scenario
     * @param otherName its name
     * @return an empty string, or where the two differ first
     */
    std::string Compare(const std::string& name,
                        const Record& other,
                        const std::string& otherName) const;

    /// @return all of it, a line each
    std::string ToText() const;

    /// @return data packets sent
    uint64_t GetPackets() const
    {
        return m_packets;
    }

    /// @return data packets that travelled in bursts
    uint64_t GetBurstPackets() const
    {
        return m_burstPackets;
    }

    /// @return times that bursts went on amid packets
    uint64_t GetRegions() const
    {
        return m_regions;
    }

    /// @return number of recorded events
    std::size_t GetSize() const
    {
        return m_entries.size();
    }

  private:
    std::vector<Entry> m_entries; //!< in the order of their notes
    std::vector<std::string> m_final;
    uint64_t m_packets{0};
    uint64_t m_burstPackets{0};
    uint64_t m_regions{0};
};

/// @return all counts of a queue pair
std::string ToText(const RdmaQueuePair::Statistics& statistics);
/// @return all counters and states of a NIC, of its ports and of its queue pairs
std::string ToText(const RdmaNic& nic);
/// @return all counts of a switch
std::string ToText(const ElectricalSwitch::Statistics& statistics);
/// @return the losses of a switch
std::string ToText(const OpticalCircuitSwitch& ocs);

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_DIFFERENTIAL_RECORD_H
