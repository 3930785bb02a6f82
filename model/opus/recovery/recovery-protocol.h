// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOVERY_PROTOCOL_H
#define PHOTONIC_RAILS_RECOVERY_PROTOCOL_H

#include "ns3/opus-message.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The working GPUs, and their assignment to ranks when others fail. A pure class.
 *
 * GPUs are numbered. The job starts on the GPUs with numbers below the number of ranks; the others
 * are spares.
 */
class SparePool
{
  public:
    /// Replacement of lost GPUs.
    enum Policy
    {
        IN_DOMAIN, //!< by a spare in the same scale-up domain
        ON_RAIL,   //!< by a spare of another domain on the same rail, behind the fabric
        MIGRATION, //!< all ranks move to an idle rack: as many domains in a row as the job has
    };

    /// Location of a GPU.
    struct Place
    {
        uint32_t domain{0};           //!< its scale-up domain
        std::optional<uint32_t> rail; //!< its rail; none if its fibers can be switched to any rail
    };

    /// GPU of each rank.
    using Map = std::vector<uint32_t>;

    SparePool() = default;

    /**
     * @param policy replacement policy
     * @param places locations of all GPUs, those of the ranks first
     * @param ranks number of ranks of the job
     */
    SparePool(Policy policy, const std::vector<Place>& places, uint32_t ranks);

    /**
     * @brief Mark a GPU as lost.
     * @param gpu number of the GPU
     * @return false if the GPU was already lost
     */
    bool Lose(uint32_t gpu);

    /**
     * @param gpu a GPU
     * @return true if it works
     */
    bool IsWorking(uint32_t gpu) const
    {
        return gpu < m_works.size() && m_works[gpu];
    }

    /// @return the GPUs that work, in order
    std::vector<uint32_t> GetWorking() const;

    /// @return the number of GPUs
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(m_places.size());
    }

    /// @return the number of working spares without a rank
    uint32_t CountSpares(const Map& map) const;

    /**
     * @brief Replace lost GPUs.
     * @param map GPUs of the ranks, updated; unchanged if there is an error
     * @return an empty string, or the missing resource
     */
    std::string Replace(Map& map) const;

  private:
    std::optional<uint32_t> FindSpare(const Map& map, uint32_t rank) const;
    std::string Migrate(Map& map) const;
    /// @return true if some consecutive domains have no ranks and all their GPUs work
    bool IsIdle(const Map& map, uint32_t firstDomain, uint32_t domains) const;

    Policy m_policy{IN_DOMAIN};
    std::vector<Place> m_places;
    std::vector<bool> m_works;
    uint32_t m_ranks{0};
};

/**
 * @param policy a policy
 * @return the name of the policy
 */
std::string ToString(SparePool::Policy policy);

/**
 * @brief The messages of a recovery coordinator: how a job continues without a lost GPU.
 *
 * A pure state machine. When a host reports the loss of a GPU with a rank, a new generation of the
 * job begins:
 * 1. STOP to all working GPUs. The GPUs leave their groups and answer STOPPED, with the number of
 *    iterations that their rank has ended and the numbers of their next queue pairs.
 * 2. REPLACE to the controller of the fabric, if there is one. The controller plans circuits for
 *    the GPUs that now have ranks, and answers REPLACED.
 * 3. RESUME to the GPUs with ranks: the GPU of every rank, and the iteration after the last one
 *    that all ranks have ended. The GPUs make their communicators and answer READY.
 * 4. GO to the same GPUs, when all are ready.
 *
 * If another GPU is lost meanwhile, the next generation begins with step 1. The protocol ignores
 * answers of older generations, so it never waits for an outdated answer. If there are not enough
 * spares, all working GPUs receive GIVE_UP, and the protocol ends.
 */
class RecoveryProtocol
{
  public:
    /// State of a recovery.
    enum State
    {
        RUNNING,   //!< ranks run; there is no recovery
        STOPPING,  //!< GPUs leave their groups
        REPLACING, //!< the controller plans circuits
        RESUMING,  //!< GPUs make communicators
        FAILED,    //!< the job has failed
    };

