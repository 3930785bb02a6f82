#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""photonic-rails-jobs: the JSON is as documented and reproducible, a job alone takes the times of
photonic-rails-training, jobs that share no link do not slow each other down, those that share links do, and wrong
files are refused with one line.

usage: jobs-json-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import json
import pathlib
import subprocess
import sys
import tempfile

import json_schema

DENSE = {"model": "debugmodel", "tp": 1, "fsdp": 4, "pp": 1, "seqLen": 512, "iterations": 2,
         "hostRunAhead": "none"}
EXPERTS = {"model": "debugmodel-moe", "tp": 1, "fsdp": 4, "ep": 4, "pp": 1, "seqLen": 256, "iterations": 3,
           "hostRunAhead": "none"}
MIX = {"jobs": [{"name": "dense", "flags": DENSE}, {"name": "experts", "start": "300us", "flags": EXPERTS}]}
OF_THE_MACHINE = ("wall_s", "peak_rss_bytes")
CLUSTER = ["--gpusPerDomain=1", "--domains=8"]
WRONG = [({}, "an object with the key jobs"), ({"jobs": []}, "1 to 256 objects"), ({"jobs": [1]}, "jobs[0] must be an"),
         ({"jobs": [{"flags": {}}]}, "jobs[0].name"), ({"jobs": [{"name": "a", "size": 1}]}, "size"),
         ({"jobs": [{"name": "a", "start": "soon"}]}, "jobs[0].start must be a time"),
         ({"jobs": [{"name": "a"}, {"name": "a"}]}, "jobs[1].name must be a text without"),
         ({"jobs": [{"name": "a\nb"}]}, "jobs[0].name must be a text without control characters"),
         ({"jobs": [{"name": "a"}], "job": 1}, "job is not known; allowed is the key jobs alone"),
         ({"jobs": [{"name": "a", "flags": {"fabric": "electrical"}}]}, "fabric is no flag of a job"),
         ({"jobs": [{"name": "a", "flags": {"ns3::RdmaQueuePair::Mtu": 256}}]}, "Mtu holds for all jobs"),
         ({"jobs": [{"name": "a", "flags": {"model": "none"}}]}, "job a: --model=none is not allowed"),
         ({"jobs": [{"name": "a", "flags": {**DENSE, "fsdp": 16}}]}, "--domains=8 is not allowed")]


class Runner:
    """Runs the programs in a folder."""

    def __init__(self, examples, folder):
        self.examples = pathlib.Path(examples).resolve()
        self.folder = pathlib.Path(folder)
        self.failures = json_schema.Failures()
        self.schema = json_schema.Schema("jobs-json.md", free=["jobs[].settings"])

    def expect(self, holds, what):
        """Note a failure unless something holds."""
        self.failures.expect(holds, what)

    def start(self, mix, flags):
        """@return the process, after it has ended."""
        (self.folder / "mix.json").write_text(json.dumps(mix))
        return subprocess.run([self.examples / "photonic-rails-jobs", "--mix=mix.json", *CLUSTER, *flags],
                              cwd=self.folder, capture_output=True, text=True, timeout=300, check=False)

    def run(self, flags, mix=None):
        """@return the JSON of a mix, checked against its page."""
        done = self.start(mix or MIX, [*flags, "--json=out.json"])
        if done.returncode != 0:
            sys.exit(f"{flags}: exit code {done.returncode}: {done.stderr}")
        report = json_schema.read((self.folder / "out.json").read_text())
        self.schema.check(report, str(flags), self.failures)
        return report

    def train(self, job, flags):
        """@return the times of iterations of photonic-rails-training."""
        given = [f"--{name}={value}" for name, value in job.items()]
        subprocess.run([self.examples / "photonic-rails-training", *given, "--gpusPerDomain=1", *flags,
                        "--symmetry=none", "--quiet", "--json=run.json"], cwd=self.folder, check=True)
        run = json.loads((self.folder / "run.json").read_text())
        return [iteration["time_s"] for iteration in run["iterations"]]


