#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""10,000 iterations take the memory of 100 and the same times, and their windows are those
of the last iterations.

* Covers model/analysis/windows

usage: long-run-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import json
import pathlib
import subprocess
import sys
import tempfile

JOB = ["--model=debugmodel", "--seqLen=64", "--tp=1", "--gpusPerDomain=1", "--fsdp=2", "--pp=2", "--microBatches=2",
       "--quiet"]
KEPT = 100
# Flags, and the iterations of the longer run.
RUNS = ((["--fabric=electrical"], 10000), (["--policy=on-demand", "--reconfigDelay=1us"], 2000),
        (["--hostRunAhead=ahead", "--jitter=0.1"], 2000))


def run(program, flags, iterations, folder):
    """@return the summary of a run"""
    file = pathlib.Path(folder, "summary.json")
    subprocess.run([program, *JOB, *flags, f"--iterations={iterations}", f"--json={file}"], check=True, timeout=600)
    return json.loads(file.read_text(encoding="utf-8"))


def main():
    program = pathlib.Path(sys.argv[1]) / "photonic-rails-training"
    with tempfile.TemporaryDirectory() as folder:
        for flags, count in RUNS:
            short, long = (run(program, flags, iterations, folder) for iterations in (KEPT, count))
            growth = long["peak_rss_bytes"] - short["peak_rss_bytes"]
            print(f"{' '.join(flags)}: {short['peak_rss_bytes']} bytes for {KEPT} iterations, {growth} more for {count}")
            # A row of an iteration has some 100 bytes; all that a job does in an iteration has thousands.
            if growth > 200 * count:
                sys.exit(f"{' '.join(flags)}: memory grows by {growth / count:.0f} bytes with each iteration")
            times = [[one["time_s"] for one in summary["iterations"]] for summary in (short, long)]
            if len(times[1]) != count or times[1][:KEPT] != times[0]:
                sys.exit(f"{' '.join(flags)}: the first {KEPT} iterations of a longer run take other times")
            windows = [[one["windows"] for one in summary["iterations"]] for summary in (short, long)]
            if not all(windows[1][-KEPT:]) or any(windows[1][:-KEPT - 1]):
                sys.exit(f"{' '.join(flags)}: windows are not those of the last {KEPT} iterations")


if __name__ == "__main__":
    main()
