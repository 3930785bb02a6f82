// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTROLLER_LOG_H
#define PHOTONIC_RAILS_CONTROLLER_LOG_H

#include "ns3/message-server.h"
#include "ns3/nstime.h"
#include "ns3/simple-ref-count.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief What a controller has been told, in the order in which it acted on it: the write-ahead log
 * from which it begins anew after a crash.
 *
 * Think of a disk: it survives the application. A controller is a deterministic state machine fed
 * by messages, so that the same inputs in the same order make the same state and the same outputs.
 * An input is in the log before anything follows from it and before its sender is told that it need
 * not send it again.
 *
 * The log has no limit: it grows by an entry for each message (GetBytes).
 */
class ControllerLog : public SimpleRefCount<ControllerLog>
{
  public:
    /// An input.
    struct Entry
    {
        OpusArrival arrival; //!< the message, whence it came, and where it lay in its stream
        Time at;             //!< when it was acted on
    };

    /**
     * @brief Write an entry.
     * @param arrival what is acted on now
     * @param now the time
     */
    void Append(const OpusArrival& arrival, Time now);

    /// @return all entries, the oldest first
    const std::vector<Entry>& GetEntries() const;

    /// @return bytes of all entries as they would be on a disk: the messages, and what is beside
    uint64_t GetBytes() const;

    /// @return number of the controller's life, from 0
    uint32_t GetEpoch() const;
    /// @param epoch number of a new life, higher than that before
    void SetEpoch(uint32_t epoch);

  private:
    std::vector<Entry> m_entries;
    uint64_t m_bytes{0};
    uint32_t m_epoch{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONTROLLER_LOG_H
