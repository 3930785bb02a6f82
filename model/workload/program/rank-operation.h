// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RANK_OPERATION_H
#define PHOTONIC_RAILS_RANK_OPERATION_H

#include "ns3/collective-call.h"
#include "ns3/device-mesh.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Dimension of parallelism of an operation; reports use the name in lower case.
enum class Dimension : uint8_t
{
    COMPUTE, //!< no communication
    TP,      //!< tensor parallelism, also inside experts
    FSDP,    //!< shards of parameters and gradients
    PP,      //!< between stages
    DP,      //!< whole gradients, and statistics of the step, over ranks with different data
    CP,      //!< context parallelism
    EP,      //!< tokens to experts and back
};

/**
 * @param dimension a dimension
 * @return the name of the dimension in reports
 */
std::string ToString(Dimension dimension);

/**
 * @brief One operation of a rank.
 *
 * An operation starts when the previous operation on its stream and all its dependencies have
 * ended.
 */
struct RankOperation
{
    /// Streams of a rank. Sends and receives have separate streams, since a batch runs both at
    /// once.
    enum Stream : uint8_t
    {
        COMPUTE_STREAM,
        TP_STREAM,
        CP_STREAM,
        EP_STREAM,
        FSDP_STREAM,
        DP_STREAM,
        SEND_STREAM,
        RECV_STREAM,
        STREAMS, //!< number of streams
    };

    /// Resource on which the operation runs.
    enum Place : uint8_t
    {
        GPU,       //!< computation: takes `duration`
        SCALE_UP,  //!< collective inside a scale-up domain: takes `duration`, or runs on the
                   //!< simulated network
        SCALE_OUT, //!< collective across domains: takes the time that the simulated network needs
    };

    Stream stream{COMPUTE_STREAM};
    Place place{GPU};
    Dimension dimension{Dimension::COMPUTE};
    CollectiveKind kind{CollectiveKind::ALL_GATHER}; //!< unless place is GPU
    GroupRole role{GroupRole::TP};                   //!< unless place is GPU
    uint64_t bytes{0};                               //!< input bytes; unless place is GPU
    Ptr<const AllToAllSizes> sizes;     //!< sizes of an AllToAll whose parts differ, or null
    Time duration;                      //!< unless place is SCALE_OUT
    double flops{0};                    //!< FLOPs of a computation
    std::string label;                  //!< label for output: "forward 0 layer 3 attention"
    std::vector<uint32_t> dependencies; //!< indices of earlier operations
};

/**
 * @param stream a stream
 * @return the name of the stream in files: compute, tp, ...
 */
std::string ToString(RankOperation::Stream stream);

/**
 * @param place a place
 * @return the name of the place in files: gpu, scale-up, scale-out
 */
std::string ToString(RankOperation::Place place);

/// A collective, or one side of a transfer, issued by a rank.
struct RankCollective
{
    Dimension dimension{Dimension::TP};
    GroupRole role{GroupRole::TP};
    CollectiveKind kind{CollectiveKind::ALL_GATHER};
    uint64_t bytes{0};              //!< input bytes of the rank
    Ptr<const AllToAllSizes> sizes; //!< sizes of an AllToAll whose parts differ, or null
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RANK_OPERATION_H
