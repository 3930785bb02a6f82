#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Training jobs whose collectives have other algorithms than rings: they send what their schedules say, take other
times, and are refused where they cannot run.

usage: algorithms-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

# AllReduce of gradients by 4 replicas along each of 2 rails; every rank is alone in its domain there.
JOB = ["--model=debugmodel", "--seqLen=512", "--tp=2", "--fsdp=1", "--dpReplicate=4", "--pp=1", "--gpusPerDomain=2",
       "--framework=megatron-lm", "--dataParallelism=ddp", "--iterations=2"]
REPLICAS = 4
FSDP = ["--model=debugmodel", "--seqLen=512", "--tp=2", "--fsdp=4", "--pp=1", "--gpusPerDomain=2", "--iterations=2",
        "--hostRunAhead=none"]
TREE = "--algorithms=AllReduce=tree"


class Programs:
    """Runs the programs and notes what is wrong."""

    def __init__(self, folder):
        self.folder = folder
        self.failures = []

    def call(self, name, *flags):
        """@return what came of a call"""
        return subprocess.run([self.folder / f"photonic-rails-{name}", *flags], capture_output=True, text=True,
                              timeout=300, check=False)

    def read(self, *flags):
        """@return the JSON of a training job"""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "run.json"
            done = self.call("training", *flags, f"--json={file}")
            if done.returncode != 0:
                sys.exit(f"{flags}: {done.stderr}")
            return json.loads(file.read_text(encoding="utf-8"))

    def expect(self, holds, what):
        """Note what does not hold."""
        if not holds:
            self.failures.append(what)

    def expect_refused(self, flags, *needles):
        """One line that says why."""
        done = self.call("training", *flags)
        line = done.stderr.strip()
        self.expect(done.returncode == 1 and "\n" not in line and all(needle in line for needle in needles),
                    f"{flags}: {done.returncode}, {line}")


def get_times(run):
    """@return the times of the iterations"""
    return [row["time_s"] for row in run["iterations"]]


def check_bytes(programs):
    """Each byte goes to every other replica and comes from it once, whatever the algorithm."""
    ring = programs.read(*JOB, "--fabric=electrical")
    runs = {name: programs.read(*JOB, "--fabric=electrical", f"--algorithms=AllReduce={name}")
            for name in ("ring", "tree", "direct", "halving-doubling")}
    reduced = sum(run["input_bytes"] for kind, run in ring["collectives"].items() if kind == "AllReduce")
    programs.expect(reduced > 0, "the job has no AllReduce")
    programs.expect(get_times(runs["ring"]) == get_times(ring), "rings that are chosen are other rings")
    for name, run in runs.items():
        programs.expect(run["settings"]["algorithms"] == f"AllReduce={name}", f"{name}: {run['settings']}")
        programs.expect(run["bytes_posted"] == run["bytes_delivered"] == ring["bytes_posted"],
                        f"{name}: {run['bytes_posted']} bytes, rings {ring['bytes_posted']}")
        programs.expect(name == "ring" or get_times(run) != get_times(ring), f"{name} makes no difference")
        described = programs.read(*JOB, "--fabric=electrical", f"--algorithms=AllReduce={name}", "--describe")
        programs.expect(described["scale_out_sent_bytes"] == run["bytes_posted"] // len(run["iterations"]),
                        f"{name}: described are {described['scale_out_sent_bytes']} bytes")
    most = {name: programs.read(*JOB, "--fabric=electrical", "--describe", *flags)["rank_classes"][0]["scale_out_s"]
            for name, flags in {"ring": [], "tree": [TREE]}.items()}
    programs.expect(most["tree"] > most["ring"], f"the busiest rank of a tree sends more: {most}")


def check_circuits(programs):
    """Where circuits do not stay, only neighbours have connectors."""
    tree = [*JOB, TREE]
    programs.expect_refused(tree, f"{TREE} cannot be used", "tree AllReduce: on photonic rails", "DIRECT", "--policy")
    described = programs.read(*tree, "--describe")
    programs.expect(any("DIRECT" in remark for remark in described["remarks"]), f"remarks: {described['remarks']}")
    for policy in ("one-topology", "torus", "rotor"):
        run = programs.read(*tree, f"--policy={policy}")
        programs.expect(len(run["iterations"]) == 2 and run["bytes_posted"] == run["bytes_delivered"],
                        f"{policy}: {run['bytes_posted']}, {run['bytes_delivered']}")
    # Ports are planned for the messages of the trees, of which a rank may have three.
    programs.expect_refused([*tree, "--policy=static-partition"], "--policy=static-partition", "between dp (3)")


