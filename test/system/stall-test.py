#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A job that does not end says why: on standard error, with exit code 1, in every program that runs jobs.

All applications stop in the middle of the job, so that calls wait for ever; and a controller refuses all groups but
the first one, which ends the job with the reason. The example of doc/troubleshooting.rst is what a run prints.

usage: stall-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

JOB = ["--model=debugmodel", "--seqLen=64", "--iterations=2"]
STOPPING = "--ns3::Application::StopTime=30ms"
REFUSING = "--ns3::OpusController::MaxGroups=1"
HEADLINE = r"the job came to a standstill at \d+\.\d{6} s: \d of \d iterations ended"
WAITING = r"  ranks? [\d, and-]+(more)?: \w+ .* waits for .*"
REFUSED = r"job 0 failed at \d+\.\d{6} s: rank \d+ gets no circuits: job 0 has 1 groups, which is all that it may have"

failures = []


def expect(holds, what):
    """Note what does not hold."""
    if not holds:
        failures.append(what)


def run(program, *flags):
    """@return what came of a call"""
    return subprocess.run([program, *flags], capture_output=True, text=True, timeout=300, check=False)


def check_report(name, errors):
    """Standard error has a whole report, of a few lines."""
    lines = errors.splitlines()
    begins = [at for at, line in enumerate(lines) if re.fullmatch(HEADLINE, line)]
    expect(begins, f"{name}: no headline in {errors}")
    if begins:
        report = []
        for line in lines[begins[0] + 1:]:
            if not line.startswith("  "):
                break
            report.append(line)
        expect(1 <= len(report) <= 8, f"{name}: {len(report)} lines in {errors}")
        expect(any(re.fullmatch(WAITING, line) for line in report), f"{name}: nobody waits in {errors}")


def check_training(folder, file):
    """The program prints the report in place of one line, and the summary has the first line."""
    done = run(folder / "photonic-rails-training", *JOB, "--quiet", f"--json={file}", STOPPING)
    expect(done.returncode == 1, f"training: exit code {done.returncode}")
    check_report("training", done.stderr)
    failure = json.loads(file.read_text(encoding="utf-8"))["failure"]
    expect(failure == done.stderr.splitlines()[0], f"failure is {failure}")
    done = run(folder / "photonic-rails-training", *JOB, "--quiet", REFUSING)
    expect(done.returncode == 1 and re.fullmatch(REFUSED, done.stderr.strip()), f"refused: {done.stderr}")
    done = run(folder / "photonic-rails-training", *JOB, "--quiet", f"--json={file}")
    expect(done.returncode == 0 and not done.stderr, f"a job that ends: {done.stderr}")
    expect(json.loads(file.read_text(encoding="utf-8"))["failure"] == "", "a job that ends has failed")


def check_page(folder):
    """The example of the page: its command, and the indented block behind it."""
    page = (pathlib.Path(__file__).resolve().parents[2] / "doc" / "troubleshooting.rst").read_text(encoding="utf-8")
    program, *flags = re.search(r"``(photonic-rails-training [^`]*)``\)::", page)[1].split()
    lines = page[page.index("``)::") + len("``)::"):].lstrip("\n").splitlines()
    block = list(itertools.takewhile(lambda line: line.startswith("    "), lines))
    done = run(folder / program, *flags)
    expect([line[4:] for line in block] == done.stderr.splitlines(), f"troubleshooting.rst: a run prints {done.stderr}")


def check_others(folder, file):
    """Programs with many runs print the report where a run stands still, and have one line for it."""
    done = run(folder / "photonic-rails-sweep", "--model=debugmodel", "--seqLen=64", "--vary=iterations=1",
               f"--csv={file}", STOPPING)
    expect(done.returncode == 1, f"sweep: exit code {done.returncode}")
    check_report("sweep", done.stderr)
    rows = file.read_text(encoding="utf-8").splitlines()
    expect(len(rows) == 2 and re.search(HEADLINE, rows[1]), f"sweep: {rows}")
    done = run(folder / "photonic-rails-fabric-comparison", "--traffic=job", "--fabrics=photonic", *JOB, STOPPING)
    expect(done.returncode == 1, f"comparison: exit code {done.returncode}")
    check_report("comparison", done.stderr)


def main():
    """Check all programs."""
    folder = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as temporary:
        check_training(folder, pathlib.Path(temporary) / "run.json")
        check_page(folder)
        check_others(folder, pathlib.Path(temporary) / "sweep.csv")
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
