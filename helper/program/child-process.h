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
 * @brief Call a function in a child process, so that its memory and global state are its own.
 *
 * The process is forked, so it begins with the state of its parent. Output that waits in std::cout
 * and std::cerr is flushed before.
 *
 * On Linux a child ends with its parent. If the parent is interrupted (Interruption::Defer), its
 * children are ended.
 *
 * @param work the function
 * @return its result, or nothing if the process ended in another way
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
    /// The function called in a process: the number of a piece of work in, a text out.
    using Work = std::function<std::string(std::size_t)>;
    /// Called when a piece has ended, with the result of its process, or nothing if it ended in
    /// another way.
    using Ended = std::function<void(std::size_t, const std::optional<std::string>&)>;

    /**
     * @brief Run all pieces of work; returns when all have ended.
     * @param pieces numbers of the pieces of work, which begin in this order
     * @param processes number of processes at once, at least 1
     * @param work called for each piece
     * @param ended called here, in the order in which they end
     */
    static void Run(const std::vector<std::size_t>& pieces,
                    std::size_t processes,
                    const Work& work,
                    const Ended& ended);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CHILD_PROCESS_H
