// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRACK_FABRIC_H
#define PHOTONIC_RAILS_TRACK_FABRIC_H

#include "ns3/circuit-fabric.h"
#include "ns3/object.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace test
{

/**
 * @brief A small switch that blocks: ports along a row, and a few tracks beside it.
 *
 * A circuit takes the lowest track that is free all the way between its ports, and keeps it. So the
 * circuits that fit depend on the order in which circuits were made, as in real fabrics: with two
 * tracks 0-1 and then 4-5 leave room for one long circuit above them, and so does either alone, but
 * a circuit that was made above another one keeps its higher track when the other is gone.
 *
 * Light takes 1 ns to each track above the row, twice, and 100 ps from port to port, so that all
 * circuits of different tracks or lengths have different delays.
 */
class TrackFabric : public CircuitFabric
{
  public:
    /// By CreateObject only.
    TrackFabric() = default;

    /**
     * @param ports along the row
     * @param tracks beside it
     * @return an idle fabric
     */
    static Ptr<TrackFabric> Make(uint32_t ports, uint32_t tracks)
    {
        auto fabric = CreateObject<TrackFabric>();
        fabric->m_ports = ports;
        fabric->m_tracks = tracks;
        return fabric;
    }

    uint32_t GetPorts() const override
    {
        return m_ports;
    }

    Ptr<CircuitFabric> Copy() const override
    {
        auto copy = Make(m_ports, m_tracks);
        copy->m_trackOf = m_trackOf;
        return copy;
    }

    std::string Change(const CircuitSet& drop, const CircuitSet& make) override
    {
        auto after = m_trackOf;
        for (const Circuit& circuit : drop)
        {
            if (after.erase(Order(circuit)) == 0)
            {
                return Name(circuit) + " is not up";
            }
        }
        for (const Circuit& circuit : make)
        {
            const auto [low, high] = Order(circuit);
            if (high >= m_ports || low == high)
            {
                return Name(circuit) + " has no two ports of this fabric";
            }
            uint32_t track = 0;
            while (track < m_tracks && !IsFree(after, low, high, track))
            {
                ++track;
            }
            if (track == m_tracks || IsTaken(after, low) || IsTaken(after, high))
            {
                return "there is no way for " + Name(circuit);
            }
            after[{low, high}] = track;
        }
        m_trackOf = after;
        return "";
    }

    void Clear() override
    {
        m_trackOf.clear();
    }

    Time GetDelay(const Circuit& circuit) const override
    {
        const auto [low, high] = Order(circuit);
        const uint32_t track = m_trackOf.at({low, high});
        return NanoSeconds(2 * (track + 1)) + PicoSeconds(100 * (high - low));
    }

    double GetLoss(const Circuit& circuit) const override
    {
        return 0.5 * (1 + m_trackOf.at(Order(circuit)));
    }

  private:
    using Span = std::pair<uint32_t, uint32_t>; //!< from the lower port to the higher
    using Tracks = std::map<Span, uint32_t>;    //!< by circuit

    static Span Order(const Circuit& circuit)
    {
        return std::minmax({circuit.a, circuit.b});
    }

    static std::string Name(const Circuit& circuit)
    {
        return "circuit " + std::to_string(circuit.a) + "-" + std::to_string(circuit.b);
    }

    static bool IsTaken(const Tracks& tracks, uint32_t port)
    {
        return std::any_of(tracks.begin(), tracks.end(), [port](const auto& other) {
            return other.first.first == port || other.first.second == port;
        });
    }

    static bool IsFree(const Tracks& tracks, uint32_t low, uint32_t high, uint32_t track)
    {
        return std::none_of(tracks.begin(), tracks.end(), [&](const auto& other) {
            return other.second == track && other.first.first < high && low < other.first.second;
        });
    }

    uint32_t m_ports{0};
    uint32_t m_tracks{0};
    Tracks m_trackOf;
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_TRACK_FABRIC_H
