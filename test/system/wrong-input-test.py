#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Wrong input to photonic-rails-training: one clear line, exit code 1, nothing written.

usage: wrong-input-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import pathlib
import subprocess
import sys
import tempfile

# Flags, and what the line must contain: the input and what is allowed instead.
CASES = [
    (["--model=gpt-5"], ["model", "gpt-5", "llama3-8b"]),
    (["--gpu=tpu"], ["gpu", "tpu", "a100"]),
    (["--fabric=copper"], ["fabric", "copper", "photonic", "electrical"]),
    (["--ocs=abacus"], ["ocs", "abacus", "polatis", "liquid-crystal"]),
    (["--reconfigDelay=-1ms"], ["reconfigDelay", "-1ms"]),
    (["--reconfigDelay=soon"], ["reconfigDelay", "soon"]),
    (["--reconfigDelay=1e300s"], ["reconfigDelay", "1e300s"]),
    (["--controlLatency=-10us"], ["controlLatency", "-10us"]),
    (["--controlLatency=nan"], ["controlLatency", "nan"]),
    (["--portRate=0bps"], ["portRate", "0bps"]),
    (["--portRate=fast"], ["portRate", "fast"]),
    (["--portRate=0x10Gbps"], ["portRate", "0x10Gbps"]),
    (["--reconfigDelay=0x10ms"], ["reconfigDelay", "0x10ms"]),
    (["--nicPorts=3"], ["1, 2 or 4", "3"]),
    (["--nicPorts=1", "--fsdp=4"], ["nicPorts", "1"]),
    (["--ocs=plzt", "--fsdp=8"], ["radix", "plzt", "16"]),
    (["--tp=3"], ["tp", "3"]),
    (["--tp=0"], ["tp", "0"]),
    (["--tp=-1"], ["tp", "-1", "whole number"]),
    (["--tp=4.9"], ["tp", "4.9", "whole number"]),
    (["--fsdp=2x"], ["fsdp", "2x", "whole number"]),
    (["--iterations=4294967296"], ["iterations", "4294967296"]),
    (["--computeEfficiency=nan"], ["computeEfficiency", "nan"]),
    (["--computeEfficiency=1e-12"], ["computeEfficiency", "1e-12", "0.001"]),
    (["--fibreDelay=1s"], ["fibreDelay", "1s", "1ms"]),
    (["--portRate=1Mbps"], ["portRate", "1Mbps", "1Gbps"]),
    (["--pcapSnapLength=0"], ["pcapSnapLength", "0", "96"]),
    (["stray"], ["stray"]),
    (["--fsdp=0"], ["fsdp", "0"]),
    (["--pp=0"], ["pp", "0"]),
    (["--pp=5"], ["pp", "5"]),
    (["--gpusPerDomain=8", "--tp=4", "--fsdp=1", "--pp=1"], ["gpusPerDomain", "8"]),
    (["--gpusPerDomain=0"], ["gpusPerDomain", "0"]),
    (["--microBatchSize=0"], ["microBatchSize", "0"]),
    (["--microBatches=0"], ["microBatches", "0"]),
    (["--seqLen=0"], ["seqLen", "0"]),
    (["--seqLen=8191"], ["seqLen", "8191"]),
    (["--iterations=0"], ["iterations", "0"]),
    (["--computeEfficiency=0"], ["computeEfficiency"]),
    (["--computeEfficiency=1.5"], ["computeEfficiency", "1.5"]),
    (["--pcap=/nowhere/at/all"], ["pcap", "/nowhere/at/all"]),
]


def run(program, flags, folder):
    return subprocess.run([program, *flags], cwd=folder, capture_output=True, text=True,
                          timeout=60, check=False)


def check(program, flags, needles):
    """Return what is wrong with the answer to one wrong input, or an empty string."""
    with tempfile.TemporaryDirectory() as folder:
        json = pathlib.Path(folder, "out.json")
        done = run(program, ["--model=debugmodel", f"--json={json}", *flags], folder)
        lines = done.stderr.strip().splitlines()
        if done.returncode != 1:
            return f"exit code {done.returncode}"
        if len(lines) != 1 or done.stdout:
            return f"{len(lines)} lines instead of one: {done.stderr}{done.stdout}"
        missing = [needle for needle in needles if needle not in lines[0]]
        if missing:
            return f"the line does not name {missing}: {lines[0]}"
        left = list(pathlib.Path(folder).iterdir())
        return f"left behind: {left}" if left else ""


def check_unwritable(program):
    """The summary cannot be written where there is no folder."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(program, ["--model=debugmodel", "--json=missing/out.json"], folder)
        good = done.returncode == 1 and "missing/out.json" in done.stderr
        if good and not list(pathlib.Path(folder).iterdir()):
            return ""
        return f"exit code {done.returncode}: {done.stderr!r}"


def check_unparsable(program):
    """ns-3's own parser answers flags that are no flags, and prints the usage."""
    for flag in ("--noSuchFlag=1", "--provisioning=maybe", "--quiet=maybe"):
        with tempfile.TemporaryDirectory() as folder:
            done = run(program, [flag], folder)
            first = (done.stderr.splitlines() or [""])[0]
            if done.returncode != 1 or flag not in first:
                return f"{flag}: exit code {done.returncode}, {first}"
    return ""


def main():
    program = str(pathlib.Path(sys.argv[1], "photonic-rails-training").resolve())
    failures = 0
    for flags, needles in CASES:
        problem = check(program, flags, needles)
        if problem:
            failures += 1
            print(f"{' '.join(flags)}: {problem}")
    for extra in (check_unwritable, check_unparsable):
        problem = extra(program)
        if problem:
            failures += 1
            print(f"{extra.__doc__}: {problem}")
    print(f"{len(CASES) + 2} kinds of wrong input, {failures} answered wrongly")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
