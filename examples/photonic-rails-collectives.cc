// SPDX-License-Identifier: GPL-2.0-only

// A collective in a range of sizes, alone on a fabric: the table that users of nccl-tests know.

#include "ns3/photonic-rails-module.h"

int
main(int argc, char* argv[])
{
    return ns3::RunCollectivesProgram(argc, argv, __FILE__);
}
