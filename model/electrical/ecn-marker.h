// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ECN_MARKER_H
#define PHOTONIC_RAILS_ECN_MARKER_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief Which share of the packets that find a queue of some depth are marked with Congestion
 * Experienced: none up to Kmin, from there linearly up to Pmax at Kmax, all above.
 *
 * The curve of RED (Floyd and Jacobson, IEEE/ACM ToN 1993) on the instantaneous depth, as DCQCN
 * uses it (Zhu et al., SIGCOMM 2015).
 */
class EcnMarker
{
  public:
    /// Marks nothing.
    EcnMarker() = default;

    /**
     * @brief Check what the constructor gets.
     * @return an empty string, or one line that says what is wrong: unless kmin <= kmax and
     * 0 <= pmax <= 1
     */
    static std::string Check(uint64_t kmin, uint64_t kmax, double pmax);

    /**
     * @brief Aborts if Check finds something wrong.
     * @param kmin bytes up to which nothing is marked
     * @param kmax bytes above which everything is marked
     * @param pmax share that is marked at kmax
     */
    EcnMarker(uint64_t kmin, uint64_t kmax, double pmax);

    /**
     * @param depth bytes that the packet finds in the queue
     * @return true if marking is possible at all
     */
    bool MayMark(uint64_t depth) const
    {
        return depth > m_kmin;
    }

    /**
     * @param depth bytes that the packet finds in the queue
     * @return probability of a mark
     */
    double GetProbability(uint64_t depth) const;

    /// @return bytes up to which nothing is marked
    uint64_t GetKmin() const;
    /// @return bytes above which everything is marked
    uint64_t GetKmax() const;

  private:
    uint64_t m_kmin{UINT64_MAX};
    uint64_t m_kmax{UINT64_MAX};
    double m_pmax{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ECN_MARKER_H
