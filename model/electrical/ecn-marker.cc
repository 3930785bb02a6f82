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
    const std::string error = Check(kmin, kmax, pmax);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
}

std::string
EcnMarker::Check(uint64_t kmin, uint64_t kmax, double pmax)
{
    if (kmin > kmax)
    {
        return "Kmin is " + std::to_string(kmin) + " bytes, above Kmax of " + std::to_string(kmax);
    }
    if (!(pmax >= 0 && pmax <= 1))
    {
        return "Pmax is a probability, not " + std::to_string(pmax);
    }
    return "";
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
