// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_BUFFER_H
#define PHOTONIC_RAILS_SWITCH_BUFFER_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The packet memory of a switch: admission of frames by input and priority, and the pauses
 * of link partners.
 *
 * The memory has three parts. Each input and priority has a reserve. Each input has headroom for
 * each lossless priority, for the data that still arrives after a pause. The remaining memory is
 * shared: the frames of an input in a lossless priority may take alpha times the free shared
 * memory, and an output queue of a lossy priority may grow to alpha times the free shared memory
 * (dynamic thresholds: Choudhury and Hahne, IEEE/ACM ToN 1998).
 *
 * A lossless frame beyond the threshold is stored in the headroom and starts a pause. The pause
 * ends when the headroom is empty and the shared memory of the input is ResumeOffset below the
 * threshold, or empty. The headroom is therefore empty at the beginning of each pause.
 */
class SwitchBuffer
{
  public:
    static constexpr uint32_t PRIORITIES = 8;

    /// The division of the memory. Bytes are bytes of frames without FCS, preamble and gap.
    struct Settings
    {
        uint64_t bytes{0};             //!< size of the memory
        uint64_t reservedBytes{0};     //!< reserve of each input and priority
        double alpha{1};               //!< of lossless priorities, above 0
        double lossyAlpha{1};          //!< of lossy priorities, above 0
        uint64_t resumeOffset{0};      //!< hysteresis
        uint8_t losslessPriorities{0}; //!< bit mask
    };

    /// An upper bound of the frames that fast paths keep.
    struct Reserve
    {
        uint64_t bytes{0};   //!< of all frames
        uint64_t longest{0}; //!< of the frames from one input, or of those for one output
    };

    /// The decision about a received frame.
    enum Verdict
    {
        ADMITTED,      //!< stored in the reserve or in the shared part
        IN_HEADROOM,   //!< stored in the headroom
        QUEUE_LIMIT,   //!< dropped: the output queue of a lossy priority is too long
        BUFFER_FULL,   //!< dropped: the shared part is full
        HEADROOM_FULL, //!< dropped: the headroom of a lossless priority is full
    };

    /// The decision about a received frame and its input.
    struct Admission
    {
        Verdict verdict;
        bool pause; //!< the link partner must be paused now
    };

    /**
     * @brief Check a division of the memory.
     * @param settings the division
     * @param headroomBytes headroom of each lossless priority, for each input
     * @return an empty string, or one line with the error
     */
    static std::string Check(const Settings& settings, const std::vector<uint64_t>& headroomBytes);

    /**
     * @brief Create an empty memory. Aborts if Check reports an error.
     * @param settings the division
     * @param headroomBytes headroom of each lossless priority, for each input
     */
    SwitchBuffer(const Settings& settings, const std::vector<uint64_t>& headroomBytes);

    /**
     * @brief Compute the headroom of one lossless priority of a port (IEEE 802.1Qbb annex O): the
     * frame that crosses the threshold, and the data that may arrive after it.
     *
     * The pause frame waits for the end of a transmission, and crosses the fiber. The link partner
     * takes its reaction time and completes the frame that it is sending. The data that it has sent
     * until then crosses the fiber.
     *
     * @param bitsPerSecond line rate
     * @param pathSeconds propagation delay, one way
     * @param frameBytes bytes of the largest frame on the fiber, with FCS, preamble and gap
     * @param reactionSeconds reaction time of the link partner
     * @return bytes
     */
    static uint64_t GetHeadroom(uint64_t bitsPerSecond,
                                double pathSeconds,
                                uint32_t frameBytes,
                                double reactionSeconds);

    /**
     * @param settings the division of the memory
     * @param headroomBytes headroom of each lossless priority, for each input
     * @return bytes of all reserves and all headroom
     */
    static uint64_t GetSetAside(const Settings& settings,
                                const std::vector<uint64_t>& headroomBytes);

    /**
     * @brief Admit or drop a received frame.
     * @param input number of the input port
     * @param priority 0 to 7
     * @param bytes size of the frame
     * @param queueDepth bytes in the output queue of the frame
     * @return the decision
     */
    Admission Admit(uint32_t input, uint8_t priority, uint32_t bytes, uint64_t queueDepth);

    /**
     * @brief Check whether a frame is admitted regardless of the frames that fast paths keep.
     * @param input number of the input port
     * @param priority 0 to 7
     * @param bytes size of the frame
     * @param queueDepth bytes in the output queue of the frame
     * @param elsewhere frames of fast paths, which the memory does not count
     * @return true if Admit would admit the frame with and without the frames of fast paths, and
     * these frames after the frame
     */
    bool IsRoomyFor(uint32_t input,
                    uint8_t priority,
                    uint32_t bytes,
                    uint64_t queueDepth,
                    const Reserve& elsewhere) const;

    /**
     * @param reserve frames of fast paths
     * @return true if Admit would admit these frames and no link partner is paused
     */
    bool IsRoomyFor(const Reserve& reserve) const;

    /**
     * @brief Release the memory of a frame that leaves.
     * @param input number of the input port of the frame
     * @param priority 0 to 7
     * @param bytes size of the frame
     * @return true if the link partner of the input must be resumed now
     */
    bool Release(uint32_t input, uint8_t priority, uint32_t bytes);

    /// @return bytes of an input and priority in the memory
    uint64_t GetHeld(uint32_t input, uint8_t priority) const
    {
        return At(input, priority).held + At(input, priority).headroom;
    }

    /// @return bytes of an input and priority in the headroom
    uint64_t GetHeadroomUsed(uint32_t input, uint8_t priority) const
    {
        return At(input, priority).headroom;
    }

    /// @return true between pause and resume
    bool IsPaused(uint32_t input, uint8_t priority) const
    {
        return At(input, priority).paused;
    }

    /// @return bytes of the shared part
    uint64_t GetSharedSize() const
    {
        return m_sharedSize;
    }

    /// @return bytes in the shared part
    uint64_t GetSharedUsed() const
    {
        return m_sharedUsed;
    }

    /// @return bytes in the whole memory
    uint64_t GetUsed() const
    {
        return m_used;
    }

  private:
    /// The bytes of one input and priority.
    struct Account
    {
        uint64_t held{0};     //!< in reserve and shared part
        uint64_t headroom{0}; //!< in the headroom
        bool paused{false};
    };

    /// @return the bytes of an account in the shared part
    uint64_t GetShared(uint64_t held) const
    {
        return held > m_settings.reservedBytes ? held - m_settings.reservedBytes : 0;
    }

    /// @return the dynamic threshold
    uint64_t GetThreshold(double alpha) const
    {
        return static_cast<uint64_t>(alpha * static_cast<double>(m_sharedSize - m_sharedUsed));
    }

    /// @return the account of an input and priority
    Account& At(uint32_t input, uint8_t priority)
    {
        return m_accounts[input * PRIORITIES + priority];
    }

    /// @copydoc At
    const Account& At(uint32_t input, uint8_t priority) const
    {
        return m_accounts[input * PRIORITIES + priority];
    }

    /// @return true if no threshold is below the longest part of a reserve
    bool IsBelowThresholds(const Reserve& reserve) const;
    /// @return true if the pause of an account may end
    bool MayResume(const Account& account) const;

    Settings m_settings;
    std::vector<uint64_t> m_headroom; //!< by input
    std::vector<Account> m_accounts;  //!< by input and priority
    uint64_t m_sharedSize{0};
    uint64_t m_sharedUsed{0};
    uint64_t m_used{0};
    uint32_t m_paused{0}; //!< number of paused accounts
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWITCH_BUFFER_H
