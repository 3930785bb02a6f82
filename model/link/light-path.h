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

/// Counts the bits that are lost at a place where light can end: a switch of circuits.
class LightLossCounter
{
  public:
    /// Why light did not get through.
    enum LossReason
    {
        NO_CIRCUIT,   //!< the port was dark or switching when the first bit was sent
        CIRCUIT_DOWN, //!< the circuit was dropped while bits were under way
    };

    /**
     * @param port where the light entered
     * @param bits those of one frame that were lost
     * @param reason why
     */
    virtual void CountLoss(uint32_t port, uint64_t bits, LossReason reason) = 0;

  protected:
    ~LightLossCounter() = default;
};

/// Who has to know at once that a circuit goes dark.
class LightWatcher
{
  public:
    virtual ~LightWatcher() = default;
    /// What enters the switch from now on is lost.
    virtual void LightLost() = 0;
};

/**
 * @brief One direction of a circuit, from the moment it carries light until it goes dark.
 *
 * Frames under way keep a reference, so that what becomes of them is decided when they arrive and
 * nothing has to happen at the switch while they pass.
 */
class LightEpoch : public SimpleRefCount<LightEpoch>
{
  public:
    /**
     * @param losses counts for the switch of the circuit; outlives every frame under way
     * @param entryPort where the light enters
     */
    LightEpoch(LightLossCounter* losses, uint32_t entryPort)
        : m_losses(losses),
          m_entryPort(entryPort)
    {
    }

    /// @return counts what is lost when the circuit goes dark
    LightLossCounter* GetLosses() const
    {
        return m_losses;
    }

    /// @return the port where light enters the switch
    uint32_t GetEntryPort() const
    {
        return m_entryPort;
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

    /// @param when the moment at which the circuit goes dark
    void Extinguish(Time when)
    {
        m_lit = false;
        m_darkSince = when;
        if (m_watcher)
        {
            m_watcher->LightLost();
        }
    }

    /// @param watcher who computes ahead what passes, or null
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

/// Where the light of a transceiver ends up, and after how long.
struct LightPath
{
    EthernetPortNetDevice* receiver{nullptr}; //!< null if the light ends in a dark port
    Time delay;                               //!< propagation from end to end
    Ptr<LightEpoch> epoch;                    //!< the circuit passed; null on a plain fibre
    LightLossCounter* darkAt{nullptr};        //!< the switch where the light ends, if it does
    uint32_t darkPort{0};                     //!< and the port where it entered
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LIGHT_PATH_H
