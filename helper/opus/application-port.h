// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_APPLICATION_PORT_H
#define PHOTONIC_RAILS_APPLICATION_PORT_H

#include "ns3/application.h"
#include "ns3/ptr.h"
#include "ns3/uinteger.h"

#include <cstdint>

namespace ns3
{

/**
 * @param application application with an attribute Port
 * @return its TCP port
 */
inline uint16_t
GetApplicationPort(Ptr<Application> application)
{
    UintegerValue port;
    application->GetAttribute("Port", port);
    return static_cast<uint16_t>(port.Get());
}

} // namespace ns3

#endif // PHOTONIC_RAILS_APPLICATION_PORT_H
