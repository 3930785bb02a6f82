// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FIND_APPLICATION_H
#define PHOTONIC_RAILS_FIND_APPLICATION_H

#include "ns3/application.h"
#include "ns3/node.h"

namespace ns3
{

/**
 * @tparam T a class of applications
 * @param node a node
 * @return the first application of that class on it, or null
 */
template <typename T>
Ptr<T>
FindApplication(Ptr<Node> node)
{
    for (uint32_t i = 0; i < node->GetNApplications(); ++i)
    {
        if (auto application = DynamicCast<T>(node->GetApplication(i)))
        {
            return application;
        }
    }
    return nullptr;
}

} // namespace ns3

#endif // PHOTONIC_RAILS_FIND_APPLICATION_H
