// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_AHEAD_H
#define PHOTONIC_RAILS_RDMA_AHEAD_H

#include "ns3/ptr.h"
#include "ns3/recurring-event.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <limits>

namespace ns3
{

class RdmaNic;
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

  protected:
    /// When something can be seen at an end next.
    struct Outlook
    {
        Ptr<RecurringEvent> wake;                               //!< at that moment
        int64_t wakeAt{0};                                      //!< when it is due, if pending
        int64_t visibleAt{std::numeric_limits<int64_t>::max()}; //!< or never
    };

    /// @return now, in steps
    static int64_t Now();
    /// @return what has never been scheduled, for an end
    Outlook MakeOutlook(uint32_t end);
    /**
     * @brief Have something happen at an end at some time.
     * @param outlook of the end
     * @param end its number
     * @param port its port
     * @param at the time
     */
    void WakeAt(Outlook& outlook, uint32_t end, const TransceiverNetDevice& port, int64_t at);
    /**
     * @brief The time that an end has been waiting for may have come: the NIC takes in what
     * arrives.
     * @param outlook of the end
     * @param end its number
     * @param port its port
     * @param nic of the port
     * @param ends what is to happen then cannot be computed ahead
     */
    void WakeUp(Outlook& outlook,
                uint32_t end,
                TransceiverNetDevice& port,
                RdmaNic& nic,
                bool ends);

    bool m_over{false}; //!< packets go one by one again

  private:
    /// The time that an end has been waiting for may have come.
    virtual void Woken(uint32_t end) = 0;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_AHEAD_H
