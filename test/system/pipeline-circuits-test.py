#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The links of a pipeline stay up side by side: with two ports and no data parallelism a step has no
reconfiguration and takes equally long whatever the switching time. With one port, stages switch between neighbours.

usage: pipeline-circuits-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import json
import pathlib
import subprocess
import sys
import tempfile

PIPELINE = ["--model=debugmodel", "--framework=megatron-lm", "--tp=1", "--gpusPerDomain=1", "--fsdp=1",
            "--seqLen=512", "--microBatches=8", "--microBatchSize=1", "--iterations=3", "--quiet"]
# Stages: flags by which the six layers are split among them.
STAGES = {"3": [], "6": [], "3 of two chunks": ["--schedule=interleaved", "--virtualStages=2", "--microBatches=6"]}
POLICIES = ("on-demand", "provisioned", "per-call")
DELAYS = ("1us", "100ms", "750ms")
CONTROL_S = 0.002  # of requests for circuits that are up, in a step


def run(folder, *flags):
    """@return the last iteration of a run: its time, s, and its reconfigurations."""
    with tempfile.TemporaryDirectory() as scratch:
        summary = pathlib.Path(scratch) / "run.json"
        subprocess.run([folder / "photonic-rails-training", *PIPELINE, *flags, f"--json={summary}"], check=True)
        last = json.loads(summary.read_text())["iterations"][-1]
    return last["time_s"], last["reconfigurations"]


def main():
    folder = pathlib.Path(sys.argv[1])
    faults = []
    for name, flags in STAGES.items():
        job = [f"--pp={name[0]}", *flags]
        electrical, _ = run(folder, *job, "--fabric=electrical")
        for policy in POLICIES:
            runs = {delay: run(folder, *job, f"--policy={policy}", f"--reconfigDelay={delay}") for delay in DELAYS}
            times = [time for time, _ in runs.values()]
            if max(times) - min(times) > CONTROL_S or max(times) - electrical > 0.1 * electrical + CONTROL_S:
                faults.append(f"pp {name}, {policy}: {runs}, and {electrical} s on electrical rails")
            if any(switched for _, switched in runs.values()):
                faults.append(f"pp {name}, {policy} switches in the last iteration: {runs}")
    # A single port leads to one neighbour at a time, and to no ring: scalars take the network of the hosts.
    one = ["--pp=3", "--nicPorts=1", "--hostNetwork=100Gbps", "--hostThreshold=1K"]
    short, switched = run(folder, *one, "--reconfigDelay=1us")
    long, _ = run(folder, *one, "--reconfigDelay=100ms")
    if switched == 0 or long < short + 0.1:
        faults.append(f"one port: {switched} reconfigurations, {short} s and {long} s")
    print("\n".join(faults) or "the links of pipelines stay up")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
