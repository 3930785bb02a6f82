// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOVERY_PROTOCOL_H
#define PHOTONIC_RAILS_RECOVERY_PROTOCOL_H

#include "spare-pool.h"

#include "ns3/opus-message.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief What a recovery coordinator says to whom: how a job goes on without a GPU that is lost.
 *
 * A pure state machine. When a host has missed a GPU that a rank is on, a new generation of the job
 * begins:
 * 1. STOP to all GPUs that work. They leave their groups and answer STOPPED, with the iterations
 *    that their rank has ended and the numbers that their next queue pairs will have.
 * 2. REPLACE to the controller of the fabric, if there is one: it plans circuits for the GPUs that
 *    ranks are on now, and answers REPLACED.
 * 3. RESUME to the GPUs of ranks: who is where, and that the job goes on after the last iteration
 *    that all ranks have ended. They make their communicators and answer READY.
 * 4. GO to the same, when all are ready.
 *
 * If a GPU is lost meanwhile, the next generation begins with step 1. Answers of an older
 * generation are ignored, so nobody waits for what is void. If there are not enough spares, all are
 * told GIVE_UP, and nothing more happens.
 */
class RecoveryProtocol
{
  public:
    /// How far a recovery has come.
    enum State
    {
        RUNNING,   //!< ranks run; there is no recovery
        STOPPING,  //!< GPUs leave their groups
        REPLACING, //!< the controller plans circuits
        RESUMING,  //!< GPUs make communicators
        FAILED,    //!< the job has failed
    };

    /// A message and its receiver.
    struct Letter
    {
        std::optional<uint32_t> gpu; //!< none: the controller
        OpusMessage message;         //!< what is said
    };

    using Letters = std::vector<Letter>;

    /// In the place of a rank: a GPU that serves none.
    static constexpr uint32_t NO_RANK = 0xffffffff;

    /// Generations of a job, so that the numbers of leases suffice.
    static constexpr uint64_t MAX_GENERATIONS = 200;

    RecoveryProtocol() = default;

    /**
     * @param job number of the job
     * @param pool all GPUs
     * @param ranks of the job, which are on the GPUs of their numbers
     * @param hasController the fabric has a controller
     */
    RecoveryProtocol(uint32_t job, const SparePool& pool, uint32_t ranks, bool hasController);

    /**
     * @brief A GPU is lost.
     * @param gpu which
     * @param iterations that its rank had ended, as its host knows; nothing if no rank was there
     * @return what is to be said
     */
    Letters Lose(uint32_t gpu, std::optional<uint32_t> iterations);

    /**
     * @brief A GPU or the controller has answered.
     * @param message OpusStopped, OpusReplaced or OpusReady; others are ignored
     * @return what is to be said
     */
    Letters Hear(const OpusMessage& message);

    /// @return the number of the job
    uint32_t GetJob() const;
    /// @return how far the recovery has come
    State GetState() const;
    /// @return what a recovery waits for, for people; empty if there is none
    std::string DescribeWait() const;
    /// @return how often the job has begun anew
    uint64_t GetGeneration() const;
    /// @return the GPUs of the ranks, of those to come if there is a recovery
    const SparePool::Map& GetMap() const;
    /// @return the iteration with which the job goes on, or went on the last time
    uint32_t GetIteration() const;
    /// @return why the job has failed; empty if it has not
    const std::string& GetFailure() const;
    /// @return true if the fabric has a controller that plans circuits
    bool HasController() const;
    /// @return spares that are left
    uint32_t CountSpares() const;

  private:
    /// First numbers of the queue pairs that a GPU makes next.
    struct Numbers
    {
        uint32_t rail{0};
        uint32_t scaleUp{0};
    };

    /// @return a message of the job's generation to each GPU that works
    template <typename T>
    Letters TellWorking(T message) const;
    Letters Stop();
    Letters Fail(const std::string& reason);
    Letters HearStopped(const OpusStopped& message);
    Letters Replace();
    Letters Resume();
    Letters Go();
    /// @return the rank on a GPU, or NO_RANK
    uint32_t FindRank(uint32_t gpu) const;

    uint32_t m_job{0};
    SparePool m_pool;
    bool m_hasController{false};
    State m_state{RUNNING};
    uint64_t m_generation{0};
    SparePool::Map m_map;
    std::vector<uint32_t> m_iterations; //!< ended, by rank
    std::vector<Numbers> m_numbers;     //!< by GPU
    std::set<uint32_t> m_waiting;       //!< GPUs whose answer is missing
    std::string m_failure;
};

/**
 * @param state how far a recovery has come
 * @return its name
 */
std::string ToString(RecoveryProtocol::State state);

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_PROTOCOL_H