def check_refusals(programs):
    """What cannot be, or has no effect."""
    electrical = "--fabric=electrical"
    programs.expect_refused([*JOB, electrical, "--algorithms=AllReduce=stragglar"], "--algorithms=AllReduce=stragglar",
                            "AllReduce=NAME with one of ring, channels")
    programs.expect_refused([*JOB, electrical, "--algorithms=tree"], "--algorithms=tree", "KIND=NAME")
    programs.expect_refused([*JOB, electrical, "--algorithms=AllToAll=pairwise"], "--algorithms=AllToAll=pairwise",
                            "no group that is simulated calls AllToAll")
    programs.expect_refused([*FSDP[:3], "--tp=2", "--fsdp=3", "--pp=1", "--gpusPerDomain=2", electrical,
                             "--algorithms=AllGather=halving-doubling"], "cannot be used", "halving-doubling")


def check_places(programs):
    """Spare GPUs, one rail for all, the network of a domain, files, sweeps and comparisons."""
    electrical = [*JOB, "--fabric=electrical", TREE]
    whole = programs.read(*electrical)
    rail = programs.read(*electrical, "--symmetry=rails")
    programs.expect(get_times(rail) == get_times(whole) and rail["bytes_posted"] == whole["bytes_posted"],
                    "one rail is another job")
    spare = programs.read(*electrical, "--spareDomains=1", "--fault=gpu:1@1ms")
    programs.expect(len(spare["recoveries"]) == 1, "no recovery with trees")
    inside = programs.read(*FSDP, "--fabric=electrical", "--scaleUp=h100", "--algorithms=AllGather=direct")
    programs.expect(get_times(inside) != get_times(programs.read(*FSDP, "--fabric=electrical", "--scaleUp=h100")),
                    "direct AllGather makes no difference")
    with tempfile.TemporaryDirectory() as folder:
        job = pathlib.Path(folder) / "job.json"
        job.write_text(json.dumps(dict(whole["settings"], fabric="electrical", iterations=2)))
        programs.expect(get_times(programs.read(f"--job={job}")) == get_times(whole), "a job file is another job")
        table = pathlib.Path(folder) / "sweep.csv"
        done = programs.call("sweep", *JOB, "--fabric=electrical", f"--csv={table}",
                             "--vary=algorithms=AllReduce=ring,AllReduce=tree")
        programs.expect(done.returncode == 0, f"sweep: {done.stderr}")
        with table.open(newline="", encoding="utf-8") as file:
            times = [float(row["iteration_s"]) for row in csv.DictReader(file)]
        programs.expect(len(times) == 2 and abs(times[1] - get_times(whole)[-1]) < 1e-9, f"sweep: {times}")
    flags = [flag for flag in JOB if flag != "--fabric=electrical"]
    done = programs.call("fabric-comparison", "--traffic=job", *flags, TREE, "--fabrics=electrical,photonic")
    programs.expect(done.returncode == 0 and "DIRECT" in done.stdout and "AllReduce=tree" in done.stdout,
                    f"comparison: {done.stdout}{done.stderr}")


def check_check(programs):
    """--check of collectives."""
    for kind, names in {"AllReduce": ("ring", "tree", "stragglar"), "AllToAll": ("pxn", "direct")}.items():
        for name in names:
            done = programs.call("collectives", f"--collective={kind}", f"--algorithm={name}", "--check")
            programs.expect(done.returncode == 0 and f"{name} {kind}, 2 to 16 ranks" in done.stdout,
                            f"--check: {done.stdout}{done.stderr}")


def main():
    programs = Programs(pathlib.Path(sys.argv[1]).resolve())
    for check in (check_bytes, check_circuits, check_refusals, check_places, check_check):
        check(programs)
    for failure in programs.failures:
        print("FAILED:", failure)
    sys.exit(1 if programs.failures else 0)


if __name__ == "__main__":
    main()
