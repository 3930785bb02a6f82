// SPDX-License-Identifier: GPL-2.0-only

#include "ecn-marker.h"

#include "ns3/abort.h"

namespace ns3
{

EcnMarker::EcnMarker(uint64_t kmin, uint64_t kmax, double pmax)
    : m_kmin(kmin),
      m_kmax(kmax),
      m_pmax(pmax)
{
    NS_ABORT_MSG_IF(kmin > kmax, "Kmin is " << kmin << " bytes, above Kmax of " << kmax);
    NS_ABORT_MSG_UNLESS(pmax >= 0 && pmax <= 1, "Pmax is a probability, not " << pmax);
}

double
EcnMarker::GetProbability(uint64_t depth) const
{
    if (depth <= m_kmin)
    {
        return 0;
    }
    if (depth > m_kmax)
    {
        return 1;
    }
    return m_pmax * static_cast<double>(depth - m_kmin) / static_cast<double>(m_kmax - m_kmin);
}

uint64_t
EcnMarker::GetKmin() const
{
    return m_kmin;
}

uint64_t
EcnMarker::GetKmax() const
{
    return m_kmax;
}

} // namespace ns3
