// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_PROTOCOL_H
#define PHOTONIC_RAILS_COLLECTIVE_PROTOCOL_H

#include "collective-algorithm.h"
#include "collective-call.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief The protocol in which NCCL moves the data of a call, as GPUs and proxies pay for it.
 *
 * LL writes a flag beside each 4 bytes, LL128 one of 8 bytes in each 128, Simple waits for fences
 * instead. The fewer the flags, the longer is a step: the time from the arrival of a message to the
 * sends that wait for it, in which a kernel sees the data, reduces it and, towards another node, a
 * proxy posts it. A call also takes a launch.
 *
 * Latencies are the defaults of NCCL's tuning model (src/graph/tuning.cc, NCCL 2.28). Those of a
 * step between nodes include a network's; the simulated network adds its own. Bandwidth is the
 * share of a link that is data: half with LL, 120 of 128 bytes with LL128. NCCL lets LL reach 0.37
 * to 0.39 of NVLink's rate in one node (llMaxBws), 39.0 GB/s a GPU in two nodes and 20.4 in more.
 *
 * Trees reach less: GPUs of a tree take part in a reduction and a broadcast at once. NCCL counts
 * with 0.92 of the rate of rings, a share for each protocol, and a correction by the size of the
 * tensor, which it has from measurements (treeCorrectionFactor).
 *
 * Left out of NCCL's model are the limits of LL128 and trees for each channel, which need the
 * number of channels, and the 1.4 times longer latency of rings with Simple between nodes.
 */
class CollectiveProtocol
{
  public:
    /// Times of a link between two GPUs.
    struct Link
    {
        double step{0};       //!< s from the arrival of a message to the sends that wait for it
        double byte{0};       //!< s for a byte of data, with its flags
        double simpleByte{0}; //!< s for a byte of data without flags, as the network simulates it

        /**
         * @brief Delay a message that the network has brought: flags take time on the link, too.
         * @param free until when the link has been busy, s; moves on
         * @param now the time, s
         * @param bytes of the message
         * @return s until the sends that wait for the message may begin
         */
        double GetDelay(double& free, double now, uint64_t bytes) const;
    };

    /// A call that takes no time but that of its messages.
    CollectiveProtocol() = default;

    /**
     * @brief Choose the protocol that takes the least time, as NCCL does.
     * @param cost of the call
     * @param shape of the group
     * @param rates of its networks; if that between domains and that inside are not known, the
     * protocol takes no time
     * @return the protocol
     */
    static CollectiveProtocol Choose(const CollectiveCost& cost,
                                     const GroupShape& shape,
                                     const CollectiveRates& rates);

    /// @return its name in NCCL, or an empty string if it takes no time
    const char* GetName() const
    {
        return m_name;
    }

    /// @return s that a call takes beside its steps
    double GetLaunch() const
    {
        return m_launch;
    }

    /// @param leavesDomain whether the link leaves the scale-up domain @return the link
    const Link& GetLink(bool leavesDomain) const
    {
        return leavesDomain ? m_network : m_domain;
    }

    /**
     * @param cost of a call
     * @return its time by NCCL's model, in which networks have no latency of their own
     */
    double GetSeconds(const CollectiveCost& cost) const;

  private:
    const char* m_name{""};
    double m_launch{0};
    Link m_domain;  //!< inside a scale-up domain
    Link m_network; //!< between domains
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_PROTOCOL_H
