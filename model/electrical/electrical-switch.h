// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ELECTRICAL_SWITCH_H
#define PHOTONIC_RAILS_ELECTRICAL_SWITCH_H

#include "switch-routes.h"

#include "ns3/fifo.h"
#include "ns3/ipv4-address.h"
#include "ns3/mac-client.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/recurring-event.h"
#include "ns3/traced-callback.h"

#include <vector>

namespace ns3
{

class TransceiverNetDevice;

/**
 * @brief A non-blocking, store-and-forward packet switch. Aggregated to the switch's node, whose
 * TransceiverNetDevices are its ports.
 *
 * A frame that has arrived in full is put into the queue of the output port that its IPv4
 * destination leads to, may leave HopLatency later, and leaves in order of arrival. Queues are
 * unbounded: nothing is dropped but frames without a route.
 */
class ElectricalSwitch : public Object, public MacClient
{
  public:
    static TypeId GetTypeId();

    ElectricalSwitch();
    ~ElectricalSwitch() override;

    /**
     * @param device a device of the same node
     * @return the port's number
     */
    uint32_t AddPort(Ptr<TransceiverNetDevice> device);

    /**
     * @brief Send what is for an address out of a port.
     * @param destination an IPv4 address
     * @param port a port's number
     */
    void AddRoute(Ipv4Address destination, uint32_t port);

    /**
     * @brief Send what is for a range of addresses out of equal-cost ports (ECMP). A hash of IPv4
     * addresses, protocol and UDP ports, seeded with EcmpSeed, chooses one of them for each flow.
     * Aborts if the range overlaps another.
     * @param first lowest IPv4 address
     * @param last highest IPv4 address
     * @param ports numbers of the ports, at least one, each once
     */
    void AddRoute(Ipv4Address first, Ipv4Address last, const std::vector<uint32_t>& ports);

    /// @return frames that were dropped because no route fits
    uint64_t GetUnroutable() const;

    // inherited from MacClient
    Ptr<Packet> NextFrame(TransceiverNetDevice& port) override;
    void Receive(TransceiverNetDevice& port, Ptr<Packet> frame) override;
    void LinkChanged(TransceiverNetDevice& port) override;

    /// TracedCallback signature of a frame and the port it is queued at or dropped from.
    typedef void (*FrameTracedCallback)(Ptr<const Packet> frame, uint32_t port, uint32_t queued);

  protected:
    void DoDispose() override;

  private:
    static constexpr uint32_t NO_PORT = 0xffffffff;

    struct Waiting
    {
        Ptr<Packet> frame;
        Time readyAt; //!< when the pipeline of the switch has let it through
    };

    struct Port
    {
        Ptr<TransceiverNetDevice> device;
        Fifo<Waiting> queue;
        Ptr<RecurringEvent> ready;     //!< the head of the queue may leave
        SwitchRoutes::Route lastRoute; //!< of what came in here: packets come in trains
    };

    /// @return the number of the port that a frame leaves by, or NO_PORT
    uint32_t Classify(Port& input, const Packet& frame) const;
    /// @return the number of a device's port
    uint32_t GetNumber(const TransceiverNetDevice& device) const;

    Time m_hopLatency;
    std::vector<Port> m_ports;
    SwitchRoutes m_routes;
    uint64_t m_ecmpSeed;
    uint32_t m_firstIfIndex{0};
    uint64_t m_unroutable{0};

    TracedCallback<Ptr<const Packet>, uint32_t, uint32_t> m_enqueueTrace;
    TracedCallback<Ptr<const Packet>, uint32_t, uint32_t> m_dequeueTrace;
    TracedCallback<Ptr<const Packet>, uint32_t, uint32_t> m_dropTrace;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ELECTRICAL_SWITCH_H
