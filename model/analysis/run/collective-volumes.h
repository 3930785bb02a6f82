// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_VOLUMES_H
#define PHOTONIC_RAILS_COLLECTIVE_VOLUMES_H

#include "ns3/collective-call.h"
#include "ns3/rank-operation.h"
#include "ns3/report-value.h"

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <utility>

namespace ns3
{

/**
 * @file
 * How often and how much a rank communicates: the same keys in the summary of a run and in the
 * description of a job that was not run.
 */

/// How often and how much.
struct CollectiveVolume
{
    uint64_t count{0};
    uint64_t inputBytes{0}; //!< as CollectiveCall counts them
};

/// Kind of collective and the parallelism it serves.
using CollectiveVolumeKey = std::pair<CollectiveKind, Dimension>;

/// Volumes of a rank.
using CollectiveVolumes = std::map<CollectiveVolumeKey, CollectiveVolume>;

/**
 * @brief Count an operation; computation is passed over.
 * @param volumes of the rank
 * @param operation one of its operations
 */
void CountVolume(CollectiveVolumes& volumes, const RankOperation& operation);

/**
 * @param volumes of a rank
 * @return a JSON object: KIND -> count, input_bytes, by_dimension (doc/run-summary.md)
 */
ReportValue MakeJson(const CollectiveVolumes& volumes);

/// @return the keys of that object, with paths that begin behind it
ReportKeys ListVolumeKeys();

/**
 * @brief Write a table for people: a line for each kind and parallelism.
 * @param os where to
 * @param title of the first column
 * @param volumes of a rank
 */
void WriteVolumes(std::ostream& os, const std::string& title, const CollectiveVolumes& volumes);

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_VOLUMES_H
