// SPDX-License-Identifier: GPL-2.0-only

// A training job on photonic or electrical rails: iteration times, what is communicated when, and
// what reconfiguring the circuits inside the job costs. With --describe: what it is, without a run.
// Under mpirun -np N, N processes share the rails.

#include "ns3/photonic-rails-module.h"

int
main(int argc, char* argv[])
{
    return ns3::RunTrainingProgram(argc, argv, __FILE__);
}
