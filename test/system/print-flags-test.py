#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The flags by which ns-3's programs tell what can be set work in all programs: --PrintAttributes,
--PrintTypeIds, --PrintGlobals, --PrintGroup, --PrintGroups and --PrintHelp. --help has a first page, one for each
heading, and one with all flags, which are those of --PrintHelp.

usage: print-flags-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import pathlib
import re
import subprocess
import sys

EXPECTED = {
    "--PrintAttributes=ns3::OpticalCircuitSwitch": "--ns3::OpticalCircuitSwitch::ReconfigurationDelay=",
    "--PrintAttributes=ns3::RdmaQueuePair": "--ns3::RdmaQueuePair::Window=[1048576]",
    "--PrintTypeIds": "ns3::EthernetPortNetDevice",
    "--PrintGlobals": "--RngRun=[1]",
    "--PrintGroup=PhotonicRails": "ns3::OpusController",
    "--PrintGroups": "PhotonicRails",
    "--PrintHelp": "--PrintAttributes=[typeid]",
}
PLAIN = "photonic-rails-first-circuit"  # has no flags but ns-3's own and --pcap
FIRST = ["model", "tp", "fsdp", "pp", "schedule", "iterations", "fabric", "ocs", "policy", "job", "json"]


def ask(program, flag):
    """@return what a program prints, or what is wrong"""
    done = subprocess.run([program, flag], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout if done.returncode == 0 else f"exit code {done.returncode}"


def list_flags(text):
    """@return the flags that a page of help shows, but for ns-3's own"""
    names = re.findall(r"^    --(\w+):", text, flags=re.MULTILINE)
    return {name for name in names if not name.startswith("Print")}


def check_help(program):
    """@return what is wrong with the help of a program"""
    everything = ask(program, "--help=all")
    flags = list_flags(everything)
    first = ask(program, "--help")
    wrong = []
    if not flags or flags != list_flags(ask(program, "--PrintHelp")):
        wrong.append("--help=all and --PrintHelp show other flags")
    headings = re.findall(r"^(\w+):$", everything, flags=re.MULTILINE)
    shown = set()
    for heading in headings:
        shown |= list_flags(ask(program, f"--help={heading}"))
    if shown != flags:
        wrong.append(f"no heading shows {sorted(flags - shown)}")
    if not list_flags(first) or len(list_flags(first)) > 24:
        wrong.append(f"the first page has {len(list_flags(first))} flags")
    if list_flags(first) != flags and not all(heading in first for heading in headings):
        wrong.append("the first page does not name all headings")
    if program.name == "photonic-rails-training":
        wrong += [f"the first page lacks {flag}" for flag in FIRST if flag not in list_flags(first)]
    return wrong


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
        failures += [f"{program.name}: {wrong}" for wrong in check_help(program) if program.name != PLAIN]
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
