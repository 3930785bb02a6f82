// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_INTERRUPTION_H
#define PHOTONIC_RAILS_INTERRUPTION_H

#include <string>

namespace ns3
{

/**
 * @brief Handles SIGINT and SIGTERM.
 *
 * After Catch, a signal ends the process at once, with one line on standard error and without its
 * temporary files. After Defer, a signal stops the simulator and the program ends by itself, with
 * the results so far. In both cases the exit code is 128 and the number of the signal. A signal
 * that follows a second later ends the process as if there were no handler. Signals before that
 * count as one: the program timeout, for example, sends one to the process and one to its group.
 */
class Interruption
{
  public:
    /// Handle the two signals in this process. A shell lets its background jobs ignore SIGINT; they
    /// handle it, too.
    static void Catch();

    /// From now on the program itself ends after a signal; nothing without Catch.
    static void Defer();

    /// The default action of the system again: in a process that has been forked.
    static void Release();

    /// @return the number of the signal that has interrupted this process, or 0
    static int GetSignal();

    /// @return SIGINT or SIGTERM if this process has been interrupted, otherwise an empty string
    static std::string GetName();

    /// Simulator::Run, which returns at the next event after a signal, and at once after an earlier
    /// one.
    static void RunSimulator();
};

} // namespace ns3

#endif // PHOTONIC_RAILS_INTERRUPTION_H
