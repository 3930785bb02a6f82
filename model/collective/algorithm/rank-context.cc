// SPDX-License-Identifier: GPL-2.0-only

#include "rank-context.h"

#include "ns3/assert.h"

namespace ns3
{

uint64_t
GetTensorBytes(CollectiveKind kind, uint32_t size, uint64_t bytes)
{
    return kind == CollectiveKind::ALL_GATHER ? size * bytes : bytes;
}

uint64_t
GetInputBytes(CollectiveKind kind, uint32_t size, uint64_t tensorBytes)
{
    NS_ASSERT_MSG(size > 0, "a group without ranks");
    return kind == CollectiveKind::ALL_GATHER ? tensorBytes / size : tensorBytes;
}

double
RankContext::GetTensor() const
{
    return static_cast<double>(GetTensorBytes(call.kind, shape.size, call.bytes));
}

} // namespace ns3
