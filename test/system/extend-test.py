#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The programs of examples/extend add a variant each from outside of the module: it can be chosen, is
listed, described and run, and changes what it should.

usage: extend-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

JOB = ["--model=debugmodel", "--seqLen=512", "--tp=2", "--fsdp=1", "--pp=4", "--gpusPerDomain=2",
       "--microBatches=8", "--iterations=2"]


class Extension:
    """A program that adds a variant."""

    def __init__(self, path):
        self.path = path
        self.failures = []

    def run(self, *flags):
        """@return what came of a training job"""
        return self.call(*JOB, *flags)

    def call(self, *arguments):
        """@return what came of a call"""
        return subprocess.run([self.path, *arguments], capture_output=True, text=True, timeout=300, check=False)

    def get_json(self, *flags):
        """@return the JSON of a training job, or None"""
        return self.get_json_of(*JOB, *flags)

    def get_json_of(self, *arguments):
        """@return the JSON of a call, or None"""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "run.json"
            done = self.call(*arguments, f"--json={file}")
            self.expect(done.returncode == 0, f"{arguments}: {done.stderr}")
            return json.loads(file.read_text(encoding="utf-8")) if done.returncode == 0 else None

    def get_times(self, *flags):
        """@return the times of the iterations of a run; none if it failed"""
        run = self.get_json(*flags)
        return [row["time_s"] for row in run["iterations"]] if run else []

    def expect(self, holds, what):
        """Note what does not hold."""
        if not holds:
            self.failures.append(f"{self.path.name}: {what}")


def check_schedule(program):
    """A pipeline schedule: eager 1F1B."""
    chosen = "--schedule=eager-1f1b"
    listed = "1f1b, dualpipev, eager-1f1b, gpipe, interleaved, zb-h1"
    program.expect(listed in program.run("--help").stdout, "--help does not list it")
    refused = program.run("--schedule=lazy")
    program.expect(refused.returncode == 1 and listed in refused.stderr, f"--schedule=lazy: {refused.stderr}")
    refused = program.run(chosen, "--virtualStages=2")
    program.expect(refused.returncode == 1 and "eager-1f1b needs 1 chunk a rank" in refused.stderr, refused.stderr)
    described = program.get_json(chosen, "--describe")
    plain = program.get_json("--schedule=1f1b", "--describe")
    if described and plain:
        program.expect(described["pipeline"]["schedule"] == "eager-1f1b", "--describe does not name it")
        program.expect(described["pipeline"]["bubble"] == plain["pipeline"]["bubble"], "its bubble is not that of 1F1B")
    runs = {name: program.get_json(f"--schedule={name}") for name in ("eager-1f1b", "1f1b")}
    if all(runs.values()):
        times = {name: [row["time_s"] for row in run["iterations"]] for name, run in runs.items()}
        program.expect(times["eager-1f1b"] != times["1f1b"], "it makes no difference")
        program.expect(runs["eager-1f1b"]["bytes_posted"] == runs["1f1b"]["bytes_posted"], "it sends something else")


