// SPDX-License-Identifier: GPL-2.0-only

#include "program.h"

#include "config-store-flags.h"
#include "distributed-run.h"
#include "flag-parser.h"
#include "job-file.h"

#include "ns3/global-value.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <new>
#include <set>
#include <sstream>
#include <stdexcept>

namespace ns3
{

namespace
{

/// @return names of all flags, without dashes: those of the program, of ns-3, and global values
std::set<std::string>
ListNames(const CommandLine& cmd)
{
    std::set<std::string> names{"help", "version"};
    std::stringstream help;
    cmd.PrintHelp(help); // nothing else tells what flags there are
    for (std::string line; std::getline(help, line);)
    {
        const auto begin = line.find_first_not_of(" \t");
        if (begin != std::string::npos && line.compare(begin, 2, "--") == 0)
        {
            const auto end = line.find_first_of(":=[ \t", begin);
            names.insert(line.substr(begin + 2, end - begin - 2));
        }
    }
    for (auto value = GlobalValue::Begin(); value != GlobalValue::End(); ++value)
    {
        names.insert((*value)->GetName());
    }
    return names;
}

/// @return true if a class has an attribute
bool
IsAttribute(const std::string& type, const std::string& attribute)
{
    TypeId tid;
    TypeId::AttributeInformation info;
    return TypeId::LookupByNameFailSafe(type, &tid) && tid.LookupAttributeByName(attribute, &info);
}

/// @param name of a flag with colons @return an empty string, or why no class has such an attribute
std::string
CheckAttributeName(const std::string& name)
{
    const auto colon = name.rfind("::");
    const std::string type = name.substr(0, colon);
    const std::string attribute = name.substr(colon + 2);
    if (IsAttribute(type, attribute))
    {
        return "";
    }
    const std::string space = "ns3::";
    const std::string other = type.rfind(space, 0) == 0 ? type.substr(space.size()) : space + type;
    TypeId tid;
    return "--" + name + " sets no attribute: " +
           (TypeId::LookupByNameFailSafe(type, &tid) ? type + " has no attribute " + attribute
                                                     : "there is no class " + type) +
           (IsAttribute(other, attribute) ? "; allowed: --" + other + "::" + attribute : "");
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
    if (options.WriteHelp(std::cout, cmd.GetName(), page))
    {
        std::exit(0); // as ns-3 does
    }
    return RefuseFlag("help", page, "all, or one of " + FlagParser::List(options.GetHeadings()));
}

/// @return an empty string, or why the processes that have been started cannot do it together
std::string
CheckProcesses(ProgramProcesses processes)
{
    return processes == ProgramProcesses::SEVERAL || DistributedRun::GetLaunched() == 1
               ? ""
               : "mpirun: this program runs in one process; photonic-rails-training can be shared "
                 "by several";
}

/// What to say if the others cannot be waited for any more.
int
RunOutOfMemory()
{
    std::cerr << "there is not enough memory for this" << std::endl;
    DistributedRun::Abort();
    return 1;
}

} // namespace

int
RunProgram(int argc, char* argv[], const Program& program, ProgramProcesses processes)
{
    ChooseScheduler();
    std::string error = CheckProcesses(processes);
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
    if (!error.empty() && DistributedRun::IsFirst())
    {
        std::cerr << error << std::endl;
    }
    DistributedRun::Leave();
    // A launcher ends the others when one has failed: those that say nothing must not be the one.
    return error.empty() || !DistributedRun::IsFirst() ? 0 : 1;
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
            if (auto error = JobFile::Insert(arguments, job.GetJobSettings(), job.GetRenamed());
                !error.empty())
            {
                return error;
            }
        }
    }
    const auto names = ListNames(cmd);
    for (std::size_t i = 1; i < arguments.size(); ++i)
    {
        const std::string name = GetFlag(arguments[i]);
        if (name.empty())
        {
            return arguments[i] + " is no flag: flags begin with --";
        }
        for (const auto& [former, now] : options.GetRenamed())
        {
            if (name == former)
            {
                return "--" + former + " is now --" + now;
            }
        }
        const bool isKnown = names.count(name) > 0;
        if (const bool isAttribute = name.find("::") != std::string::npos; isAttribute && !isKnown)
        {
            if (auto error = CheckAttributeName(name); !error.empty())
            {
                return error;
            }
        }
        else if (!isKnown)
        {
            return arguments[i] + " is no flag of this program; --help lists them";
        }
        if (name == "help")
        {
            return ShowHelp(cmd, options, arguments[i]);
        }
    }
    cmd.Parse(arguments);
    // Flags of a file stand before all others.
    const auto inFile = static_cast<std::ptrdiff_t>(arguments.size() - given);
    const std::vector<std::string> own(arguments.begin() + 1 + inFile, arguments.end());
    for (std::ptrdiff_t i = 1; i <= inFile; ++i)
    {
        const std::string name = GetFlag(arguments[i]);
        const auto isSame = [&name](const std::string& other) { return GetFlag(other) == name; };
        if (auto* option = options.Find(name);
            option && std::none_of(own.begin(), own.end(), isSame))
        {
            option->SetFromFile();
        }
    }
    return FindError([] { return ConfigStoreFlags::ApplyDefaults(); },
                     [&options] { return options.CheckAttributes(); });
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
    std::ofstream stream(file);
    write(stream);
    return stream.flush() ? "" : "--" + flag + "=" + file + " could not be written";
}

} // namespace ns3
