// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_COMMUNICATOR_H
#define PHOTONIC_RAILS_COLLECTIVE_COMMUNICATOR_H

#include "collective-connector.h"
#include "collective-run.h"
#include "connectivity-provider.h"

#include "ns3/callback.h"
#include "ns3/collective-algorithm.h"
#include "ns3/collective-call.h"
#include "ns3/collective-protocol.h"
#include "ns3/collective-schedule.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @file
 * The state that a CollectiveEngine keeps of each group that its rank has joined. These are plain
 * records: the engine documents and carries out all operations on them.
 */

struct CollectiveCommunicator;
struct CollectiveStream;

/// One call, from the time it is made until it ends.
struct CollectiveCallState
{
    CollectiveCommunicator* communicator; //!< of the group
    CollectiveStream* stream;             //!< in which it runs
    CollectiveCall call;                  //!< as it was made
    uint64_t groupSequence;               //!< calls of this rank on the group before it
    uint64_t streamSequence;              //!< calls in the stream before it
    Callback<void> ended;                 //!< of the caller
    std::unique_ptr<CollectiveRun> run;   //!< null until granted
    Time made;                            //!< when the call was made
    Time asked;                           //!< when the provider was asked last
    Time started;                         //!< when the call was granted
    Time waited;                          //!< from requests to grants

    CollectiveProtocol protocol; //!< in which its data moves
    double busyInside{0};        //!< until when its links in the domain have been busy, s
    double busyOutside{0};       //!< the same of those that leave the domain

    std::unique_ptr<CollectiveRun> prepared; //!< of a call that may have rounds, until granted
    std::optional<CollectiveCall> send;      //!< of the round, as the provider has been asked
    std::optional<CollectiveCall> receive;   //!< of the round, as the provider has been asked
    bool waitsForRound{false};               //!< the round has not been granted
    bool asksForRound{false};                //!< a grant of the round has to wait for both requests
    bool isRoundGranted{false};              //!< while asksForRound

    /// @return the call that the provider has been asked for
    const CollectiveCall& GetAsked() const
    {
        return waitsForRound && send ? *send : waitsForRound && receive ? *receive : call;
    }
};

/// Calls of which one runs at a time.
struct CollectiveStream
{
    uint64_t made{0};                             //!< number of calls made
    uint64_t ended{0};                            //!< number of calls ended
    std::shared_ptr<CollectiveCallState> current; //!< asked for connectivity, or running
    std::deque<std::shared_ptr<CollectiveCallState>> waiting; //!< made after it
    std::map<uint32_t, uint64_t> early; //!< bytes by immediate, before their call runs
};

/// The provider waits until the connectors of a group have drained.
struct CollectiveSuspension
{
    CollectiveCommunicator* communicator; //!< of the group
    uint32_t lanesLeft;                   //!< connectors that have not drained
    Callback<void> drained;               //!< of the provider
};

/// A group as this rank sees it.
struct CollectiveCommunicator
{
    ProcessGroup group;                               //!< ranks in ring order
    uint32_t index{0};                                //!< of this rank
    GroupShape shape;                                 //!< how its ranks lie in domains
    CollectiveAlgorithms algorithms;                  //!< by kind of collective
    std::vector<CollectiveConnectorPlace> connectors; //!< sorted by id, fixed once joined
    bool isLent{false};                               //!< a provider grants what leaves the domain
    bool failed{false};                               //!< a message was not delivered
    uint32_t lost{0};                                 //!< index of its receiver
    std::optional<CollectiveCall> failedCall;         //!< the first that will never end
    bool suspended{false};                         //!< by the provider: its connectors stand still
    CollectiveStream collectives;                  //!< calls of the whole group
    std::map<uint32_t, CollectiveStream> sends;    //!< by index of the peer
    std::map<uint32_t, CollectiveStream> receives; //!< by index of the peer
    std::shared_ptr<CollectiveSuspension>
        suspension; //!< null if not waiting for connectors to drain

    /**
     * @param call a call on this group
     * @return the stream in which it runs
     */
    CollectiveStream& GetStream(const CollectiveCall& call);

