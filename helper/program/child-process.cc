// SPDX-License-Identifier: GPL-2.0-only

#include "child-process.h"

#include "ns3/interruption.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <iostream>
#include <list>
#include <new>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace ns3
{

namespace
{

/// Write all of a text.
bool
WriteAll(int file, const std::string& text)
{
    std::size_t written = 0;
    while (written < text.size())
    {
        const ssize_t count = write(file, text.data() + written, text.size() - written);
        if (count <= 0)
        {
            return false;
        }
        written += static_cast<std::size_t>(count);
    }
    return true;
}

/// A process that has been started.
struct Child
{
    pid_t process{-1}; //!< negative if it could not be started
    int output{-1};    //!< what it writes can be read here
    std::string text;  //!< what it has written so far
};

/// Milliseconds after which an interruption is noticed at the latest, if it came before the wait.
constexpr int LONGEST_WAIT = 200;

/// Let this process end when its parent has, however that ended.
void
FollowParent(pid_t parent)
{
    Interruption::Release();
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) // which has ended in the meantime
    {
        _exit(1);
    }
}

/// Work and write the result. An exception ends here: the code of the parent is not for the child.
/// @return true if there is a result
bool
DoWork(const std::function<std::string()>& work, int output)
{
    try
    {
        return WriteAll(output, work());
    }
    catch (const std::bad_alloc&)
    {
        std::cerr << "there is not enough memory for this" << std::endl;
    }
    catch (const std::exception& error)
    {
        std::cerr << "a process has ended: " << error.what() << std::endl;
    }
    return false;
}

Child
Start(const std::function<std::string()>& work)
{
    Child child;
    std::array<int, 2> ends;
    if (pipe(ends.data()) != 0)
    {
        return child;
    }
    std::cout.flush();
    std::cerr.flush();
    const pid_t parent = getpid();
    child.process = fork();
    if (child.process == 0)
    {
        FollowParent(parent);
        close(ends[0]);
        const bool told = DoWork(work, ends[1]);
        close(ends[1]);
        _exit(told ? 0 : 1); // destructors of static objects are the parent's affair
    }
    close(ends[1]);
    child.output = ends[0];
    return child;
}

/// @return true if there may be more to read; waits until it is known
bool
Read(Child& child)
{
    std::array<char, 4096> buffer;
    const ssize_t count = child.output < 0 ? 0 : read(child.output, buffer.data(), buffer.size());
    if (count > 0)
    {
        child.text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return count > 0 || (count < 0 && errno == EINTR);
}

/// @return the output of a process, read to its end, if the process ended without an error
std::optional<std::string>
EndChild(Child& child)
{
    if (child.output >= 0)
    {
        close(child.output);
    }
    int status = 0;
    const bool ended = child.process > 0 && waitpid(child.process, &status, 0) == child.process &&
                       WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return ended ? std::optional<std::string>(child.text) : std::nullopt;
}

} // namespace

std::optional<std::string>
RunInChild(const std::function<std::string()>& work)
{
    std::optional<std::string> result;
    ChildPool::Run(
        {0},
        1,
        [&work](std::size_t /* piece */) { return work(); },
        [&result](std::size_t /* piece */, const auto& text) { result = text; });
    return result;
}

void
ChildPool::Run(const std::vector<std::size_t>& pieces,
               std::size_t processes,
               const Work& work,
               const Ended& ended)
{
    std::list<std::pair<std::size_t, Child>> running;
    auto next = pieces.begin();
    const auto hasNext = [&] { return next != pieces.end() && Interruption::GetSignal() == 0; };
    while (hasNext() || !running.empty())
    {
        for (; hasNext() && running.size() < processes; ++next)
        {
            running.emplace_back(*next, Start([&work, &next] { return work(*next); }));
        }
        std::vector<pollfd> files;
        for (const auto& [piece, child] : running)
        {
            files.push_back({child.output, POLLIN, 0}); // one that is negative is passed over
        }
        const bool hasFailed = std::any_of(running.begin(), running.end(), [](const auto& one) {
            return one.second.output < 0;
        });
        if (poll(files.data(), files.size(), hasFailed ? 0 : LONGEST_WAIT) < 0)
        {
            // Interrupted by a signal: nothing is known of the files.
            std::for_each(files.begin(), files.end(), [](pollfd& file) { file.revents = 0; });
        }
        for (const auto& [piece, child] : running)
        {
            if (Interruption::GetSignal() != 0 && child.process > 0)
            {
                kill(child.process, SIGKILL);
            }
        }
        auto file = files.begin();
        for (auto one = running.begin(); one != running.end(); ++file)
        {
            auto& [piece, child] = *one;
            if (child.output >= 0 && (file->revents == 0 || Read(child)))
            {
                ++one;
                continue;
            }
            const std::optional<std::string> text = EndChild(child);
            const std::size_t number = piece;
            one = running.erase(one);
            ended(number, text);
        }
    }
}

} // namespace ns3
