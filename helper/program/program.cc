// SPDX-License-Identifier: GPL-2.0-only

#include "program.h"

#include "distributed-run.h"
#include "set-up-store.h"

#include "ns3/global-value.h"
#include "ns3/string.h"

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
ParseFlags(CommandLine& cmd, const std::vector<std::string>& arguments)
{
    const auto names = ListNames(cmd);
    for (std::size_t i = 1; i < arguments.size(); ++i)
    {
        const auto begin = arguments[i].find_first_not_of('-');
        if (begin == 0 || begin > 2)
        {
            return arguments[i] + " is no flag: flags begin with --";
        }
        const std::string name = arguments[i].substr(begin, arguments[i].find('=') - begin);
        // Attributes have the names of their classes, and ns-3 knows them.
        if (names.count(name) == 0 && name.find("::") == std::string::npos)
        {
            return arguments[i] + " is no flag of this program; --help lists them";
        }
    }
    cmd.Parse(arguments);
    return SetUpStore::ApplyDefaults();
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
