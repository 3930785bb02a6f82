#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Jobs with random models, meshes, mesh orders and domains: each that runs on electrical rails runs on photonic rails.

All bytes are delivered, nothing is lost or repeated, and bursts take the same times as packets. Packets are those of
all rails, also where one rail is simulated in bursts.
PHOTONIC_RAILS_SEEDS=all in the environment runs 300 jobs instead of 20; PHOTONIC_RAILS_MESH=12 runs job 12 and prints
its flags.

usage: random-mesh-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from json_schema import Failures

ALL = 300
FEW = 20
MOST_RANKS = 48
SWITCHING = ["--reconfigDelay", "--policy"]  # flags of photonic rails


def draw(seed):
    """@return the flags of a job"""
    numbers = random.Random(seed)
    while True:
        domain = numbers.choice([2, 3, 4, 6, 8])
        degrees = {"tp": numbers.choice([1, 1, 2, 4])}
        for name in ("cp", "fsdp", "pp"):
            degrees[name] = numbers.choice([1, 1, 2, 2, 3, 4])
        data = degrees["cp"] * degrees["fsdp"]
        degrees["dpReplicate"] = numbers.choice([1, 1, 2, 3]) if data > 1 else 1
        ranks = degrees["tp"] * data * degrees["pp"] * degrees["dpReplicate"]
        if ranks % domain == 0 and 2 * domain <= ranks <= MOST_RANKS:
            break
    has_experts = numbers.random() < 0.3
    flags = ["--model=" + ("debugmodel-moe" if has_experts else "debugmodel"), f"--gpusPerDomain={domain}"]
    flags += [f"--{name}={degree}" for name, degree in degrees.items()]
    if has_experts:
        flags.append(f"--ep={numbers.choice([ep for ep in (1, 2, 4, 8) if data % ep == 0])}")
    if numbers.random() < 0.5:
        order = ["pp", "dp", "fsdp", "cp", "tp"]
        numbers.shuffle(order)
        flags.append("--meshOrder=" + "-".join(order))
    if degrees["pp"] > 1:
        flags.append(f"--microBatches={degrees['pp'] * numbers.choice([1, 2])}")
        flags.append("--schedule=" + numbers.choice(["1f1b", "gpipe", "zb-h1"]))
    flags.append(f"--seqLen={degrees['tp'] * degrees['cp'] * 2 * numbers.choice([8, 16, 32])}")
    flags += ["--iterations=2", f"--nicPorts={numbers.choice([2, 2, 4])}"]
    flags.append("--reconfigDelay=" + numbers.choice(["10us", "1ms", "15ms"]))
    flags.append("--policy=" + numbers.choice(["provisioned", "on-demand"]))
    if numbers.random() < 0.25:
        flags.append("--scaleUp=network")
    return flags


def run(program, flags, file):
    """@return summary of the run, or the error"""
    done = subprocess.run([program, *flags, "--quiet", f"--json={file}"], capture_output=True, text=True, timeout=300,
                          check=False)
    if done.returncode != 0:
        return done.stderr.strip()
    return json.loads(file.read_text(encoding="utf-8"))


def check(program, seed, file, failures):
    """Run a job on electrical rails, on photonic rails and there packet by packet. @return false if it is no job"""
    flags = draw(seed)
    job = [flag for flag in flags if flag.split("=")[0] not in SWITCHING]
    electrical = run(program, [*job, "--fabric=electrical"], file)
    if isinstance(electrical, str):
        failures.expect("--" in electrical and "across" not in electrical, f"{seed}: {electrical}")
        return False
    photonic = run(program, flags, file)
    packets = run(program, [*flags, "--fidelity=packet", "--symmetry=none"], file)
    where = f"job {seed}, {' '.join(flags)}: "
    if isinstance(photonic, str) or isinstance(packets, str):
        failures.expect(False, where + (photonic if isinstance(photonic, str) else packets))
        return True
    times = [[one["time_s"] for one in summary["iterations"]] for summary in (photonic, packets)]
    failures.expect(times[0] == times[1], f"{where}{times[0]} in bursts, {times[1]} in packets")
    for summary in (electrical, photonic):
        failures.expect(summary["bytes_delivered"] == summary["bytes_posted"] > 0, where + "bytes are missing")
        failures.expect(summary["packets_lost_at_ocs"] == 0, where + "packets are lost")
        failures.expect(summary["retransmissions"] == 0, where + "packets are repeated")
    return True


def main():
    """Run the jobs."""
    program = pathlib.Path(sys.argv[1]) / "photonic-rails-training"
    failures = Failures()
    wanted = os.environ.get("PHOTONIC_RAILS_MESH")
    count = ALL if os.environ.get("PHOTONIC_RAILS_SEEDS") == "all" else FEW
    seeds = [int(wanted)] if wanted else range(count)
    if wanted:
        print(" ".join(draw(seeds[0])))
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "summary.json")
        jobs = sum(check(program, seed, file, failures) for seed in seeds)
    failures.expect(wanted or jobs > 0.9 * count, f"only {jobs} of {count} are jobs")
    print(f"random search meshes: {len(seeds)} of {ALL} seeds")
    print(f"{jobs} jobs, {failures.count} failures")
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