def check(runner):
    """Compare mixes with single runs and with each other."""
    slowdowns = {}
    for placement in ("packed", "spread", "random"):
        for fabric in (["--fabric=electrical"], ["--fabric=leaf-spine", "--switchRadix=8"],
                       ["--fabric=photonic", "--reconfigDelay=100us"]):
            flags = [*fabric, f"--placement={placement}"]
            report = runner.run(flags)
            jobs = report["jobs"]
            runner.expect([job["name"] for job in jobs] == ["dense", "experts"], f"{flags}: names")
            taken = [domain for job in jobs for domain in job["domains"]]
            runner.expect(len(set(taken)) == 8, f"{flags}: domains {taken}")
            runner.expect([len(job["iterations_together_s"]) for job in jobs] == [2, 3], f"{flags}: iterations")
            for job in jobs:
                runner.expect(job["slowdown"] > 1 - 1e-9, f"{flags}: {job['name']} is faster with others")
                slowdowns[job["name"], fabric[0], placement] = job["slowdown"]
            again = runner.run(flags)
            for key in OF_THE_MACHINE:
                report.pop(key), again.pop(key)
            runner.expect(report == again, f"{flags}: two runs differ")
    for name, spec in (("dense", DENSE), ("experts", EXPERTS)):
        for placement in ("packed", "spread", "random"):
            runner.expect(slowdowns[name, "--fabric=electrical", placement] == 1,
                          f"{name} is slowed down on electrical rails, where it shares no link")
        report = runner.run(["--fabric=electrical"])
        alone = next(job["iterations_alone_s"] for job in report["jobs"] if job["name"] == name)
        single = runner.train(spec, ["--fabric=electrical"])
        runner.expect(all(abs(a - b) < 1e-9 for a, b in zip(alone, single)), f"{name}: {alone}, alone {single}")
    runner.expect(min(slowdowns["dense", "--fabric=leaf-spine", placement]
                      for placement in ("spread", "random")) > 1.01, f"no job slows down another one: {slowdowns}")
    for key, value in sorted(slowdowns.items()):
        print(*key, value)


def check_checkpoints(runner):
    """Checkpoints on their way to storage slow another job down where both share links."""
    messages = [(0.0001 * turn, rank, 4 + rank % 2, 8 << 20) for turn in range(3) for rank in range(4)]
    with open(runner.folder / "checkpoints.csv", "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in ["time_s,source,destination,bytes",
                                                 *(",".join(map(str, message)) for message in messages)])
    job = {"name": "checkpoints", "start": "200us", "flags": {"trace": "checkpoints.csv", "iterations": 1}}
    mix = {"jobs": [job, {"name": "dense", "flags": DENSE}]}
    for fabric in (["--fabric=electrical"], ["--fabric=leaf-spine", "--switchRadix=8"],
                   ["--fabric=photonic", "--reconfigDelay=10us"]):
        checkpoints, dense = runner.run([*fabric, "--domains=12", "--placement=spread"], mix)["jobs"]
        runner.expect((checkpoints["gpus"], dense["gpus"]) == (6, 4), f"{fabric}: {checkpoints['gpus']} ranks")
        runner.expect(checkpoints["alone_s"] > 6 * (8 << 20) * 8 / 400e9, "a server takes 48 MiB at 400 Gbit/s")
        slows = dense["slowdown"] > 1.01 if fabric[0] == "--fabric=leaf-spine" else dense["slowdown"] < 1 + 1e-6
        runner.expect(slows, f"{fabric}: slowdown {dense['slowdown']}")
        print("checkpoints", fabric[0], checkpoints["alone_s"], dense["slowdown"])


def check_wrong(runner):
    """Files that are refused."""
    for mix, expected in WRONG:
        done = runner.start(mix, ["--fabric=electrical"])
        lines = done.stderr.strip().splitlines()
        runner.expect(done.returncode == 1 and len(lines) == 1 and expected in lines[0],
                      f"{mix}: exit code {done.returncode}, {lines}")
    done = runner.start(MIX, ["--fabric=leaf-spine", "--switchRadix=8", "--ns3::ClosFabric::Spines=1"])
    runner.expect(done.returncode == 1 and "a cluster of 8 domains: the 4 uplinks" in done.stderr, done.stderr)
    done = runner.start(MIX, ["--policy=rotor"])
    runner.expect(done.returncode == 1 and "--policy=rotor plans the circuits of one job" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(sys.argv[1], folder)
        check(runner)
        check_checkpoints(runner)
        check_wrong(runner)
    if runner.failures.count:
        sys.exit(1)


main()
