// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CHILD_PROCESS_H
#define PHOTONIC_RAILS_CHILD_PROCESS_H

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Do something in a process of its own: what it leaves behind, and its memory, are its own.
 *
 * The process is forked, so it begins with all that is there. Output that waits in std::cout and
 * std::cerr is flushed before.
 *
 * On Linux a child ends with its parent. If the parent is interrupted (Interruption::Defer), its
 * children are ended.
 *
 * @param work what is done there
 * @return what it has returned, or nothing if the process ended in another way
 */
std::optional<std::string> RunInChild(const std::function<std::string()>& work);

/**
 * @brief Do many things, each in a process of its own, several at once.
 *
 * As with RunInChild. After an interruption, pieces that have not begun are left out.
 */
class ChildPool
{
  public:
    /// What is done in a process: the number of a piece of work in, a text out.
    using Work = std::function<std::string(std::size_t)>;
    /// Called when a piece has ended, with what its process has returned, or nothing if it ended in
    /// another way.
    using Ended = std::function<void(std::size_t, const std::optional<std::string>&)>;

    /**
     * @brief Do it; returns when all have ended.
     * @param pieces numbers of the pieces of work, which begin in this order
     * @param processes how many at once, at least 1
     * @param work what is done
     * @param ended called here, in the order in which they end
     */
    static void Run(const std::vector<std::size_t>& pieces,
                    std::size_t processes,
                    const Work& work,
                    const Ended& ended);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CHILD_PROCESS_H
