// SPDX-License-Identifier: GPL-2.0-only

#include "interruption.h"

#include "output-file.h"

#include "ns3/simulator.h"

#include <array>
#include <csignal>
#include <unistd.h>

namespace ns3
{

namespace
{

constexpr std::array<int, 2> SIGNALS{SIGINT, SIGTERM};

volatile std::sig_atomic_t g_signal = 0;       // that has interrupted the process
volatile std::sig_atomic_t g_isDeferred = 0;   // the program ends by itself
volatile std::sig_atomic_t g_isSimulating = 0; // the simulator is there and runs

extern "C" void
PhotonicRailsInterrupted(int signal)
{
    g_signal = signal;
    Interruption::Release(); // for a second signal
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
