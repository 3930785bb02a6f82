#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""SIGINT and SIGTERM end a program soon, with what is known so far, exit code 130 or 143 and no half-written
file; a sweep goes on after a kill; no child process outlives its program.

usage: interruption-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import csv
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
WRITTEN = 1 << 20  # bytes of a timeline: the simulation runs
SHORT_STEPS = ["--model=debugmodel", "--seqLen=512", "--iterations=1000"]
LONG = ["--model=llama3-8b", "--iterations=1000"]
failures = []


def expect(what, holds, seen=""):
    if not holds:
        failures.append(f"{what}: {seen}")


def start(program, flags, folder):
    return subprocess.Popen([PROGRAMS / f"photonic-rails-{program}", *flags], cwd=folder, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def read_processes():
    """Return the state and the parent of each process, by its number."""
    processes = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it has just ended
            continue
        processes[int(path.parent.name)] = (state, int(parent))
    return processes


def find_children(process):
    found = [number for number, (_, parent) in read_processes().items() if parent == process]
    return found + [grandchild for child in found for grandchild in find_children(child)]


def is_alive(process):
    """A process that has ended, but has not been waited for, counts as ended."""
    return read_processes().get(process, ("Z", 0))[0] not in "ZX"


def has_handlers(process):
    """Return whether a process handles SIGTERM."""
    try:
        caught = re.search(r"^SigCgt:\s*(\w+)", pathlib.Path(f"/proc/{process}/status").read_text(), re.M)
    except OSError:
        return False
    return caught is not None and int(caught[1], 16) & (1 << (signal.SIGTERM - 1)) != 0


def interrupt(process, number, wait):
    """Send a signal when wait() holds and the process handles signals; soon after once more, as the program timeout
    does, which sends it to the process and to its group.

    Return the exit code, both outputs and the children."""
    deadline = time.monotonic() + 120
    while not (wait() and has_handlers(process.pid)) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.05)
    children = find_children(process.pid)
    process.send_signal(number)
    time.sleep(0.01)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    deadline = time.monotonic() + 10
    while any(is_alive(child) for child in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    expect(f"children of {process.args[0].name}", not any(is_alive(child) for child in children), children)
    return process.returncode, out, err, children


def has_written(folder, size):
    """Return what tells whether the temporary files in a folder have so many bytes."""
    return lambda: any(path.stat().st_size >= size for path in folder.glob(".photonic-rails-*"))


def after(seconds):
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def check_training(folder, number, code):
    files = ["json", "timeline", "report", "qpStats", "profile"]
    process = start("training", [*SHORT_STEPS, *(f"--{name}={name}" for name in files)], folder)
    got, out, err, _ = interrupt(process, number, has_written(folder, WRITTEN))
    name = signal.Signals(number).name
    expect("exit code", got == code, (got, err))
    expect("the text says so", f"INTERRUPTED by {name}" in out, out)
    expect("the last line says so", f"interrupted by {name} after" in err.splitlines()[-1], err)
    expect("files", sorted(path.name for path in folder.iterdir()) == sorted(files), list(folder.iterdir()))
    summary = json.loads((folder / "json").read_text())
    expect("marked in JSON", summary["interrupted"] == name and name in summary["failure"], summary["failure"])
    ended = len(summary["iterations"])
    expect("iterations so far", ended < 1000 and f"{ended} of 1000 iterations ended" in summary["failure"], ended)
    json.loads((folder / "timeline").read_text())
    json.loads((folder / "profile").read_text())
    expect("the page says so", f"No complete run: interrupted by {name}" in (folder / "report").read_text())
    expect("the page is whole", (folder / "report").read_text().rstrip().endswith("</html>"))


def check_setup(folder):
    """Before the simulation there is nothing to write, and nothing stays."""
    process = start("training", [*LONG, "--fsdp=512", "--timeline=t", "--json=j", "--fabric=fat-tree"], folder)
    got, _, err, _ = interrupt(process, signal.SIGTERM, has_written(folder, 0))
    expect("exit code before the run", got == 143, (got, err))
    expect("no temporary file", not [path.name for path in folder.iterdir() if path.name.startswith(".")])


def check_sweep(folder):
    path = folder / "out.csv"

    def has_rows(rows):
        return lambda: path.exists() and path.read_bytes().count(b"\n") > rows

    flags = ["--model=debugmodel", "--seqLen=64", "--vary=iterations=20,30,40,50,60,70,80,90", "--processes=2",
             "--csv=out.csv"]
    for rows, number, code in ((1, signal.SIGINT, 130), (2, signal.SIGTERM, 143), (3, signal.SIGKILL, -9)):
        got, _, err, _ = interrupt(start("sweep", flags, folder), number, has_rows(rows))
        expect(f"a sweep and {number}", got in (code, 0), (got, err))
    process = start("sweep", flags, folder)
    _, err = process.communicate(timeout=120)
    expect("it goes on", process.returncode == 0, err)
    with path.open(newline="", encoding="utf-8") as file:
        points = sorted(int(row["iterations"]) for row in csv.DictReader(file))
    expect("each point once", points == list(range(20, 100, 10)), points)


def check_several(folder):
    for program, flags, key in (
            ("compare", [*LONG, "--breakEven=true", "--processes=2"], "rows"),
            ("fabric-comparison", ["--traffic=job", *LONG], "runs"),
            ("collectives", ["--domains=64", "--minBytes=1M", "--maxBytes=512G", "--iters=1000"], "rows")):
        got, out, err, _ = interrupt(start(program, [*flags, f"--json={program}"], folder), signal.SIGINT, after(1.5))
        expect(f"exit code of {program}", got == 130, (got, out, err))
        path = folder / program
        if path.exists():
            report = json.loads(path.read_text())
            expect(f"{program} is marked", report["interrupted"] == "SIGINT" and key in report, report)
            expect(f"{program} has no results of runs that have not ended",
                   all(row.get("step_s", 1) > 0 and ("step_s" in row or program != "compare" or "reason" in row)
                       for row in report[key]), report)
        expect(f"{program} says so", "interrupted" in err, err)


def main():
    checks = [lambda folder: check_training(folder, signal.SIGINT, 130),
              lambda folder: check_training(folder, signal.SIGTERM, 143), check_setup, check_sweep, check_several]
    for check in checks:
        with tempfile.TemporaryDirectory() as name:
            check(pathlib.Path(name))
    if failures:
        sys.exit("\n".join(failures))


main()
