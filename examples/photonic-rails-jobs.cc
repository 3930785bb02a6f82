// SPDX-License-Identifier: GPL-2.0-only

// Several training jobs on one cluster: how much does each of them slow down the others? A file lists
// the jobs; each runs with the others, and alone on the same GPUs.

#include "ns3/photonic-rails-module.h"

int
main(int argc, char* argv[])
{
    return ns3::RunJobsProgram(argc, argv, __FILE__);
}
