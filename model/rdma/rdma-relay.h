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
 * @brief A GPU's part in messages between two others that have no way to each other: it passes them
 * on.
 *
 * On rails of circuits that stay, GPUs forward messages for those between which there is no
 * circuit, over as many hops as it takes. And
 * NCCL 2.12 has PXN (PCI x NVLink): a GPU hands a message for another rail to the GPU of its
 * scale-up domain that is on that rail, and that one sends it on. Aggregated to the node of the GPU
 * in the middle.
 *
 * A path leads from one connection to another. Each piece that arrives in full on the first is
 * posted on the second with the same immediate value, so the destination cannot tell who sent it.
 * When it has been acknowledged there, or has failed, the relay reports it to the source by a
 * message on the first connection, again with the same immediate value. If another relay follows,
 * it hands back that one's report instead. So the source learns of delivery end to end, from
 * packets only.
 *
 * The relay keeps a piece from its arrival until it has been acknowledged. It sets no bound of its
 * own: the source keeps at most so many pieces unreported (see RelayLane). Passing on takes the GPU
 * no simulated time.
 *
 * If the first connection dies while all its pieces have been acknowledged to the source but not
 * yet reported, the source is never told; like the loss of a whole node, that is for a watchdog.
 */
class RdmaRelay : public Object
{
  public:
    static TypeId GetTypeId();

    RdmaRelay();
    ~RdmaRelay() override;

    /// Size of a report of a piece that was delivered: the immediate value says it all.
    static constexpr uint64_t DELIVERED_BYTES = 0;
    /// Size of a report of a piece that was not delivered: an error code.
    static constexpr uint64_t FAILED_BYTES = 4;

    /// What has been passed on.
    struct Statistics
    {
        uint64_t pieces{0};            //!< delivered at the next place
        uint64_t bytes{0};             //!< of these
        uint64_t failedPieces{0};      //!< reported to the source as failed
        uint64_t bytesBuffered{0};     //!< in memory now
        uint64_t peakBytesBuffered{0}; //!< in memory at most
    };

    /// Where a path leads from here.
    enum Onward
    {
        DESTINATION, //!< to who is meant
        RELAY,       //!< to another relay
    };

    /**
     * @brief Pass on what arrives on one connection over another; neither is used for anything
     * else at this end.
     * @param from from the source or the relay before this one, over a single queue pair
     * @param to to the destination or the relay after this one
     * @param onward which of the two
     */
    void AddPath(Ptr<RdmaConnection> from, Ptr<RdmaConnection> to, Onward onward = DESTINATION);

    /// @return the sums over all paths
    const Statistics& GetStatistics() const;

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

    /// A piece has arrived from the source.
    void Arrived(Path* path, uint32_t immediate, uint64_t bytes);
    /// A piece has been acknowledged at the next place, or has failed.
    void PassedOn(Path* path, uint32_t immediate, bool delivered);
    /// The relay after this one reports a piece.
    void Reported(Path* path, uint32_t immediate, uint64_t bytes);

    std::vector<std::unique_ptr<Path>> m_paths;
    Statistics m_statistics;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RDMA_RELAY_H
