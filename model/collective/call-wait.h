// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CALL_WAIT_H
#define PHOTONIC_RAILS_CALL_WAIT_H

#include "process-group.h"

#include "ns3/collective-call.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// A call that a rank has made and that has not ended, as its engine sees it.
struct CallWait
{
    /// What the engine waits for.
    enum Cause
    {
        GRANT,           //!< its connectivity provider
        DATA,            //!< messages of other ranks
        ACKNOWLEDGEMENT, //!< of what it has sent
        NOTHING,         //!< a message was not delivered: calls of the group never end
    };

    CollectiveCall call;   //!< the call, the first one of its stream
    ProcessGroup group;    //!< of the call
    Cause cause{GRANT};    //!< what it waits for
    uint64_t sequence{0};  //!< calls of this rank in the stream before it
    uint64_t behind{0};    //!< calls of this rank in the stream that wait for it
    bool onHosts{false};   //!< it takes the host network
    bool suspended{false}; //!< the provider has stopped the group's traffic
    /// GRANT: ranks that the provider names; DATA: those whose messages are missing.
    std::vector<uint32_t> peers;
    std::string
        fidelity; //!< in words, by the provider or of a connector that is stuck; may be empty
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CALL_WAIT_H
