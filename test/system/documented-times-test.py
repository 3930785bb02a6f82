#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tables of iteration times in doc/ are what photonic-rails-training shows today, to the last digit
that is printed there: times against reconfiguration delay beside measured ones and their difference,
policies of circuits on 16 and 64 GPUs, circuits beside a switch, pipelines provisioned and on demand,
hosts that run ahead, AllToAlls of Mixtral on lent circuits.

Cells whose runs take longer are left out: the rotor at 10 us, and Mixtral with pairwise, or planned below 15 ms.

usage: documented-times-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import typing

from rst_tables import DOC, read_simple_table, read_table

DELAYS = ("10us", "1ms", "15ms", "25ms", "100ms")
JOB_64 = ("--tp=4", "--fsdp=4", "--pp=4", "--microBatches=8", "--nicPorts=4", "--portRate=50Gbps")
# Pages on other models have the kernels of the recorded job.
RECORDED = ("--computeEfficiency=0.29", "--fusion=all", "--hostRunAhead=none")
STATIC = ("static-partition", "one-topology", "torus")


def flags_in(cell):
    """@return the flags that a cell has between double backquotes."""
    return [flag for text in re.findall(r"``(--[^`]*)``", cell) for flag in text.split()]


class Last(typing.NamedTuple):
    """The last iteration of a run."""
    time: float
    reconfigurations: int
    exposed: float  # None where nothing measures it
    light: float  # of all iterations


