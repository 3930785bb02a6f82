#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The flags by which ns-3's programs tell what can be set work in all programs: --PrintAttributes,
--PrintTypeIds, --PrintGlobals, --PrintGroup and --PrintGroups.

usage: print-flags-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import pathlib
import re
import subprocess
import sys

EXPECTED = {
    "--PrintAttributes=ns3::OpticalCircuitSwitch": "--ns3::OpticalCircuitSwitch::ReconfigurationDelay=",
    "--PrintAttributes=ns3::RdmaQueuePair": "--ns3::RdmaQueuePair::Window=[1048576]",
    "--PrintTypeIds": "ns3::TransceiverNetDevice",
    "--PrintGlobals": "--RngRun=[1]",
    "--PrintGroup=PhotonicRails": "ns3::OpusController",
    "--PrintGroups": "PhotonicRails",
}


def main():
    """Ask all programs that are built."""
    folder = pathlib.Path(sys.argv[1])
    programs = [path for path in sorted(folder.glob("photonic-rails-*")) if path.is_file()]
    failures = [] if programs else ["there are no programs"]
    for program in programs:
        for flag, wanted in EXPECTED.items():
            done = subprocess.run([program, flag], capture_output=True, text=True, timeout=60, check=False)
            if done.returncode != 0 or not re.search(re.escape(wanted), done.stdout):
                failures.append(f"{program.name} {flag}: exit code {done.returncode}, no {wanted}")
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
