// SPDX-License-Identifier: GPL-2.0-only

// A training job at many points: any flags of photonic-rails-training take several values each, in
// processes of their own. One table, which a sweep that was stopped goes on with.

#include "ns3/photonic-rails-module.h"

int
main(int argc, char* argv[])
{
    return ns3::RunSweepProgram(argc, argv, __FILE__);
}