def check_policy(program):
    """A circuit policy: rings in random order."""
    chosen = "--policy=random-rings"
    listed = "per-call, provisioned, random-rings, rotor"
    program.expect(listed in program.run("--help").stdout, "--help does not list it")
    refused = program.run("--policy=lights-out")
    program.expect(refused.returncode == 1 and listed in refused.stderr, f"--policy=lights-out: {refused.stderr}")
    refused = program.run(chosen, "--nicPorts=1")
    program.expect(refused.returncode == 1 and "--policy=random-rings: a ring takes two ports" in refused.stderr,
                   refused.stderr)
    described = program.get_json(chosen, "--nicPorts=1", "--describe")
    program.expect(described and any("a ring takes two ports" in line for line in described["remarks"]),
                   "--describe does not ask it")
    shown = program.run(chosen).stdout
    program.expect("rings in random order" in shown, "the first line does not describe it")
    program.expect("control plane" not in shown, "there are no controllers")
    compared = program.call("comparison", "--traffic=job", "--fabrics=photonic", *JOB, chosen)
    program.expect("photonic: circuits of --policy=random-rings (polatis, 25ms, rings in random order, seed 1)" in
                   compared.stdout, compared.stdout + compared.stderr)
    refused = program.run(chosen, "--spareDomains=1")
    program.expect(refused.returncode == 1 and "--policy=random-rings: circuits that stay" in refused.stderr,
                   refused.stderr)
    # Its attribute, on the command line and in a sweep.
    seed = "--RandomRingsPolicy::Seed"
    seeded = program.run(chosen, f"{seed}=2").stdout
    program.expect("rings in random order, seed 2" in seeded, f"the attribute is not set: {seeded}")
    wrong = program.run(chosen, "--ns3::RandomRingsPolicy::Seed=2")
    program.expect(wrong.returncode == 1 and f"allowed: {seed}" in wrong.stderr and wrong.stderr.count("\n") == 1,
                   f"a wrong attribute: {wrong.stderr}")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "sweep.csv"
        swept = program.call("sweep", *JOB, chosen, "--vary=RandomRingsPolicy::Seed=1,2,3,4,5,6", f"--csv={file}")
        program.expect(swept.returncode == 0, f"sweep: {swept.stderr}")
        with file.open(newline="", encoding="utf-8") as table:
            times = {row["iteration_s"] for row in csv.DictReader(table)}
        program.expect(len(times) > 1 and "" not in times, f"the seed makes no difference: {times}")
    runs = {name: program.get_json(f"--policy={name}", "--fsdp=2") for name in ("random-rings", "provisioned")}
    if all(runs.values()):
        moves = {name: sum(row["reconfigurations"] for row in run["iterations"][1:]) for name, run in runs.items()}
        program.expect(moves["random-rings"] == 0 and moves["provisioned"] > 0, f"reconfigurations: {moves}")
        program.expect("control" not in runs["random-rings"], "there are no controllers")


def check_lending(program):
    """A policy that lends circuits: leases are held for a time after use."""
    chosen = "--policy=hold"
    program.expect("held for 10 ms after use" in program.run(chosen).stdout, "the first line does not describe it")
    refused = program.run(chosen, "--nicPorts=1")
    program.expect(refused.returncode == 1 and "--policy=hold: a GPU with one port" in refused.stderr, refused.stderr)
    described = program.get_json(chosen, "--nicPorts=1", "--describe")
    program.expect(described and any("a GPU with one port" in line for line in described["remarks"]),
                   "--describe does not ask it")
    runs = {name: program.get_json(f"--policy={name}", "--reconfigDelay=1ms", "--pp=2", "--fsdp=2")
            for name in ("hold", "per-call", "on-demand")}
    if all(runs.values()):
        requests = {name: run["control"]["requests"] for name, run in runs.items()}
        program.expect(requests["on-demand"] <= requests["hold"] < requests["per-call"], f"requests: {requests}")
        program.expect(runs["hold"]["bytes_posted"] == runs["per-call"]["bytes_posted"], "it sends something else")


def check_provider(program):
    """A policy with a provider of its own: a rotor whose GPUs stop before circuits end."""
    flags = ["--reconfigDelay=10us", "--slotTime=50us"]
    chosen = "--policy=guarded-rotor"
    program.expect("in turn, with guard times" in program.run(chosen, *flags).stdout, "the first line is another")
    runs = {name: program.get_json(f"--policy={name}", *flags) for name in ("guarded-rotor", "rotor")}
    if all(runs.values()):
        lost = {name: run["packets_lost_at_ocs"] for name, run in runs.items()}
        program.expect(lost["guarded-rotor"] == 0 and lost["rotor"] > 0, f"lost: {lost}")
        posted = {run["bytes_posted"] for run in runs.values()}
        program.expect(len(posted) == 1, f"it sends something else: {posted}")
        for name, run in runs.items():
            program.expect(all("exposed_reconfiguration_s" not in row for row in run["iterations"]),
                           f"{name}: nobody measures what is exposed")
    swept = program.call("sweep", *JOB, *flags, "--vary=policy=rotor,guarded-rotor")
    lines = [line.split() for line in swept.stdout.splitlines()]
    program.expect(len(lines) == 3 and [line[3] for line in lines] == ["exposed_s", "-", "-"],
                   swept.stdout + swept.stderr)


def get_rows(program, *arguments):
    """@return the rows of the JSON of a run, or []"""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "run.json"
        done = program.call(*arguments, f"--json={file}")
        program.expect(done.returncode == 0, f"{arguments}: {done.stderr}")
        return json.loads(file.read_text(encoding="utf-8"))["rows"] if done.returncode == 0 else []