    /// A message and its receiver.
    struct Output
    {
        std::optional<uint32_t> gpu; //!< receiver; none for the controller
        OpusMessage message;         //!< the message
    };

    using Outputs = std::vector<Output>;

    /// Value for a GPU without a rank.
    static constexpr uint32_t NO_RANK = 0xffffffff;

    /// Largest number of generations of a job, so that the numbers of leases suffice.
    static constexpr uint64_t MAX_GENERATIONS = 200;

    RecoveryProtocol() = default;

    /**
     * @param job number of the job
     * @param pool all GPUs
     * @param ranks number of ranks; rank i starts on GPU i
     * @param hasController true if the fabric has a controller
     */
    RecoveryProtocol(uint32_t job, const SparePool& pool, uint32_t ranks, bool hasController);

    /**
     * @brief Handle the loss of a GPU.
     * @param gpu number of the GPU
     * @param iterations iterations that its rank had ended, as reported by the host; of no
     * importance unless ranks last ran on the GPU
     * @return messages to send
     */
    Outputs Lose(uint32_t gpu, uint32_t iterations);

    /**
     * @brief Handle the answer of a GPU or of the controller.
     * @param message OpusStopped, OpusReplaced or OpusReady; other types are ignored
     * @return messages to send
     */
    Outputs Receive(const OpusMessage& message);

    /// @return the number of the job
    uint32_t GetJob() const
    {
        return m_job;
    }

    /// @return the state of the recovery
    State GetState() const
    {
        return m_state;
    }

    /// @return the answers that a recovery waits for, as text; empty without a recovery
    std::string DescribeWait() const;

    /// @return the number of restarts of the job so far, interrupted restarts included
    uint64_t GetGeneration() const
    {
        return m_generation;
    }

    /// @return the GPU of each rank; during a recovery, the GPU after the recovery
    const SparePool::Map& GetMap() const
    {
        return m_map;
    }

    /// @return the iteration with which the job continues, or last continued
    uint32_t GetIteration() const;

    /// @return the GPUs of the ranks, for a controller that has lost its memory
    OpusReplace MakeReplace() const;

    /// @return the reason of the failure; empty unless the job has failed
    const std::string& GetFailure() const
    {
        return m_failure;
    }

    /// @return true if the fabric has a controller that plans circuits
    bool HasController() const
    {
        return m_hasController;
    }

    /// @return the number of spares left
    uint32_t CountSpares() const
    {
        return m_pool.CountSpares(m_map);
    }

  private:
    /// Numbers of the next queue pairs of a GPU.
    struct Numbers
    {
        uint32_t rail{0};
        uint32_t scaleUp{0};
    };

    /// @return a message of the job's generation to each of some GPUs
    template <typename T>
    Outputs SendTo(const std::vector<uint32_t>& gpus, T message) const;
    Outputs Stop();
    Outputs Fail(const std::string& reason);
    Outputs ReceiveStopped(const OpusStopped& message);
    Outputs Replace();
    Outputs Resume();
    Outputs Go();
    /// @return the rank that a map has on a GPU, or NO_RANK
    static uint32_t FindRank(const SparePool::Map& map, uint32_t gpu);

    uint32_t m_job{0};
    SparePool m_pool;
    bool m_hasController{false};
    State m_state{RUNNING};
    uint64_t m_generation{0};
    SparePool::Map m_map;
    SparePool::Map m_ran;               //!< GPUs of the ranks when all ran last
    std::vector<uint32_t> m_iterations; //!< number of iterations ended, by rank
    std::vector<Numbers> m_numbers;     //!< by GPU
    std::set<uint32_t> m_waiting;       //!< GPUs whose answer is outstanding
    std::string m_failure;
};

/**
 * @param state state of a recovery
 * @return the name of the state
 */
std::string ToString(RecoveryProtocol::State state);

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_PROTOCOL_H
