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
 * Functions that all programs use. A program reports an error in one line on standard error and
 * ends with exit code 1.
 */

/// A program: takes the arguments, and returns an empty string or one line with the error.
using Program = std::function<std::string(const std::vector<std::string>&)>;

/// How many processes may run a program together, started by mpirun.
enum class ProgramProcesses
{
    ONE,     //!< the program cannot share its work
    SEVERAL, //!< the program shares its work and calls DistributedRun::Join
};

/**
 * @brief Run a program. An error is printed as one line: control characters in it are escaped, and
 * long words cut. A lack of memory is reported like any other error. Unless a flag of the
 * program chooses another one (--SchedulerType), events are kept by the scheduler that was measured
 * to be the fastest. Errors are the same on all processes; the first process reports them and
 * fails. SIGINT and SIGTERM end a program as described at Interruption.
 * @param argc number of arguments
 * @param argv arguments, the name of the program first
 * @param program the function to run
 * @param processes number of processes that may run the program together
 * @return the exit code of the program
 */
int RunProgram(int argc,
               char* argv[],
               const Program& program,
               ProgramProcesses processes = ProgramProcesses::ONE);

/**
 * @brief Read the flags of a program, and the flags in the file that an option names. --help shows
 * the most important flags, --help=all and --help=HEADING others, --help=json all for programs; the
 * program then ends. ns-3 answers an unknown flag with its whole help, and accepts an argument
 * without dashes; here both are errors, and so are attributes that the program sets from an option.
 * @param cmd receives the flags; may have other flags
 * @param options of the program; not checked yet
 * @param arguments of the program, its name first
 * @return an empty string, or one line that names the argument that is no flag
 */
std::string ParseFlags(CommandLine& cmd, OptionGroup& options, std::vector<std::string> arguments);

/**
 * @param error why flags or files are refused, with texts of the user
 * @return the error as one line: control characters are escaped, and long words cut
 */
std::string ToLine(const std::string& error);

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
        return ToLine(error);
    }
    if constexpr (std::is_invocable_v<decltype(&Settings::Check), Settings&>)
    {
        return ToLine(settings.Check());
    }
    else
    {
        return ToLine(settings.Check(arguments));
    }
}

/**
 * @param flag the name of the flag that gave the file
 * @param file the file
 * @param reason why the file could not be written, or an empty string
 * @return one line, or an empty string
 */
std::string DescribeUnwritten(const std::string& flag,
                              const std::string& file,
                              const std::string& reason);

/**
 * @brief Write a file, which appears whole or not at all (OutputFile).
 * @param flag the name of the flag that gave the file
 * @param file name of the file; an empty string: nothing is written
 * @param write writes the content
 * @return an empty string, or one line with the error
 */
std::string WriteFile(const std::string& flag,
                      const std::string& file,
                      const std::function<void(std::ostream&)>& write);

/**
 * @param result has WriteJson
 * @param file name of the file; an empty string: nothing is written
 * @return an empty string, or one line with the error
 */
template <typename Result>
std::string
WriteJsonFile(const Result& result, const std::string& file)
{
    return WriteFile("json", file, [&result](std::ostream& os) { result.WriteJson(os); });
}

/**
 * @brief Write the result of a run, then check the invariants of the result.
 * @param result has WriteJson and CheckInvariants
 * @param file name of the file; an empty string: nothing is written
 * @return an empty string, or one line with the error
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