def check_collective(program):
    """A collective algorithm: AllGather after Bruck."""
    calls = ["collectives", "--collective=AllGather", "--domains=6", "--maxBytes=64K", "--fabric=electrical",
             "--ns3::CollectiveEngine::LibraryTime=false"]
    chosen = "--algorithm=bruck"
    listed = "ring, bruck, channels, direct, halving-doubling, hierarchical"
    program.expect(listed in program.call("collectives", "--help").stdout, "--help does not list it")
    refused = program.call(*calls, "--algorithm=bricks")
    program.expect(refused.returncode == 1 and listed in refused.stderr, f"--algorithm=bricks: {refused.stderr}")
    refused = program.call(*calls, chosen, "--collective=AllReduce")
    program.expect(refused.returncode == 1 and "for AllReduce" in refused.stderr, refused.stderr)
    refused = program.call(*calls, chosen, "--fabric=photonic")
    program.expect(refused.returncode == 1 and "bruck AllGather: on photonic rails" in refused.stderr, refused.stderr)
    rings = get_rows(program, *calls)
    for row, ring in zip(get_rows(program, *calls, chosen), rings, strict=True):
        model = row["textbook_alpha_s"] + row["textbook_beta_s"]
        program.expect(model < row["time_s"] < 1.5 * model, f"{row}: the model gives {model} s")
        program.expect(abs(5 * row["textbook_alpha_s"] / ring["textbook_alpha_s"] - 3) < 1e-6, "3 rounds in place of 5")
        program.expect(row["time_s"] < 0.8 * ring["time_s"], "no faster than a ring")
        program.expect(row["bytes_posted"] == ring["bytes_posted"], "it sends something else")
    checked = program.call("collectives", "--collective=AllGather", chosen, "--check")
    program.expect(checked.returncode == 0 and "bruck AllGather, 2 to 16 ranks" in checked.stdout,
                   f"--check: {checked.stdout}{checked.stderr}")
    job = ["--model=debugmodel", "--seqLen=512", "--tp=1", "--fsdp=6", "--pp=1", "--gpusPerDomain=1", "--iterations=1",
           "--fabric=electrical"]
    runs = [program.call(*job, *flags) for flags in ([], ["--algorithms=AllGather=bruck"])]
    program.expect(all(run.returncode == 0 for run in runs) and runs[0].stdout != runs[1].stdout,
                   f"a job with it: {runs[1].stderr}")
    compared = program.call("comparison", "--traffic=collective", "--collective=AllGather", "--domains=6", chosen,
                            "--fabrics=electrical,fat-tree", "--bytes=64K")
    program.expect(compared.returncode == 0 and "bruck AllGather" in compared.stdout, compared.stdout + compared.stderr)
    wrong = program.call("collective")
    program.expect(wrong.returncode == 1 and "sweep, collectives, comparison, compare or jobs" in wrong.stderr, wrong.stderr)


def check_technology(program):
    """An OCS technology: a silicon photonic switch."""
    chosen = "--ocs=sip-mems"
    listed = "robotic, rotornet, sip, sip-mems"
    program.expect(listed in program.run("--help").stdout, "--help does not list it")
    refused = program.run("--ocs=candle")
    program.expect(refused.returncode == 1 and listed in refused.stderr, f"--ocs=candle: {refused.stderr}")
    refused = program.run(chosen, "--ns3::PipSwitchFabric::Rows=8")
    program.expect(refused.returncode == 1 and "no effect with --ocs=sip-mems" in refused.stderr, refused.stderr)
    refused = program.run(chosen, "--pp=1", "--fsdp=121", "--microBatches=1")
    program.expect(refused.returncode == 1 and "the radix of sip-mems is 240" in refused.stderr, refused.stderr)
    described = program.get_json(chosen, "--describe")
    if described:
        program.expect(described["settings"]["ocs"] == "sip-mems", "--describe does not name it")
        program.expect(described["derived"]["reconfigDelay"] == "400ns", "--describe does not tell its delay")
    times = {name: program.get_times(f"--ocs={name}") for name in ("sip-mems", "polatis")}
    program.expect(times["sip-mems"] < times["polatis"], f"it makes no difference: {times}")
    # A fabric by its type: on any technology, in place of its own.
    fabric = "--ns3::OpticalCircuitSwitch::Fabric=ns3::PipSwitchFabric[Rows=6|Columns=6|Ports={}]"
    refused = program.run(chosen, fabric.format(4))
    program.expect(refused.returncode == 1 and "but its fabric has 4" in refused.stderr, refused.stderr)
    program.expect(program.get_times(chosen, fabric.format(8)), "it does not run with a fabric")


