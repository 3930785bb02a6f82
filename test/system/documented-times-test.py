#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tables of iteration times in doc/ are what photonic-rails-training shows today, to the last digit
that is printed there: times against reconfiguration delay beside measured ones and their difference,
policies of circuits, circuits beside a switch, pipelines provisioned and on demand.

usage: documented-times-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from rst_tables import read_simple_table, read_table

POLICIES = ("oracle", "provisioned", "per-call", "on-demand")  # the others take minutes


def flags_in(cell):
    """@return the flags that a cell has between double backquotes."""
    return [flag for text in re.findall(r"``(--[^`]*)``", cell) for flag in text.split()]


class Runs:
    """Runs of the training program, several at a time."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
        self.count = 0

    def start(self, *flags):
        """@return a future with the last iteration: its time in seconds and its reconfigurations."""
        self.count += 1
        return self.pool.submit(self._run, self.folder / f"{self.count}.json", flags)

    def _run(self, out, flags):
        subprocess.run([self.program, "--quiet", f"--json={out}", *flags], check=True, timeout=300)
        last = json.loads(out.read_text())["iterations"][-1]
        return last["time_s"], last["reconfigurations"]


def get_delay_cells(runs):
    """Yield (what, printed text, function that makes the text of a result, future)."""
    def difference(measured):
        return lambda result: f"{(round(result[0], 3) / float(measured) - 1) * 100:+.1f} %"

    for row in read_table("validation.rst", "time-against-delay"):
        for policy, at in (("on-demand", 1), ("provisioned", 4)):
            run = runs.start("--iterations=2", f"--policy={policy}", f"--reconfigDelay={row[0].replace(' ', '')}")
            what = f"validation.rst, {row[0]}, {policy}"
            yield what, row[at], lambda result: f"{result[0]:.3f}", run
            yield what, row[at + 2], difference(row[at + 1]), run


def get_policy_cells(runs):
    """The same."""
    delays = ("10us", "1ms", "15ms", "25ms", "100ms")
    for row in read_table("circuit-policies.rst", "policies-of-circuits"):
        policy = row[0].split("`")[2]
        for delay, cell in zip(delays, row[1:]):
            if policy in POLICIES:
                run = runs.start(f"--policy={policy}", f"--reconfigDelay={delay}", *flags_in(row[0]))
                what = f"circuit-policies.rst, {row[0]}, {delay}"
                yield what, cell, lambda result: f"{result[0]:.4f}", run
                yield what, row[6], lambda result: str(result[1]), run


def get_switch_cells(runs):
    """The same."""
    for row in read_table("optical.rst", "circuits-against-a-switch"):
        fabric = ["--policy=on-demand"] if row[0].startswith("circuits") else ["--fabric=electrical"]
        run = runs.start("--model=debugmodel", "--seqLen=512", *fabric, *flags_in(row[0]))
        yield f"optical.rst, {row[0]}", row[1], lambda result: f"{result[0] * 1000:.4f}", run


def get_pipeline_cells(runs):
    """The same."""
    for row in read_table("opus.rst", "provisioned-beside-on-demand"):
        for policy, cell in zip(("provisioned", "on-demand"), row[1:]):
            run = runs.start("--model=debugmodel", "--tp=1", "--gpusPerDomain=1", f"--policy={policy}",
                             *flags_in(row[0]))
            yield f"opus.rst, {row[0]}, {policy}", cell, lambda result: f"{result[0]:.4f} ({result[1]})", run


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
                    return f"{result[0]:.3f} ({(round(result[0], 3) / measured - 1) * 100:+.1f} %)"
                yield f"host.rst, {policy}, {row[0]}, {hosts}", cell, write, start(row[0].replace(" ", ""), hosts)
        for row in read_simple_table("host.rst", f"host-growth-{policy}"):
            for cell, hosts in zip(row[2:], HOSTS):
                def grow(result, base=start("0ms", hosts)):
                    return f"{result[0] - base.result()[0]:.2f}"
                run = start(row[0].replace(" ", ""), hosts)
                yield f"host.rst, growth, {policy}, {row[0]}, {hosts}", cell, grow, run
    for row in read_simple_table("host.rst", "host-policies"):
        for delay, cell in zip(("10us", "1ms", "15ms", "25ms", "100ms"), row[1:]):
            run = runs.start(f"--policy={row[0].strip('`')}", f"--reconfigDelay={delay}", "--hostRunAhead=ahead")
            yield f"host.rst, {row[0]}, {delay}", cell, lambda result: f"{result[0]:.4f}", run


def main():
    program = pathlib.Path(sys.argv[1]).resolve() / "photonic-rails-training"
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        runs = Runs(program, pathlib.Path(name))
        for get_cells in (get_delay_cells, get_policy_cells, get_switch_cells, get_pipeline_cells,
                          get_host_cells):
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
