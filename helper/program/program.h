// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PROGRAM_H
#define PHOTONIC_RAILS_PROGRAM_H

#include "option-group.h"

#include "ns3/command-line.h"

#include <functional>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{

/**
 * @file
 * What the programs have in common: they answer whatever is wrong in one line on standard error,
 * and end with exit code 1.
 */

/// @return an empty string, or one line that says what is wrong, given the program's arguments
using Program = std::function<std::string(const std::vector<std::string>&)>;

/// How many processes may run a program together, started by mpirun.
enum class ProgramProcesses
{
    ONE,     //!< the program does not know how to share its work
    SEVERAL, //!< it does, and calls DistributedRun::Join
};

/**
 * @brief Run a program. A lack of memory is an error as others are. Unless a flag of the program
 * says otherwise (--SchedulerType), events are kept by the scheduler that was measured to be the
 * fastest. Of several processes, the first one tells of errors and fails; they are the same on all.
 * SIGINT and SIGTERM end a program as Interruption says.
 * @param argc number of arguments
 * @param argv arguments, the name of the program first
 * @param program what it does
 * @param processes how many may do it together
 * @return its exit code
 */
int RunProgram(int argc,
               char* argv[],
               const Program& program,
               ProgramProcesses processes = ProgramProcesses::ONE);

/**
 * @brief Read the flags of a program, and those in the file that an option names. --help shows the
 * most important flags, --help=all and --help=HEADING others, --help=json all for programs; the
 * program ends then. ns-3 answers unknown flags with all its help, and takes what has no dashes;
 * here both are errors. So are attributes that the program sets from an option.
 * @param cmd gets the flags; it may have others
 * @param options of the program, which are not checked yet
 * @param arguments of the program, its name first
 * @return an empty string, or one line that names what is no flag
 */
std::string ParseFlags(CommandLine& cmd, OptionGroup& options, std::vector<std::string> arguments);

/**
 * @brief Read the flags of a program with ParseFlags, and check them.
 * @tparam Settings an OptionGroup whose function Check returns an empty string or an error, and
 * takes nothing or the arguments
 * @param file __FILE__ of the program, from which help takes the name
 * @param settings receives the flags
 * @param arguments of the program, its name first
 * @return an empty string, or one line with the error
 */
template <typename Settings>
std::string
ReadFlags(const std::string& file, Settings& settings, const std::vector<std::string>& arguments)
{
    CommandLine cmd(file);
    if (auto error = ParseFlags(cmd, settings, arguments); !error.empty())
    {
        return error;
    }
    if constexpr (std::is_invocable_v<decltype(&Settings::Check), Settings&>)
    {
        return settings.Check();
    }
    else
    {
        return settings.Check(arguments);
    }
}

/**
 * @param flag the name of the flag that gave the file
 * @param file that was to be written
 * @param reason why that was not possible, or an empty string
 * @return one line, or an empty string
 */
std::string DescribeUnwritten(const std::string& flag,
                              const std::string& file,
                              const std::string& reason);

/**
 * @brief Write a file, which appears whole or not at all (OutputFile).
 * @param flag the name of the flag that gave the file
 * @param file where to write; an empty string for nowhere
 * @param write what writes it
 * @return an empty string, or what is wrong
 */
std::string WriteFile(const std::string& flag,
                      const std::string& file,
                      const std::function<void(std::ostream&)>& write);

/**
 * @param result has WriteJson
 * @param file where to write it; an empty string for nowhere
 * @return an empty string, or what is wrong
 */
template <typename Result>
std::string
WriteJsonFile(const Result& result, const std::string& file)
{
    return WriteFile("json", file, [&result](std::ostream& os) { result.WriteJson(os); });
}

/**
 * @brief Write what a run has shown, and only then ask whether it can be true.
 * @param result has WriteJson and CheckInvariants
 * @param file where to write it; an empty string for nowhere
 * @return an empty string, or what is wrong
 */
template <typename Result>
std::string
Conclude(const Result& result, const std::string& file)
{
    const std::string error = WriteJsonFile(result, file);
    return error.empty() ? result.CheckInvariants() : error;
}

} // namespace ns3

#endif // PHOTONIC_RAILS_PROGRAM_H