def check_fabric(program):
    """An electrical fabric: one big switch."""
    chosen = "--fabric=big-switch"
    listed = "photonic, big-switch, electrical, fat-tree, leaf-spine, rail-only"
    program.expect(listed in program.run("--help").stdout, "--help does not list it")
    refused = program.run("--fabric=web")
    program.expect(refused.returncode == 1 and listed in refused.stderr, f"--fabric=web: {refused.stderr}")
    refused = program.run(chosen, "--switchRadix=8")
    program.expect(refused.returncode == 1 and "one switch for all needs 16 ports, but its radix is 8" in refused.stderr,
                   refused.stderr)
    described = program.get_json(chosen, "--describe")
    program.expect(described and described["fabric"] == "big-switch", "--describe does not name it")
    # Groups across domains and rails, which fabrics of rails alone refuse with its name.
    across = ["--tp=1", "--fsdp=8", "--pp=1", "--scaleUp=none"]
    program.expect(program.get_times(chosen, *across), "it does not join rails")
    refused = program.run("--fabric=electrical", *across)
    program.expect(refused.returncode == 1 and "big-switch, fat-tree, leaf-spine" in refused.stderr, refused.stderr)
    times = {"big-switch": program.get_times(chosen),
             "leaf-spine": program.get_times("--fabric=leaf-spine", "--switchRadix=8")}
    program.expect(times["big-switch"] < times["leaf-spine"], f"it makes no difference: {times}")


def check_control(program):
    """A congestion control: TIMELY."""
    chosen = ["--fabric=electrical", "--cc=timely"]
    listed = "none, dcqcn, dcqcn-paper, swift, timely"
    program.expect(listed in program.run("--help=all").stdout, "--help does not list it")
    refused = program.run("--cc=hope")
    program.expect(refused.returncode == 1 and listed in refused.stderr, f"--cc=hope: {refused.stderr}")
    described = program.get_json(*chosen, "--describe")
    program.expect(described and described["settings"]["cc"] == "timely", "--describe does not name it")
    times = program.get_times(*chosen, "--ecn=false")
    slow = program.get_times(*chosen, "--TimelyControl::LowDelay=1us", "--TimelyControl::HighDelay=2us")
    program.expect(times and sum(times) < sum(slow), f"it makes no difference: {times}, {slow}")


def check_balancing(program):
    """A load balancing that keeps the order of flows: the destination chooses the port."""
    chosen = "--loadBalancing=d-mod-k"
    listed = "adaptive, d-mod-k, ecmp"
    program.expect(listed in program.run("--help=all").stdout, "--help does not list it")
    refused = program.run("--fabric=leaf-spine", "--loadBalancing=best")
    program.expect(refused.returncode == 1 and listed in refused.stderr, f"--loadBalancing=best: {refused.stderr}")

    def get_time(*flags):
        compared = program.get_json_of("comparison", "--traffic=permutation", "--fabrics=leaf-spine", "--domains=32",
                                       "--switchRadix=8", "--bytes=64K", "--latency=false", *flags)
        return compared and compared["runs"][0]["completion_s"]

    times = [get_time(), get_time(chosen), get_time("--ns3::ElectricalSwitch::LoadBalancing=d-mod-k"),
             get_time(chosen, "--DestinationModulo::Divisor=4")]
    program.expect(times[0] != times[1] == times[2] != times[3], f"ecmp, by flag, by attribute, by 4: {times}")


CHECKS = {"photonic-rails-extend-balancing": check_balancing, "photonic-rails-extend-collective": check_collective, "photonic-rails-extend-control": check_control,
          "photonic-rails-extend-fabric": check_fabric, "photonic-rails-extend-lending": check_lending,
          "photonic-rails-extend-policy": check_policy, "photonic-rails-extend-provider": check_provider,
          "photonic-rails-extend-schedule": check_schedule, "photonic-rails-extend-technology": check_technology}


def main():
    """Check all extensions."""
    folder = pathlib.Path(sys.argv[1])
    sources = pathlib.Path(__file__).resolve().parents[2] / "examples" / "extend"
    names = sorted(path.stem for path in sources.glob("*.cc"))
    failures = [] if names == sorted(CHECKS) else [f"programs {names}, checks {sorted(CHECKS)}"]
    for name, check in CHECKS.items():
        program = Extension(folder / name)
        check(program)
        failures += program.failures
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
