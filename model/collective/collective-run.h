// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_RUN_H
#define PHOTONIC_RAILS_COLLECTIVE_RUN_H

#include "ns3/collective-schedule.h"

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @brief One call in progress on one rank.
 *
 * CollectiveRun posts each send when all receives that the send depends on have arrived and have
 * been taken, see Taker. Reductions take no time in proportion to their size: memory is an order of
 * magnitude faster than the network, and collective libraries reduce while the next data arrives.
 *
 * If the schedule has rounds, the sends of a round wait for StartRound, too. The caller calls it
 * round by round, each when HasSent and HasReceived of the round before are true. Data for a
 * later round is kept.
 *
 * CollectiveRun uses neither the simulator nor a connection. The caller reports arrivals and
 * acknowledgements; CollectiveRun passes sends that may start to a Poster.
 */
class CollectiveRun
{
  public:
    /**
     * Sends one message. It may report back to the run before it returns. Only the last message on
     * a connector has to be reported as acknowledged, as a connector finishes messages in order.
     */
    using Poster = std::function<void(const ScheduledSend&, bool /*last on its connector*/)>;

    /**
     * Takes a message that has arrived in full: sees and reduces it, for which a rank may need
     * time. The caller reports the end by Taken, perhaps before it returns.
     */
    using Taker = std::function<void(const ScheduledReceive&, uint16_t /*transfer id*/)>;

    /**
     * @param schedule the rank's part of the call
     * @param post sends a message
     * @param take takes a message that has arrived; messages are taken at once if it is null
     */
    explicit CollectiveRun(CollectiveSchedule schedule, Poster post, Taker take = nullptr);

    /// Post the sends that depend on nothing. Without effect on a schedule with rounds.
    void Start();

    /// Begin the next round: post its sends that wait for nothing else. There must be one.
    void StartRound();

    /// @return the round that has begun last, or null before the first and without rounds
    const ScheduledRound* GetRound() const
    {
        const auto& rounds = m_schedule.GetRounds();
        return rounds.empty() || m_begun == 0 ? nullptr : &rounds[m_begun - 1];
    }

    /// @return the round that StartRound begins next, or null after the last and without rounds
    const ScheduledRound* GetNextRound() const
    {
        const auto& rounds = m_schedule.GetRounds();
        return m_begun < rounds.size() ? &rounds[m_begun] : nullptr;
    }

    /// @param round one of the schedule's rounds @return bytes that are sent in it, or nothing
    /// without a message
    std::optional<uint64_t> GetRoundSent(const ScheduledRound& round) const;
    /// @param round one of the schedule's rounds @return bytes that are received in it, or nothing
    /// without a message
    std::optional<uint64_t> GetRoundReceived(const ScheduledRound& round) const;

    /// @return true if all sends of the round that has begun last are acknowledged
    bool HasSent() const
    {
        return m_begun == 0 || m_rounds[m_begun - 1].connectors == 0;
    }

    /// @return true if all receives of the round that has begun last have arrived
    bool HasReceived() const
    {
        return m_begun == 0 || m_rounds[m_begun - 1].receives == 0;
    }

    /**
     * @brief Take note of a stripe that has arrived.
     *
     * A message has arrived when the bytes of its stripes add up to its size; one without data,
     * when its one stripe has come.
     *
     * @param transferId which receive it belongs to
     * @param bytes size of the stripe, or of several of one message together
     */
    void StripeArrived(uint16_t transferId, uint64_t bytes);

    /**
     * @brief Go on with the sends that wait for a message, which the rank has taken.
     * @param transferId the receive
     */
    void Taken(uint16_t transferId);

    /// Take note that the last send on a connector has been acknowledged, and all on that connector
    /// before it.
    void SendAcknowledged();

    /// Make no further progress, whatever arrives.
    void Fail()
    {
        m_failed = true;
    }

    /// @return true when all receives have been taken and all sends are acknowledged
    bool HasEnded() const
    {
        return !m_failed && m_receivesLeft == 0 && m_acksLeft == 0;
    }

    /// @return true after Fail
    bool HasFailed() const
    {
        return m_failed;
    }

    /// @return indices in the group of the ranks whose messages are missing, in order; without
    /// those of rounds that have not begun
    std::vector<uint32_t> GetMissingPeers() const;

  private:
    /// The progress of one receive.
    struct Progress
    {
        uint64_t left{0};    //!< bytes that have not arrived
        uint32_t first{0};   //!< where the sends that wait for it begin in m_waiters
        uint32_t waiters{0}; //!< number of sends that wait for it
        bool arrived{false}; //!< in full
    };

    /// The sends on a connector, in a round if there are rounds.
    struct Connector
    {
        uint32_t round{0};
        uint32_t peer{0};
        uint16_t connector{0};
        uint32_t left{0}; //!< not posted yet

        bool operator<(const Connector& other) const
        {
            return std::tie(round, peer, connector) <
                   std::tie(other.round, other.peer, other.connector);
        }
    };

    /// The messages of a round that have not ended.
    struct Round
    {
        uint32_t receives{0};   //!< that have not arrived
        uint32_t connectors{0}; //!< that have not been acknowledged
    };

    /// @return the place in m_rounds of a message; 0 without rounds
    uint32_t FindRound(uint32_t message, uint32_t ScheduledRound::*first) const;
    /// @return the first message after a round
    uint32_t GetEnd(const ScheduledRound& round,
                    uint32_t ScheduledRound::*first,
                    std::size_t messages) const;
    /// @return the sum of the sizes of some messages in a round, or nothing without a message
    template <typename Message>
    std::optional<uint64_t> SumRound(const ScheduledRound& round,
                                     uint32_t ScheduledRound::*first,
                                     const std::vector<Message>& messages) const;
    /// List for each receive the sends that wait for it.
    void IndexWaiters();
    /// Count the sends on each connector.
    void CountConnectors();
    /// Hand a send over, by index.
    void Post(uint32_t index);

    CollectiveSchedule m_schedule;    //!< what is to be done
    Poster m_post;                    //!< how messages are sent
    Taker m_take;                     //!< how messages are taken, or null
    std::vector<Progress> m_progress; //!< by transfer id
    std::vector<uint32_t> m_waiters;  //!< sends by the receive they wait for
    std::vector<uint32_t> m_missing;  //!< per send: receives that it still waits for
    uint32_t m_receivesLeft{0};       //!< receives that have not been taken
    boost::container::small_vector<Connector, 2> m_connectors; //!< in order
    uint32_t m_acksLeft{0}; //!< connectors that have not been acknowledged
    boost::container::small_vector<Round, 1> m_rounds; //!< as many as the schedule's, or one
    uint32_t m_begun{0};                               //!< rounds whose sends may be posted
    bool m_failed{false};                              //!< no further progress
};

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_RUN_H
