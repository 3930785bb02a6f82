#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Processes that share a run give the results of one process, to the last digit.

An ns-3 without its MPI module, such as Debian's, has to refuse in one line that says so.

usage: distributed-run-test.py FOLDER_OF_THE_BUILT_EXAMPLES [--mpi]
       --mpi: the programs have been built with ns-3's MPI module, and there is an mpirun"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# What Open MPI needs in a container: root, fewer cores than processes, no peeking into memory.
ENVIRONMENT = dict(os.environ,
                   OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none",
                   OMPI_MCA_mpi_yield_when_idle="1")
# What says how the run went on the machine, not what it has shown.
OF_THE_MACHINE = ("events", "wall_s", "peak_rss_bytes", "processes")

# Name, flags, numbers of processes. All have TP inside the domain, FSDP and PP along four rails.
SMALL = ["--model=debugmodel", "--seqLen=512", "--symmetry=none"]
ONE = ["--controllers=one"]
JOBS = [
    ("electrical rails, packets", SMALL + ["--fabric=electrical", "--fidelity=packet"], (2, 3, 4)),
    ("electrical rails, bursts", SMALL + ["--fabric=electrical"], (2,)),
    ("photonic rails, provisioned", SMALL + ONE + ["--fidelity=packet"], (2, 4)),
    ("photonic rails, on demand, bursts", SMALL + ONE + ["--policy=on-demand"], (2,)),
    ("photonic rails, circuits that stay", SMALL + ["--policy=torus"], (2, 4)),
    ("photonic rails, rotor", SMALL + ["--policy=rotor", "--iterations=1"], (2,)),
    ("photonic rails, ranks that differ", SMALL + ONE + ["--jitter=0.1", "--slowdown=5:1.5"], (4,)),
    ("photonic rails, a controller for each", SMALL + ["--controllers=rails"], (2, 4)),
    ("photonic rails, lost messages", SMALL + ["--controllers=rails", "--controlLoss=0.2"], (2, 4)),
    ("scale-up network", SMALL + ["--scaleUp=network", "--iterations=1", "--seqLen=128"], (2,)),
    ("host network", SMALL + ["--hostNetwork=100Gbps", "--hostThreshold=64K"], (2, 4)),
    ("host network, Megatron-LM", SMALL + ["--framework=megatron-lm", "--hostNetwork=100Gbps",
                                             "--iterations=1"],
     (2, 3)),
    ("leaf-spine", SMALL + ["--fabric=leaf-spine", "--switchRadix=8"], (2,)),
]

failures = 0


def expect(good, what):
    """Report what is wrong unless it is good."""
    global failures
    if not good:
        failures += 1
        print("FAILED", what)


def run(program, processes, flags):
    """Exit code, standard output and standard error of a program under mpirun, or alone."""
    launcher = ["mpirun", "-np", str(processes)] if processes else []
    return subprocess.run(launcher + [program] + flags, env=ENVIRONMENT, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=300, check=False)


def simulate(program, processes, flags, folder):
    """The table and the summary of a run, and the summary without what is the machine's."""
    file = pathlib.Path(folder, "summary.json")
    file.unlink(missing_ok=True)
    ended = run(program, processes, flags + [f"--json={file}"])
    if ended.returncode != 0 or not file.exists():
        print(ended.stdout, ended.stderr)
        sys.exit(f"FAILED {processes} processes, {flags}: exit code {ended.returncode}")
    summary = json.loads(file.read_text())
    table = [line for line in ended.stdout.splitlines() if not line.startswith("events ")]
    shown = {key: value for key, value in summary.items() if key not in OF_THE_MACHINE}
    return table, summary, shown


def compare(program, name, flags, numbers, folder):
    """Run a job in one process and in several."""
    table, summary, shown = simulate(program, 0, flags, folder)
    expect(len(summary["processes"]) == 1, f"{name}: one process")
    expect(summary["iterations"], f"{name}: no iteration has ended")
    for processes in numbers:
        what = f"{name}, {processes} processes"
        otherTable, other, otherShown = simulate(program, processes, flags, folder)
        for key, value in shown.items():
            expect(otherShown.get(key) == value, f"{what}: {key} differs:\n"
                   f"  {str(value)[:600]}\n  {str(otherShown.get(key))[:600]}")
        expect(otherShown.keys() == shown.keys(), f"{what}: other keys")
        expect(otherTable == table, f"{what}: another table:\n" + "\n".join(otherTable))
        events = [process["events"] for process in other["processes"]]
        expect(len(events) == processes, f"{what}: {len(events)} processes took part")
        expect(sum(events) == other["events"], f"{what}: events do not add up")
        # Each has worked: a process without ranks would run a few events of set-up only.
        expect(min(events) > summary["events"] / processes / 4, f"{what}: events {events}")
        print(f"{what}: as one process; events {summary['events']} in one, {events} in all;"
              f" wall time {summary['wall_s']:.2f} s in one, {other['wall_s']:.2f} s in all")


def check_refusal(program, processes, flags, parts, environment=None):
    """One line that names the input and the reason, once, and exit code 1."""
    ENVIRONMENT.update(environment or {})
    ended = run(program, processes, flags)
    for key in environment or {}:
        del ENVIRONMENT[key]
    what = f"{processes or environment} processes {flags}"
    lines = [line for line in ended.stderr.splitlines() if all(part in line for part in parts)]
    expect(ended.returncode == 1, f"{what}: exit code {ended.returncode}")
    expect(len(lines) == 1, f"{what}: no line with {parts}, or several:\n{ended.stderr}")


def find(folder, name):
    """A program: trees put the release before its name and the build profile after it."""
    found = sorted(pathlib.Path(folder).resolve().glob(f"*{name}*"))
    if not found:
        sys.exit(f"there is no {name} in {folder}")
    return str(found[0])


def main():
    training = find(sys.argv[1], "photonic-rails-training")
    collectives = find(sys.argv[1], "photonic-rails-collectives")
    if "--mpi" not in sys.argv[2:]:
        for launcher in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE"):
            check_refusal(training, 0, SMALL, ["mpirun", "2 processes", "no MPI", "--enable-mpi"],
                          {launcher: "2"})
            check_refusal(collectives, 0, [], ["mpirun", "one process"], {launcher: "2"})
        return 1 if failures else 0
    with tempfile.TemporaryDirectory() as folder:
        for name, flags, numbers in JOBS:
            compare(training, name, flags, numbers, folder)
    check_refusal(training, 5, SMALL, ["mpirun", "5 processes", "4 rails"])
    check_refusal(training, 2, ["--tp=3"], ["tp", "3"])
    check_refusal(training, 2, SMALL + ["--controlLoss=0.1"], ["controlLoss", "several processes"])
    check_refusal(collectives, 2, [], ["mpirun", "one process"])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
