// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RUN_SHARE_H
#define PHOTONIC_RAILS_RUN_SHARE_H

#include "control-share.h"
#include "iteration-log.h"
#include "light-log.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What NICs have counted.
struct RunTraffic
{
    uint64_t packetsSent{0};     //!< data packets, retransmissions included
    uint64_t retransmissions{0}; //!< data packets sent again
    uint64_t bytesPosted{0};     //!< by collectives to RDMA
    uint64_t bytesDelivered{0};  //!< by RDMA in order
    uint64_t bursts{0};          //!< runs of packets that took no events of their own
    uint64_t burstPackets{0};    //!< data packets in them
    uint64_t bytesFailed{0};     //!< posted, and given up before they were acknowledged

    /// @param other what other NICs have counted
    void Add(const RunTraffic& other);
};

/**
 * @brief What one process knows of a run: of its own ranks, NICs and switches.
 *
 * The shares of all processes of a distributed run, or the one share of any other, make its
 * RunSummary.
 */
struct RunShare
{
    IterationLog log;             //!< of its ranks and switches
    RunTraffic rails;             //!< of its NICs on the fabric between domains
    RunTraffic scaleUp;           //!< of its NICs on scale-up networks
    RunTraffic hosts;             //!< of its NICs on hosts
    uint64_t packetsLostAtOcs{0}; //!< frames that lost light at its switches
    LightLog light;               //!< at its switches
    uint64_t bytesForwarded{0};   //!< that its GPUs have passed on
    ControlShare control;         //!< of its controllers
    uint64_t events{0};           //!< simulator events
    double setupCpuSeconds{0};    //!< CPU time until the simulator ran
    double cpuSeconds{0};         //!< CPU time while it ran
    uint64_t peakRssBytes{0};     //!< peak memory of the process
    /// Why its ranks have not ended, in lines; empty if they have.
    std::vector<std::string> stall;

    /// @return a text from which FromText makes the same share, picosecond for picosecond
    std::string ToText() const;
    /// @param text of a share @return the share; the program ends if it is none
    static RunShare FromText(const std::string& text);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RUN_SHARE_H
