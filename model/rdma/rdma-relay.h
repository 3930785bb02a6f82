// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RDMA_RELAY_H
#define PHOTONIC_RAILS_RDMA_RELAY_H

#include "rdma-connection.h"

#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @brief Forwards messages between two GPUs that have no direct path to each other. RdmaRelay is
 * aggregated to the node of the GPU between them.
 *
 * On rails with static circuits, GPUs forward messages between GPUs without a circuit, over as many
 * hops as necessary. In PXN (PCI x NVLink, NCCL 2.12), a GPU passes a message for another rail to
 * the GPU of its scale-up domain on that rail, which sends the message on.
 *
 * A path leads from one connection to another. The relay posts each piece that arrives in full on
 * the first connection on the second one, with the same immediate value, so the destination cannot
 * distinguish a relayed piece. When the piece has been acknowledged on the second connection, or
 * has failed, the relay reports the piece to the source by a message on the first connection, again
 * with the same immediate value. If another relay follows, the relay forwards the report of that
 * relay instead. The source therefore learns of end-to-end delivery from packets only.
 *
 * The relay buffers a piece from its arrival until the piece has been acknowledged. The buffer has
 * no limit, but the source limits the number of unreported pieces (see RelayConnector). Forwarding
 * takes no simulated time in the GPU.
 *
 * If the first connection fails when the relay has acknowledged all pieces but not yet reported
 * some of them, the source receives no report. As after the loss of a whole node, a watchdog is
 * needed.
 */
class RdmaRelay : public Object
{
  public:
    static TypeId GetTypeId();

    /// Size of the report of a delivered piece: the immediate value is sufficient.
    static constexpr uint64_t DELIVERED_BYTES = 0;
    /// Size of the report of a failed piece: an error code.
    static constexpr uint64_t FAILED_BYTES = 4;

    /// Counters of forwarded pieces.
    struct Statistics
    {
        uint64_t pieces{0};            //!< pieces delivered to the next hop
        uint64_t bytes{0};             //!< bytes delivered to the next hop
        uint64_t failedPieces{0};      //!< pieces reported to the source as failed
        uint64_t bytesBuffered{0};     //!< bytes in the buffer now
        uint64_t peakBytesBuffered{0}; //!< maximum bytes in the buffer
    };

    /// The next hop of a path.
    enum Onward
    {
        DESTINATION, //!< the destination of the messages
        RELAY,       //!< another relay
    };

    /**
     * @brief Forward the messages that arrive on one connection over another. Neither connection
     * may have another use at this end.
     * @param from connection from the source or the previous relay, with a single queue pair
     * @param to connection to the destination or the next relay
     * @param onward whether `to` leads to the destination or to a relay
     */
    void AddPath(Ptr<RdmaConnection> from, Ptr<RdmaConnection> to, Onward onward = DESTINATION);

    /// @return the sums over all paths
    const Statistics& GetStatistics() const
    {
        return m_statistics;
    }

  protected:
    void DoDispose() override;

  private:
    /// From one source to one destination.
    struct Path
    {
        Ptr<RdmaConnection> from;
        Ptr<RdmaConnection> to;
        Onward onward;
        std::multimap<uint32_t, uint64_t> buffered; //!< bytes of pieces, by immediate value
    };

    /// Called when a piece has arrived from the source or the previous relay.
    void Arrived(Path* path, uint32_t immediate, uint64_t bytes);
    /// Called when a piece has been acknowledged by the next hop, or has failed.
    void PassedOn(Path* path, uint32_t immediate, bool delivered);
    /// Called when the next relay reports a piece.
    void Reported(Path* path, uint32_t immediate, uint64_t bytes);

    std::vector<std::unique_ptr<Path>> m_paths;
    Statistics m_statistics;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_RELAY_H
