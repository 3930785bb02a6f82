// SPDX-License-Identifier: GPL-2.0-only

#include "program.h"

#include "attribute-flags.h"
#include "distributed-run.h"
#include "flag-parser.h"
#include "job-file.h"
#include "near-names.h"

#include "ns3/global-value.h"
#include "ns3/interruption.h"
#include "ns3/output-file.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <new>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace ns3
{

namespace
{

/// @return names of all flags, without dashes: those of the program, of ns3::CommandLine, and
/// global values
std::set<std::string>
ListNames(const OptionGroup& options)
{
    std::set<std::string> names{"help",
                                "version",
                                "PrintAttributes",
                                "PrintGlobals",
                                "PrintGroup",
                                "PrintGroups",
                                "PrintHelp",
                                "PrintTypeIds",
                                "PrintVersion"};
    for (const auto* option : options.GetOptions())
    {
        if (option->IsFlag())
        {
            names.insert(option->GetName());
        }
    }
    for (auto value = GlobalValue::Begin(); value != GlobalValue::End(); ++value)
    {
        names.insert((*value)->GetName());
    }
    return names;
}

/// Keep events in a heap of the standard library: of ns-3's schedulers the fastest for jobs of any
/// size, per packet and in bursts (photonic-rails-benchmark --bench=scheduler). Another one that
/// was chosen in the environment stays.
void
ChooseScheduler()
{
    StringValue type;
    GlobalValue::GetValueByName("SchedulerType", type);
    if (type.Get() == "ns3::MapScheduler")
    {
        GlobalValue::Bind("SchedulerType", StringValue("ns3::PriorityQueueScheduler"));
    }
}

/// @return the name of the flag in an argument, without dashes; empty if there are none or three
std::string
GetFlag(const std::string& argument)
{
    const auto begin = argument.find_first_not_of('-');
    return begin == 1 || begin == 2 ? argument.substr(begin, argument.find('=') - begin) : "";
}

/// Show a page of help and end the program. @return the error if there is no such page
std::string
ShowHelp(const CommandLine& cmd, const OptionGroup& options, const std::string& argument)
{
    const auto equals = std::min(argument.find('='), argument.size() - 1);
    const std::string page = argument.substr(equals + 1);
    if (page == "json")
    {
        options.WriteJson(std::cout);
        std::exit(0);
    }
    if (options.WriteHelp(std::cout, cmd.GetName(), page))
    {
        std::exit(0); // as ns-3 does
    }
    return RefuseFlag("help",
                      page,
                      "all, json, or one of " + FlagParser::List(options.GetHeadings()));
}

/// Report that memory is exhausted, and end without waiting for other processes. @return exit code
int
RunOutOfMemory()
{
    std::cerr << "there is not enough memory for this" << std::endl;
    DistributedRun::Abort();
    return 1;
}

/// @param error of the program, or an empty string @return text to print at its end
std::string
CompleteError(const std::string& error)
{
    if (Interruption::GetSignal() != 0)
    {
        return error.empty() ? "interrupted by " + Interruption::GetName() : error;
    }
    return error.empty() && !std::cout.flush() ? "standard output could not be written" : error;
}

} // namespace

int
RunProgram(int argc, char* argv[], const Program& program, ProgramProcesses processes)
{
    const bool isAlone = DistributedRun::GetLaunched() == 1;
    if (isAlone) // otherwise the launcher takes care of all processes
    {
        Interruption::Catch();
    }
    std::signal(SIGXFSZ, SIG_IGN); // a file beyond its limit is an error of writing
    ChooseScheduler();
    std::string error =
        isAlone || processes == ProgramProcesses::SEVERAL
            ? ""
            : "mpirun: this program runs in one process; photonic-rails-training can be shared by "
              "several";
    try
    {
        if (error.empty())
        {
            error = program(std::vector<std::string>(argv, argv + argc));
        }
    }
    catch (const std::bad_alloc&)
    {
        return RunOutOfMemory();
    }
    catch (const std::length_error&) // of a container that no memory could hold
    {
        return RunOutOfMemory();
    }
    error = CompleteError(error);
    if (!error.empty() && DistributedRun::IsFirst())
    {
        std::cerr << error << std::endl;
    }
    DistributedRun::Leave();
    if (const int signal = Interruption::GetSignal(); signal != 0)
    {
        return 128 + signal; // as a shell says of a process that a signal has ended
    }
    // A launcher ends the others when one has failed: those that say nothing must not be the one.
    return error.empty() || !DistributedRun::IsFirst() ? 0 : 1;
}

std::string
ToLine(const std::string& error)
{
    constexpr std::size_t MOST_LETTERS = 256; // of a word
    std::ostringstream line;
    line << std::hex;
    std::size_t letters = 0;
    for (const char c : error)
    {
        letters = c == ' ' ? 0 : letters + 1;
        if (letters > MOST_LETTERS)
        {
            line << (letters == MOST_LETTERS + 1 ? "..." : "");
        }
        else if (c == '\n')
        {
            line << "\\n";
        }
        else if (const auto byte = static_cast<unsigned char>(c); byte < ' ' || byte == 0x7f)
        {
            line << "\\x" << byte / 16 << byte % 16;
        }
        else
        {
            line << c;
        }
    }
    return line.str();
}

std::string
ParseFlags(CommandLine& cmd, OptionGroup& options, std::vector<std::string> arguments)
{
    options.AddFlags(cmd);
    const std::size_t given = arguments.size();
    for (const auto* option : options.GetOptions())
    {
        if (option->IsFlag() && option->GetTraits().holdsFlags)
        {
            const auto& job = option->GetGroup();
            auto known = job.GetJobSettings();
            known.insert(known.end(), {{"RngSeed", "1"}, {"RngRun", "1"}});
            if (auto error = JobFile::Insert(arguments, known); !error.empty())
            {
                return error;
            }
        }
    }
    const std::size_t inFile = arguments.size() - given; // before all others
    const auto names = ListNames(options);
    AttributeFlags::Clear();
    for (std::size_t i = 1; i < arguments.size(); ++i)
    {
        const std::string name = GetFlag(arguments[i]);
        if (name.empty())
        {
            return arguments[i] + " is no flag: flags begin with --";
        }
        const bool isKnown = names.count(name) > 0;
        const bool isAttribute = name.find("::") != std::string::npos && !isKnown;
        if (!isKnown && !isAttribute)
        {
            return arguments[i] + " is no flag of this program; " +
                   NearNames::Describe(name, {names.begin(), names.end()}, "--", "--help");
        }
        const std::string value = FlagParser::SplitFlag(arguments[i]).second;
        if (auto error = isAttribute ? AttributeFlags::CheckAttribute(name, value)
                                     : AttributeFlags::CheckGlobalValue(name, value);
            !error.empty())
        {
            return error;
        }
        if (isAttribute)
        {
            AttributeFlags::Record(name, {value, i <= inFile});
        }
        if (TypeId tid; name == "PrintAttributes" && !TypeId::LookupByNameFailSafe(value, &tid))
        {
            return RefuseFlag(name, value, "a class that --PrintTypeIds lists");
        }
        if (name == "help")
        {
            return ShowHelp(cmd, options, arguments[i]);
        }
    }
    cmd.Parse(arguments);
    const std::vector<std::string> own(arguments.end() - (given - 1), arguments.end());
    for (std::size_t i = 1; i <= inFile; ++i)
    {
        const std::string name = GetFlag(arguments[i]);
        const auto isSame = [&name](const std::string& other) { return GetFlag(other) == name; };
        if (auto* option = options.Find(name);
            option && std::none_of(own.begin(), own.end(), isSame))
        {
            option->SetFromFile();
        }
    }
    return FindError([] { return AttributeFlags::RecordEnvironment(); },
                     [] { return ConfigStoreFlags::ApplyDefaults(); },
                     [] { return AttributeFlags::CheckGlobalValues(); },
                     [&options] { return options.CheckAttributes(); });
}

std::string
DescribeUnwritten(const std::string& flag, const std::string& file, const std::string& reason)
{
    return reason.empty() ? ""
                          : ToLine("--" + flag + "=" + file + " could not be written: " + reason);
}

std::string
WriteFile(const std::string& flag,
          const std::string& file,
          const std::function<void(std::ostream&)>& write)
{
    if (file.empty())
    {
        return "";
    }
    return DescribeUnwritten(flag, file, OutputFile::Write(file, write));
}

} // namespace ns3
