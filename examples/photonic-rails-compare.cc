// SPDX-License-Identifier: GPL-2.0-only

// What would photonic rails do to a training job? The job on electrical rails, leaf-spine, fat-tree
// and photonic rails: step time and its parts, MFU, break-even switching times, price and energy.

#include "ns3/photonic-rails-module.h"

int
main(int argc, char* argv[])
{
    return ns3::RunCompareProgram(argc, argv, __FILE__);
}
