// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_DATA_PATH_H
#define PHOTONIC_RAILS_SWITCH_DATA_PATH_H

#include "switch-buffer.h"
#include "switch-forwarding.h"
#include "switch-queues.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/fast-path.h"
#include "ns3/nstime.h"
#include "ns3/recurring-event.h"

#include <memory>
#include <vector>

namespace ns3
{

/// A port of a switch.
struct SwitchPort
{
    Ptr<EthernetPortNetDevice> device;
    Ptr<RecurringEvent> ready; //!< the first frame of a queue may leave
    Time readyAt;              //!< when `ready` is due, if pending
    uint64_t held{0};          //!< bytes in the memory that the port has received
    uint64_t slackBelow{0}; //!< limit of `held` below which frames that arrive soon cause no pause
    Ptr<FastPath> fastPath; //!< the fast path that computes the traffic of the port, or null
    bool isDown{false};     //!< the port is dark: frames for it are dropped
    EcnMarker marker;
    SwitchQueues queues;
    uint64_t longest{0};  //!< limit of the bytes in the queues while a fast path lasts
    uint64_t reserved{0}; //!< buffer space that the fast path has reserved for the port

    /**
     * @param priorities bit mask of priorities with frames, not 0
     * @return earliest time at which the first frame of one of them may leave
     */
    Time GetNextReady(uint8_t priorities) const;

    /// Let the port choose a frame at a time.
    void WakeAt(const Time& at);
};

/// The state of a switch that both frames and fast paths change.
struct SwitchDataPath : public PortLoads
{
    std::vector<SwitchPort> ports;
    uint32_t firstIfIndex{0}; //!< interface index of port 0; the others follow
    SwitchForwarding forwarding;
    std::unique_ptr<SwitchBuffer> buffer; //!< null until the memory is divided
    Time hopLatency;                      //!< from an input to an idle output

    /// @return the number of a port
    uint32_t GetNumber(const EthernetPortNetDevice& device) const
    {
        return device.GetIfIndex() - firstIfIndex;
    }

    // inherited from PortLoads
    uint64_t GetLoad(uint32_t port) const override;

    /// @return the port of a device
    SwitchPort& GetPort(const EthernetPortNetDevice& device)
    {
        return ports[GetNumber(device)];
    }
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWITCH_DATA_PATH_H
