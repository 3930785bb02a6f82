#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""10,000 iterations take the memory of 100 and the same times, and their windows are those of the last iterations. A
job that is too large for the memory is refused before anything is built, and the figure is below what jobs take.

* Covers model/analysis/windows

usage: long-run-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

JOB = ["--model=debugmodel", "--seqLen=64", "--tp=1", "--gpusPerDomain=1", "--fsdp=2", "--pp=2", "--microBatches=2",
       "--quiet"]
KEPT = 100
# Flags, and the iterations of the longer run. A row of the results of an iteration has some 100 bytes. All that a job
# does in an iteration has 10,000.
MOST = 200  # bytes that an iteration may add
RUNS = ((["--fabric=electrical", "--hostRunAhead=none"], 10000),
        (["--policy=on-demand", "--reconfigDelay=1us", "--hostRunAhead=none"], 5000),
        (["--fabric=electrical", "--hostRunAhead=ahead", "--jitter=0.1"], 1000))


def run(program, flags, iterations, folder):
    """@return the summary of a run"""
    file = pathlib.Path(folder, "summary.json")
    subprocess.run([program, *JOB, *flags, f"--iterations={iterations}", f"--json={file}"], check=True, timeout=600)
    return json.loads(file.read_text(encoding="utf-8"))


def check_estimate(program, folder):
    """The memory that is asked for is at most what a job takes, and at least a fifth."""
    flags = ["--fabric=electrical", "--tp=1", "--fsdp=64", "--pp=2", "--gpusPerDomain=4", "--symmetry=none"]
    taken = run(program, flags, 1, folder)["peak_rss_bytes"]
    limit = 1 << 30
    flags = ["--fabric=electrical", "--tp=1", "--fsdp=16384", "--pp=2", "--gpusPerDomain=4", "--symmetry=none"]
    refused = subprocess.run([program, *JOB, *flags], capture_output=True, text=True, timeout=300, check=False,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    found = re.fullmatch(r"the simulation of 32768 GPUs takes at least ([\d.]+) GB of memory.* 1\.1 GB; .*\n",
                         refused.stderr)
    if refused.returncode != 1 or not found:
        sys.exit(f"32,768 GPUs in {limit} bytes: {refused.stderr}")
    asked = 20e6 + (float(found[1]) * 1e9 - 20e6) * 128 / 32768
    print(f"128 GPUs take {taken} bytes, at least {asked:.0f} by estimate")
    if not asked <= taken <= 5 * asked:
        sys.exit("the estimate of the memory is wrong")


def main():
    program = pathlib.Path(sys.argv[1]) / "photonic-rails-training"
    with tempfile.TemporaryDirectory() as folder:
        check_estimate(program, folder)
        for flags, count in RUNS:
            short, long = (run(program, flags, iterations, folder) for iterations in (KEPT, count))
            growth = long["peak_rss_bytes"] - short["peak_rss_bytes"]
            print(f"{' '.join(flags)}: {short['peak_rss_bytes']} bytes for {KEPT} iterations, {growth} more for {count}")
            if growth > MOST * count + (1 << 20):
                sys.exit(f"{' '.join(flags)}: memory grows by {growth / count:.0f} bytes with each iteration")
            times = [[one["time_s"] for one in summary["iterations"]] for summary in (short, long)]
            if len(times[1]) != count or times[1][:KEPT] != times[0]:
                sys.exit(f"{' '.join(flags)}: the first {KEPT} iterations of a longer run take other times")
            windows = [[one["windows"] for one in summary["iterations"]] for summary in (short, long)]
            if not all(windows[1][-KEPT:]) or any(windows[1][:-KEPT - 1]):
                sys.exit(f"{' '.join(flags)}: windows are not those of the last {KEPT} iterations")


if __name__ == "__main__":
    main()