class Runs:
    """Runs of the training program, several at a time."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
        self.count = 0

    def start(self, *flags):
        """@return a future with the Last iteration."""
        self.count += 1
        return self.pool.submit(self._run, self.folder / f"{self.count}.json", flags)

    def _run(self, out, flags):
        subprocess.run([self.program, "--quiet", f"--json={out}", *flags], check=True, timeout=300)
        summary = json.loads(out.read_text())
        last = summary["iterations"][-1]
        return Last(last["time_s"], last["reconfigurations"], last.get("exposed_reconfiguration_s"),
                    summary["light_share"])


def get_delay_cells(runs):
    """Yield (what, printed text, function that makes the text of a result, future)."""
    def difference(measured):
        return lambda result: f"{(round(result.time, 3) / float(measured) - 1) * 100:+.1f} %"

    for row in read_table("validation.rst", "time-against-delay"):
        for policy, at in (("on-demand", 1), ("provisioned", 4)):
            run = runs.start("--iterations=2", f"--policy={policy}", f"--reconfigDelay={row[0].replace(' ', '')}")
            what = f"validation.rst, {row[0]}, {policy}"
            yield what, row[at], lambda result: f"{result.time:.3f}", run
            yield what, row[at + 2], difference(row[at + 1]), run


def write_light(first):
    """@return a function that makes the text of shares of light: of a first run and of another."""
    def write(result):
        shares = [f"{100 * run.light:.0f}" for run in (first.result(), result)]
        return " to ".join(dict.fromkeys(shares)) + " %"
    return write


def get_policy_cells(runs):
    """The same."""
    for row in read_table("circuit-policies.rst", "policies-of-circuits"):
        policy = row[0].split("`")[2]
        flags = [f"--policy={policy}", "--hostRunAhead=none", *flags_in(row[0])]
        if policy in ("one-topology", "torus", "rotor"):
            flags.append("--iterations=2")
        started = {delay: runs.start(*flags, f"--reconfigDelay={delay}") for delay in DELAYS
                   if (policy, delay) != ("rotor", "10us")}
        for delay, run in started.items():
            what = f"circuit-policies.rst, {row[0]}, {delay}"
            yield what, row[1 + DELAYS.index(delay)], lambda result: f"{result.time:.4f}", run
            if policy != "rotor":
                yield what, row[6], lambda result: str(result.reconfigurations), run
        first, *_, last = started.values()
        yield f"circuit-policies.rst, {row[0]}, light", row[7], write_light(first), last
        if policy == "rotor":
            yield ("circuit-policies.rst, rotor, 100ms", row[6].split(" to ")[1],
                   lambda result: str(result.reconfigurations), last)


def get_policy_cells_64(runs):
    """The same."""
    pairs, links, few = re.search(r"make (\d+) reconfigurations\s+an iteration where stages have pairs, with ``oracle`` and "
                                  r"up to 1 ms, and (\d+) where they have links .*, but\s+for ``per-call`` and "
                                  r"``on-demand`` at 100 ms, which make (\d+):",
                                  (DOC / "circuit-policies.rst").read_text()).groups()
    for row in read_table("circuit-policies.rst", "policies-of-circuits-64"):
        policy = row[0].strip("`")
        flags = [*JOB_64, f"--policy={policy}", "--hostRunAhead=none", *(["--iterations=2"] if policy in STATIC else [])]
        started = {delay: runs.start(*flags, f"--reconfigDelay={delay}") for delay in DELAYS}
        for delay, run in started.items():
            what = f"circuit-policies.rst, 64 GPUs, {policy}, {delay}"
            yield what, row[1 + DELAYS.index(delay)], lambda result: f"{result.time:.4f}", run
            count = ("0" if policy in STATIC else
                     pairs if policy == "oracle" or delay in ("10us", "1ms") else
                     few if delay == "100ms" and policy != "provisioned" else links)
            yield what, count, lambda result: str(result.reconfigurations), run
        what = f"circuit-policies.rst, 64 GPUs, {policy}"
        yield what, row[6], lambda result: f"{result.exposed:.3f}" if result.exposed else "0", started["25ms"]
        yield what, row[7], write_light(started["10us"]), started["100ms"]


def get_switch_cells(runs):
    """The same."""
    for row in read_table("optical.rst", "circuits-against-a-switch"):
        fabric = ["--policy=on-demand"] if row[0].startswith("circuits") else ["--fabric=electrical"]
        run = runs.start("--model=debugmodel", "--seqLen=512", "--recomputation=full", *RECORDED, *fabric, *flags_in(row[0]))
        yield f"optical.rst, {row[0]}", row[1], lambda result: f"{result.time * 1000:.4f}", run


def get_pipeline_cells(runs):
    """The same."""
    for row in read_table("opus.rst", "provisioned-beside-on-demand"):
        for policy, cell in zip(("provisioned", "on-demand"), row[1:]):
            run = runs.start("--model=debugmodel", "--tp=1", "--gpusPerDomain=1", "--recomputation=full",
                             *RECORDED, f"--policy={policy}", *flags_in(row[0]))
            yield f"opus.rst, {row[0]}, {policy}", cell, lambda result: f"{result.time:.4f} ({result.reconfigurations})", run


def get_stage_cells(runs):
    """The same; what stands in brackets was measured before."""
    job = ("--model=llama3-8b", "--framework=megatron-lm", "--recomputation=full", "--tp=4", "--fsdp=1",
           "--microBatches=8", "--microBatchSize=1", *RECORDED)
    for row in read_table("opus.rst", "pipelines-over-delay"):
        policy, delay = row[0].strip("`"), row[1].replace(" ", "")
        for stages, cell in zip((("--pp=3", "--split=weighted"), ("--pp=4",), ("--pp=8",)), row[2:]):
            run = runs.start(*job, *stages, f"--policy={policy}", f"--reconfigDelay={delay}")
            what = f"opus.rst, {stages[0]}, {policy}, {delay}"
            yield what, cell.split(" (")[0], lambda result: f"{result.time:.4f}", run
            yield what + ", reconfigurations", "0", lambda result: str(result.reconfigurations), run


# The last one has no predictions, and stands in the tables of both policies.
HOSTS = (("none",), ("ahead",), ("none", "--freeGathers"), ("ahead", "--freeGathers"),
         ("ahead", "--policy=on-demand", "--freeGathers", "--ns3::HostThread::KernelsPerComputation=80"))


def get_host_cells(runs):
    """The same."""
    for policy in ("on-demand", "provisioned"):
        started = {}

        def start(delay, hosts):
            if (delay, hosts) not in started:
                flags = [flag if flag[0] == "-" else f"--hostRunAhead={flag}" for flag in hosts]
                if not any(flag.startswith("--policy=") for flag in flags):
                    flags.append(f"--policy={policy}")
                started[delay, hosts] = runs.start("--iterations=2", f"--reconfigDelay={delay}", *flags)
            return started[delay, hosts]

        for row in read_simple_table("host.rst", f"host-{policy}"):
            for cell, hosts in zip(row[2:], HOSTS):
                def write(result, measured=float(row[1])):
                    return f"{result.time:.3f} ({(round(result.time, 3) / measured - 1) * 100:+.1f} %)"
                yield f"host.rst, {policy}, {row[0]}, {hosts}", cell, write, start(row[0].replace(" ", ""), hosts)
        for row in read_simple_table("host.rst", f"host-growth-{policy}"):
            for cell, hosts in zip(row[2:], HOSTS):
                def grow(result, base=start("0ms", hosts)):
                    return f"{result.time - base.result().time:.2f}"
                run = start(row[0].replace(" ", ""), hosts)
                yield f"host.rst, growth, {policy}, {row[0]}, {hosts}", cell, grow, run
    for label, job in (("host-policies", ()), ("host-policies-64", JOB_64)):
        for row in read_simple_table("host.rst", label):
            for delay, cell in zip(DELAYS, row[1:]):
                run = runs.start(*job, f"--policy={row[0].strip('`')}", f"--reconfigDelay={delay}",
                                 "--hostRunAhead=ahead")
                yield f"host.rst, {label}, {row[0]}, {delay}", cell, lambda result: f"{result.time:.4f}", run


def get_mixtral_cells(runs):
    """The same."""
    flags = ("--model=mixtral-8x7b", "--tp=8", "--expertTp=8", "--ep=8", "--fsdp=8", "--pp=1", "--gpusPerDomain=8",
             "--recomputation=full", "--iterations=2", *RECORDED)
    electrical, *rows = read_table("collectives.rst", "mixtral-on-circuits")
    base = runs.start(*flags, "--fabric=electrical")
    yield "collectives.rst, Mixtral, electrical", electrical[1], lambda result: f"{result.time:.3f}", base
    for row in rows:
        delay = row[0].replace(" ", "")
        for algorithm, cell in zip(("planned", "ring", "pairwise", "hypercube"), row[1:]):
            if not cell or algorithm == "pairwise" or (algorithm == "planned" and delay not in ("15ms", "25ms")):
                continue

            def write(result, compares="(" in cell):
                more = (round(result.time, 3) / round(base.result().time, 3) - 1) * 100
                return f"{result.time:.3f}" + (f" ({more:.1f} %)" if compares else "")
            run = runs.start(*flags, f"--algorithms=AllToAll={algorithm}", f"--reconfigDelay={delay}")
            yield f"collectives.rst, Mixtral, {algorithm}, {delay}", cell, write, run


def main():
    program = pathlib.Path(sys.argv[1]).resolve() / "photonic-rails-training"
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        runs = Runs(program, pathlib.Path(name))
        for get_cells in (get_delay_cells, get_policy_cells, get_policy_cells_64, get_switch_cells, get_pipeline_cells,
                          get_stage_cells, get_host_cells, get_mixtral_cells):
            cells = list(get_cells(runs))
            for what, printed, write, run in cells:
                now = write(run.result())
                if now.replace("+0.0", "-0.0") != printed.replace("+0.0", "-0.0"):
                    wrong += 1
                    print(f"{what}: the page has {printed}, a run {now}")
            if not cells:
                wrong += 1
                print(f"{get_cells.__name__}: there is no table")
        print(runs.count, "runs,", wrong, "differences")
    if wrong:
        sys.exit(1)


main()
