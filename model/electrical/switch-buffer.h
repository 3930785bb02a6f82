// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWITCH_BUFFER_H
#define PHOTONIC_RAILS_SWITCH_BUFFER_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The packet memory of a switch: what each input may hold of each priority, and when it has
 * to pause its link partner.
 *
 * The memory has three parts. Each input and priority has a reserve of its own. Each input has
 * headroom for each lossless priority, which takes what still arrives after a pause. The rest is
 * shared: an input may hold alpha times what is free of it in each lossless priority, and each
 * output queue of a lossy priority may grow to alpha times what is free (dynamic thresholds:
 * Choudhury and Hahne, IEEE/ACM ToN 1998).
 *
 * A lossless frame beyond the threshold goes to the headroom and starts a pause. The pause ends
 * when the headroom is empty and what the input holds is ResumeOffset below the threshold, or
 * nothing. A pause so always begins with all of its headroom free.
 */
class SwitchBuffer
{
  public:
    static constexpr uint32_t PRIORITIES = 8;

    /// How the memory is divided. Bytes are those of frames without FCS, preamble and gap.
    struct Settings
    {
        uint64_t bytes{0};             //!< all of it
        uint64_t reservedBytes{0};     //!< reserve of each input and priority
        double alpha{1};               //!< of lossless priorities, above 0
        double lossyAlpha{1};          //!< of lossy priorities, above 0
        uint64_t resumeOffset{0};      //!< hysteresis
        uint8_t losslessPriorities{0}; //!< bit mask
    };

    /// What becomes of a frame.
    enum Verdict
    {
        ADMITTED,      //!< it is in the reserve or in the shared part
        IN_HEADROOM,   //!< it is in the headroom
        QUEUE_LIMIT,   //!< dropped: the output queue of a lossy priority is too long
        BUFFER_FULL,   //!< dropped: no room in the shared part
        HEADROOM_FULL, //!< dropped: a lossless priority went on after the pause
    };

    /// What to do with a frame that has come in.
    struct Admission
    {
        Verdict verdict;
        bool pause; //!< the link partner is to be paused now
    };

    /**
     * @brief Check a division of the memory.
     * @param settings how it is divided
     * @param headroomBytes headroom of each lossless priority, for each input
     * @return an empty string, or one line that says why it cannot be
     */
    static std::string Check(const Settings& settings, const std::vector<uint64_t>& headroomBytes);

    /**
     * @brief Aborts if Check finds something wrong.
     * @param settings how the memory is divided
     * @param headroomBytes headroom of each lossless priority, for each input
     */
    SwitchBuffer(const Settings& settings, const std::vector<uint64_t>& headroomBytes);

    /**
     * @brief Headroom of one lossless priority of a port (IEEE 802.1Qbb annex O): what may arrive
     * after the frame that crosses the threshold, and that frame.
     *
     * The pause waits until a frame that is being sent has left; it travels; the link partner
     * takes its time to react and finishes a frame of its own; what it sent until then is on the
     * fibre.
     *
     * @param bitsPerSecond line rate
     * @param pathSeconds propagation delay, one way
     * @param frameBytes the largest frame, with all that goes around it on the fibre
     * @param reactionSeconds how long the link partner takes to obey
     * @return bytes
     */
    static uint64_t GetHeadroom(uint64_t bitsPerSecond,
                                double pathSeconds,
                                uint32_t frameBytes,
                                double reactionSeconds);

    /**
     * @param settings how the memory is divided
     * @param headroomBytes headroom of each lossless priority, for each input
     * @return bytes of all reserves and all headroom
     */
    static uint64_t GetSetAside(const Settings& settings,
                                const std::vector<uint64_t>& headroomBytes);

    /**
     * @brief A frame comes in.
     * @param input number of the port
     * @param priority 0 to 7
     * @param bytes its size
     * @param queueDepth bytes in the output queue that it goes to
     * @return its fate
     */
    Admission Admit(uint32_t input, uint8_t priority, uint32_t bytes, uint64_t queueDepth);

    /**
     * @brief Whether a frame is admitted for certain, and others after it.
     * @param input number of the port
     * @param priority 0 to 7
     * @param bytes its size
     * @param queueDepth bytes in the output queue that it goes to
     * @param elsewhere bytes that may be in the memory beyond what is counted
     * @return true if Admit would admit it whether they are or not, and admit them, too
     */
    bool IsRoomyFor(uint32_t input,
                    uint8_t priority,
                    uint32_t bytes,
                    uint64_t queueDepth,
                    uint64_t elsewhere) const;

    /**
     * @param bytes of one input and priority, in one queue
     * @return true if Admit would admit so many, and no link partner is paused
     */
    bool IsRoomyFor(uint64_t bytes) const;

    /**
     * @brief A frame leaves.
     * @param input port where it came in
     * @param priority 0 to 7
     * @param bytes its size
     * @return true if the link partner of that port is to be resumed now
     */
    bool Release(uint32_t input, uint8_t priority, uint32_t bytes);

    /// @return bytes that an input holds of a priority
    uint64_t GetHeld(uint32_t input, uint8_t priority) const;
    /// @return those of them that are in the headroom
    uint64_t GetHeadroomUsed(uint32_t input, uint8_t priority) const;
    /// @return true between pause and resume
    bool IsPaused(uint32_t input, uint8_t priority) const;
    /// @return bytes of the shared part
    uint64_t GetSharedSize() const;
    /// @return bytes in the shared part
    uint64_t GetSharedUsed() const;
    /// @return bytes in the whole memory
    uint64_t GetUsed() const;

  private:
    /// What one input holds of one priority.
    struct Account
    {
        uint64_t held{0};     //!< in reserve and shared part
        uint64_t headroom{0}; //!< in the headroom
        bool paused{false};
    };

    /// @return the part of an account that is beyond its reserve
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

    /// @return true if the pause of an account may end
    bool MayResume(const Account& account) const;

    Settings m_settings;
    std::vector<uint64_t> m_headroom; //!< by input
    std::vector<Account> m_accounts;  //!< by input and priority
    uint64_t m_sharedSize{0};
    uint64_t m_sharedUsed{0};
    uint64_t m_used{0};
    uint32_t m_paused{0}; //!< accounts
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWITCH_BUFFER_H
