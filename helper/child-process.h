// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CHILD_PROCESS_H
#define PHOTONIC_RAILS_CHILD_PROCESS_H

#include <functional>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @brief Do something in a process of its own: what it leaves behind, and its memory, are its own.
 *
 * The process is forked, so it begins with all that is there. Output that waits in std::cout and
 * std::cerr is flushed before.
 *
 * @param work what is done there
 * @return what it has returned, or nothing if the process ended in another way
 */
std::optional<std::string> RunInChild(const std::function<std::string()>& work);

} // namespace ns3

#endif // PHOTONIC_RAILS_CHILD_PROCESS_H
