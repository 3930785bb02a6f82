// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_AHEAD_H
#define PHOTONIC_RAILS_RDMA_AHEAD_H

#include "ns3/simple-ref-count.h"

#include <cstdint>

namespace ns3
{

class RdmaQueuePair;
class TransceiverNetDevice;

/**
 * @brief Traffic of ports that is computed ahead instead of packet by packet, as long as nothing
 * else comes to these ports.
 *
 * The ports of NICs are its ends. Each of them, and the ports of a switch between them, refers to
 * it and asks it what is going on.
 */
class RdmaAhead : public SimpleRefCount<RdmaAhead>
{
  public:
    virtual ~RdmaAhead() = default;

    /// @return the number of a port among the ends
    virtual uint32_t GetEnd(const TransceiverNetDevice& port) const = 0;
    /// @return true if a queue pair takes part
    virtual bool Has(const RdmaQueuePair& queuePair) const = 0;
    /// @return true if nothing is under way, due or to be sent
    virtual bool IsQuiet() const = 0;
    /// @return true if the port of an end is sending
    virtual bool IsSending(uint32_t end) const = 0;
    /// @return true if a port of the switch between the ends is sending
    virtual bool IsPassing(const TransceiverNetDevice& output) const = 0;

    /**
     * @brief Take what a queue pair has posted; its port decides later in this instant.
     * @return false if that is not for here: the queue pair does not take part, or packets are as
     * good
     */
    virtual bool Posted(const RdmaQueuePair& queuePair) = 0;
    /// The port of an end decides what to send at this instant.
    virtual void Decide(uint32_t end) = 0;
    /**
     * @param port of an end, which takes in what arrives
     * @param now the time, in steps
     * @return true if DeliverDue has to be called for it
     */
    virtual bool IsDue(const TransceiverNetDevice& port, int64_t now) = 0;
    /// Report what has arrived at an end by now.
    virtual void DeliverDue(uint32_t end) = 0;
    /// Bring the counters of all ends up to date.
    virtual void Settle() = 0;
    /// Turn what is under way into packets, and end.
    virtual void Leave() = 0;
    /// End without a trace: the simulation is being torn down.
    virtual void Abandon() = 0;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_AHEAD_H
