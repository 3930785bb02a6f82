// SPDX-License-Identifier: GPL-2.0-only

#include "child-process.h"

#include <array>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>

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

/// @return all that can be read until the other side closes
std::string
ReadAll(int file)
{
    std::string text;
    std::array<char, 4096> buffer;
    ssize_t count = 0;
    while ((count = read(file, buffer.data(), buffer.size())) > 0)
    {
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
}

} // namespace

std::optional<std::string>
RunInChild(const std::function<std::string()>& work)
{
    std::array<int, 2> ends;
    if (pipe(ends.data()) != 0)
    {
        return std::nullopt;
    }
    std::cout.flush();
    std::cerr.flush();
    const pid_t child = fork();
    if (child == 0)
    {
        close(ends[0]);
        const bool told = WriteAll(ends[1], work());
        close(ends[1]);
        _exit(told ? 0 : 1); // destructors of static objects are the parent's affair
    }
    close(ends[1]);
    const std::string text = ReadAll(ends[0]);
    close(ends[0]);
    int status = 0;
    const bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
                       WEXITSTATUS(status) == 0;
    return ended ? std::optional<std::string>(text) : std::nullopt;
}

} // namespace ns3
