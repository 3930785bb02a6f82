// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ALGORITHM_LIMITS_H
#define PHOTONIC_RAILS_ALGORITHM_LIMITS_H

#include "ns3/collective-algorithm.h"

#include <string>

namespace ns3
{

/**
 * @brief Reads the algorithms of a job's collectives: KIND=NAME,KIND=NAME such as
 * "AllReduce=tree,AllGather=direct".
 *
 * A + may stand for the comma, for lists whose own values are separated by commas. Algorithms that
 * need a root are not allowed, because the calls of a job name none. For ValueOption.
 */
struct AlgorithmLimits
{
    using Value = CollectiveAlgorithms; //!< the choice

    /**
     * @param text the list
     * @param value gets the choice if the list is right
     * @return an empty string, or a description of the allowed lists
     */
    std::string Read(const std::string& text, CollectiveAlgorithms& value) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ALGORITHM_LIMITS_H
