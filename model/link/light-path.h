// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LIGHT_PATH_H
#define PHOTONIC_RAILS_LIGHT_PATH_H

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>

namespace ns3
{

class EthernetPortNetDevice;

/// Interface of a circuit switch, which counts the bits that are lost at its ports.
class LightLossCounter
{
  public:
    /// The reason for a loss.
    enum LossReason
    {
        NO_CIRCUIT,   //!< the port was dark or switching when the first bit was sent
        CIRCUIT_DOWN, //!< the circuit was dropped while bits were in flight
    };

    /**
     * @brief Count the lost bits of a frame.
     * @param port the port where the light enters the switch
     * @param bits bits that were lost
     * @param reason the reason
     */
    virtual void CountLoss(uint32_t port, uint64_t bits, LossReason reason) = 0;

  protected:
    ~LightLossCounter() = default;
};

/// Interface for notification at the simulated time at which a circuit goes dark.
class LightWatcher
{
  public:
    virtual ~LightWatcher() = default;
    /// The circuit goes dark: bits that enter the switch from now on are lost.
    virtual void LightLost() = 0;
};

/**
 * @brief One direction of a circuit, from the time it carries light until it goes dark.
 *
 * Frames in flight hold a reference. Whether a frame is cut off is decided when it arrives, so a
 * frame causes no event at the switch.
 */
class LightEpoch : public SimpleRefCount<LightEpoch>
{
  public:
    /**
     * @param losses the switch of the circuit; outlives all frames in flight
     * @param entryPort the port where the light enters the switch
     */
    LightEpoch(LightLossCounter* losses, uint32_t entryPort)
        : m_losses(losses),
          m_entryPort(entryPort)
    {
    }

    /// @param bits bits of a frame that were lost because the circuit went dark
    void CountLoss(uint64_t bits) const
    {
        m_losses->CountLoss(m_entryPort, bits, LightLossCounter::CIRCUIT_DOWN);
    }

    /// @return true until the circuit goes dark
    bool IsLit() const
    {
        return m_lit;
    }

    /// @return when the circuit went dark; only meaningful once IsLit() is false
    Time GetDarkSince() const
    {
        return m_darkSince;
    }

    /// @param when the simulated time, which is now, at which the circuit goes dark
    void Extinguish(Time when)
    {
        m_lit = false;
        m_darkSince = when;
        if (m_watcher)
        {
            m_watcher->LightLost();
        }
    }

    /// @param watcher the fast path over the circuit, or null
    void SetWatcher(LightWatcher* watcher)
    {
        m_watcher = watcher;
    }

  private:
    LightLossCounter* m_losses;
    uint32_t m_entryPort;
    bool m_lit{true};
    Time m_darkSince;
    LightWatcher* m_watcher{nullptr};
};

/// The path of light from a transceiver to its receiver.
struct LightPath
{
    EthernetPortNetDevice* receiver{nullptr}; //!< null if the light ends in a dark port
    Time delay;                               //!< propagation delay from end to end
    Ptr<LightEpoch> epoch;                    //!< the circuit; null on a plain fiber
    LightLossCounter* darkAt{nullptr};        //!< the switch where the light ends, or null
    uint32_t darkPort{0};                     //!< the port where the light enters darkAt
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LIGHT_PATH_H
