// SPDX-License-Identifier: GPL-2.0-only

// The same traffic on all fabrics side by side: a collective, a permutation of messages, or a
// training job. Latency of packets and messages, completion, links, switches, CPU time and memory.

#include "ns3/photonic-rails-module.h"

int
main(int argc, char* argv[])
{
    return ns3::RunComparisonProgram(argc, argv, __FILE__);
}
