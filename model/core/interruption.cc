// SPDX-License-Identifier: GPL-2.0-only

#include "interruption.h"

#include "output-file.h"

#include "ns3/simulator.h"

#include <array>
#include <csignal>
#include <ctime>
#include <unistd.h>

namespace ns3
{

namespace
{

constexpr std::array<int, 2> SIGNALS{SIGINT, SIGTERM};

volatile std::sig_atomic_t g_signal = 0;       // that has interrupted the process
volatile std::sig_atomic_t g_isDeferred = 0;   // the program ends by itself
volatile std::sig_atomic_t g_isSimulating = 0; // the simulator is there and runs
volatile std::time_t g_second = 0;             // of the monotonic clock, when g_signal came
volatile long g_nanosecond = 0;                // in this second

/// @return true if an earlier signal came less than a second ago
bool
HasJustBeenInterrupted(const timespec& now)
{
    return now.tv_sec - g_second < 1 || (now.tv_sec - g_second == 1 && now.tv_nsec < g_nanosecond);
}

extern "C" void
PhotonicRailsInterrupted(int signal)
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (g_signal != 0)
    {
        if (!HasJustBeenInterrupted(now))
        {
            Interruption::Release();
            raise(signal); // takes effect when this handler has returned
        }
        return;
    }
    g_second = now.tv_sec;
    g_nanosecond = now.tv_nsec;
    g_signal = signal;
    if (!g_isDeferred)
    {
        OutputFile::RemoveTemporaryFiles();
        constexpr char line[] = "interrupted before there was a result\n";
        static_cast<void>(write(STDERR_FILENO, line, sizeof(line) - 1) + 1);
        _exit(128 + signal);
    }
    if (g_isSimulating)
    {
        Simulator::Stop(); // sets a flag that ns-3 reads after each event
    }
}

} // namespace

void
Interruption::Catch()
{
    for (const int signal : SIGNALS)
    {
        struct sigaction action
        {
        };

        action.sa_handler = PhotonicRailsInterrupted;
        sigemptyset(&action.sa_mask);
        action.sa_flags = 0;
        sigaction(signal, &action, nullptr);
    }
}

void
Interruption::Defer()
{
    g_isDeferred = 1;
}

void
Interruption::Release()
{
    for (const int signal : SIGNALS)
    {
        struct sigaction action
        {
        };

        sigaction(signal, nullptr, &action);
        if (action.sa_handler == PhotonicRailsInterrupted)
        {
            action.sa_handler = SIG_DFL;
            sigaction(signal, &action, nullptr);
        }
    }
}

int
Interruption::GetSignal()
{
    return g_signal;
}

std::string
Interruption::GetName()
{
    return g_signal == SIGINT ? "SIGINT" : g_signal == SIGTERM ? "SIGTERM" : "";
}

void
Interruption::RunSimulator()
{
    Simulator::Now(); // the simulator is there
    g_isSimulating = 1;
    if (g_signal == 0)
    {
        Simulator::Run();
    }
    g_isSimulating = 0;
}

} // namespace ns3