    /// @return all streams
    std::vector<CollectiveStream*> GetStreams();

    /**
     * @param call a call on this group
     * @return calls that have been made in its stream
     */
    uint64_t CountCalls(const CollectiveCall& call) const;

    /**
     * @brief Check whether a provider lends the connectivity of a call.
     *
     * A collective needs a grant on all ranks of a group across domains, even on those whose own
     * connectors stay inside: a provider grants a group when all its ranks have asked. A message
     * needs one if it leaves the domain.
     * @param call a call on this group
     * @return true if the call needs a grant
     */
    bool NeedsGrant(const CollectiveCall& call) const;

    /**
     * @param id a connector
     * @return true if this rank has it
     */
    bool HasConnector(const CollectiveConnectorId& id) const;
    /**
     * @param id a connector
     * @return this rank's end of it; aborts if there is none
     */
    const CollectiveConnectorPlace& GetEnd(const CollectiveConnectorId& id) const;

    /// @return the connectors whose circuits a provider lends to the group, and may suspend
    std::vector<CollectiveConnector*> GetLentConnectors() const;

    /**
     * @param call a call on this group
     * @return the network between the ranks that the call connects
     */
    CollectiveNetwork GetNetwork(const CollectiveCall& call) const;

    /**
     * @param end one of the connectors
     * @return the network of the connector
     */
    CollectiveNetwork GetNetwork(const CollectiveConnectorPlace& end) const;

    /**
     * @param call a call on this group
     * @return true if its schedule may have rounds, whose circuits are lent to pairs
     */
    bool MayHaveRounds(const CollectiveCall& call) const;

    /**
     * @param id a connector
     * @return true if its circuits are lent to the two ranks alone, not to the group
     */
    bool IsLentToPair(const CollectiveConnectorId& id) const;
    /**
     * @param peer index of another rank
     * @return true if messages to it take a connector whose circuits are lent to the two ranks
     * alone
     */
    bool IsLentToPair(uint32_t peer) const;

    /**
     * @param call a call on this group
     * @return the link that it takes, if it is a message between neighbours on a ring of more than
     * two ranks that have ports for both neighbours
     */
    RingLink GetLink(const CollectiveCall& call) const;

    /**
     * @param call a call on this group
     * @return an empty string, or why this rank cannot make it
     */
    std::string Check(const CollectiveCall& call) const;
    /**
     * @brief Choose the protocol of a call, from values that are equal on all its ranks.
     * @param call a call on this group that passed its Check
     * @param directions ways round a ring at the same time, 1 or 2
     * @param chunkBytes size of the pieces in which trees and chains pipeline
     * @return the protocol; one that takes no time if the rates of the group are not known
     */
    CollectiveProtocol ChooseProtocol(const CollectiveCall& call,
                                      uint32_t directions,
                                      uint64_t chunkBytes) const;
    /**
     * @param call a call on this group that passed its Check
     * @param sequence calls in its stream before it
     * @param directions ways round a ring at the same time, 1 or 2
     * @param chunkBytes size of the pieces in which trees and chains pipeline
     * @param eagerBytes bytes of a message that halving-doubling sends before its receiver has
     * called
     * @return this rank's part of it
     */
    CollectiveSchedule MakeSchedule(const CollectiveCall& call,
                                    uint64_t sequence,
                                    uint32_t directions,
                                    uint64_t chunkBytes,
                                    uint64_t eagerBytes) const;

    /**
     * @param call a call on this group
     * @param schedule this rank's part of the call
     * @return bytes that this rank passes on for others, see CountForwardedBytes
     */
    uint64_t CountForwarded(const CollectiveCall& call, const CollectiveSchedule& schedule) const;

  private:
    /// @return true if `peer` of a call is its root or its straggler
    bool HasRoot(const CollectiveCall& call) const;
    /// @return the place of a connector among `connectors`, or of the first one after it
    std::vector<CollectiveConnectorPlace>::const_iterator LowerBound(
        const CollectiveConnectorId& id) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_COMMUNICATOR_H
