#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Files that the programs write appear whole or not at all: a full disk, a file at its size limit, links,
and a folder or file that is read-only end in one line and exit code 1, and an older file stays intact.

A table of photonic-rails-sweep that ends at any byte, as after a kill, is completed with nothing lost or
doubled; two sweeps do not write the same table.

usage: output-files-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import csv
import fcntl
import os
import pathlib
import resource
import stat
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
JOB = ["--model=debugmodel", "--seqLen=64", "--iterations=1"]
OUTPUTS = ["json", "profile", "timeline", "report", "qpStats", "operations", "calls", "messages"]
MOST_BYTES = 512  # of a file, where the disk is "full"
failures = []


def expect(what, holds, seen=""):
    if not holds:
        failures.append(f"{what}: {seen}")


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES))


def run(program, flags, folder, limited=False):
    """Run a program, whose files cannot grow beyond MOST_BYTES if that is wanted."""
    return subprocess.run([PROGRAMS / f"photonic-rails-{program}", *flags], cwd=folder, text=True, timeout=300,
                          capture_output=True, check=False, preexec_fn=limit_files if limited else None)


def train(flags, folder, limited=False):
    return run("training", [*JOB, "--quiet", *flags], folder, limited)


def is_refused(done, name):
    return done.returncode == 1 and len(done.stderr.splitlines()) == 1 and f"--{name}" in done.stderr


def list_files(folder):
    return sorted(path.name for path in folder.iterdir())


def check_full_disk(folder):
    for name in OUTPUTS:
        done = train([f"--{name}=/dev/full"], folder)
        expect(f"{name} to /dev/full", is_refused(done, name), done.stderr)
        (folder / "old").write_text("old")
        done = train([f"--{name}=old"], folder, limited=True)
        expect(f"{name} to a full disk", is_refused(done, name), done.stderr)
        expect(f"{name} leaves the older file", (folder / "old").read_text() == "old")
        expect(f"{name} leaves nothing else", list_files(folder) == ["old"], list_files(folder))
    (folder / "old").unlink()
    done = train(["--timeline=/dev/full", "--json=whole"], folder)
    expect("another file is written nevertheless", (folder / "whole").read_text().endswith("}\n"), done.stderr)
    (folder / "whole").unlink()
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([PROGRAMS / "photonic-rails-training", *JOB], cwd=folder, stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    expect("standard output to a full disk", done.returncode == 1 and "standard output" in done.stderr, done.stderr)


def check_many_files(folder):
    """Flags that name several files, and a database: none of the files is left if one cannot be written."""
    for flags in (["--calls=c.sqlite"], ["--messages=m.sqlite"], ["--writeTrace=t"], ["--ascii=a"], ["--pcap=p"],
                  # So little that it is written when the simulation is over.
                  ["--pcap=p", "--pcapSnapLength=96", "--tp=1", "--fsdp=2", "--pp=1", "--gpusPerDomain=1"]):
        done = train(flags, folder, limited=True)
        expect(f"{flags} to a full disk", is_refused(done, flags[0][2:].split("=")[0]), done.stderr)
        expect(f"{flags} leaves nothing", not list_files(folder), list_files(folder))


def check_names(folder):
    (folder / "link").symlink_to("behind")
    expect("a link to nowhere", train(["--json=link"], folder).returncode == 0)
    expect("the link stays", (folder / "link").is_symlink() and (folder / "behind").is_file(), list_files(folder))
    os.chmod(folder / "behind", 0o640)
    expect("a link to a file", train(["--json=link"], folder).returncode == 0)
    expect("its permissions stay", stat.S_IMODE((folder / "behind").stat().st_mode) == 0o640)
    for flags in (["--json=x", "--report=x"], ["--json=x", "--timeline=./x"], ["--json=link", "--qpStats=behind"],
                  ["--profile=y-0-0.pcap", "--pcap=y"], ["--writeTrace=t", "--json=t.json"]):
        done = train(flags, folder)
        expect(f"{flags}", done.returncode == 1 and "another file than that of" in done.stderr, done.stderr)
    (folder / "loop").symlink_to("loop")
    for name in ("loop", "no/such/folder", ".", "/proc/nothing"):
        done = train([f"--json={name}"], folder)
        expect(name, is_refused(done, "json"), done.stderr)
    done = train(["--json=/dev/stdout"], folder)
    expect("to standard output", done.stdout.startswith("{") and done.stdout.endswith("}\n"), done.stdout[:80])
    if os.geteuid() != 0:  # who is root may write anything
        (folder / "locked").mkdir(mode=0o500)
        done = train(["--json=locked/x"], folder)
        expect("a read-only folder", is_refused(done, "json"), done.stderr)
        (folder / "fixed").write_text("old")
        os.chmod(folder / "fixed", 0o400)
        done = train(["--json=fixed"], folder)
        expect("a read-only file", is_refused(done, "json"), done.stderr)


def check_inputs(folder):
    """A file that a flag lets the program read is not written by another flag."""
    (folder / "job.json").write_text('{"model": "debugmodel"}')
    (folder / "other.json").symlink_to("job.json")
    (folder / "mix.json").write_text('{"jobs": [{"name": "a", "flags": {"model": "debugmodel"}}]}')
    written = train(["--writeTrace=trace", "--operationsRank=all", "--operations=all.csv", "--describe"], folder)
    expect("traces", written.returncode == 0, written.stderr)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for program, flags in (("training", ["--job=job.json", "--json=job.json"]),
                           ("training", ["--job=job.json", "--json=other.json"]),
                           ("training", ["--trace=all.csv", "--operations=all.csv"]),
                           ("training", ["--trace=trace", "--json=trace.json"]),
                           ("windows", ["--job=job.json", "--csv=job.json"]),
                           ("compare", ["--job=job.json", "--json=job.json"]),
                           ("jobs", ["--mix=mix.json", "--json=mix.json"])):
        done = run(program, flags, folder)
        expect(f"{program} {flags}", is_refused(done, flags[1][2:].split("=")[0]) and "that of --" in done.stderr,
               done.stderr)
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    expect("all files stay", after == before, sorted(after))


def read_rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return sorted(tuple(value for key, value in row.items() if key not in ("wall_s", "peak_rss_bytes"))
                      for row in csv.DictReader(file))


def check_sweep(folder):
    # Points that cannot be run take no time, but have a row as others do.
    flags = [*JOB, "--vary=tp=4,3,5;schedule=1f1b,\"none\"", "--csv=out.csv"]
    path = folder / "out.csv"
    done = run("sweep", flags, folder)
    expect("a sweep", done.returncode == 0, done.stderr)
    whole = path.read_bytes()
    rows = read_rows(path)
    expect("its rows", len(rows) == 6, rows)
    header = whole.index(b"\n") + 1
    ends = [at for at in range(len(whole) + 1)
            if at <= 3 or abs(at - header) <= 3 or whole[max(at - 2, 0):at + 2].count(b"\n") > 0 or at % 29 == 0]
    for end in ends:
        path.write_bytes(whole[:end])
        done = run("sweep", flags, folder)
        expect(f"cut at byte {end}", done.returncode == 0 and read_rows(path) == rows, done.stderr)
    for foreign in (b"a,b\n1,2\n", b"something else", whole[:20] + b"?"):
        path.write_bytes(foreign)
        done = run("sweep", flags, folder)
        expect(f"{foreign}", is_refused(done, "csv") and path.read_bytes() == foreign, done.stderr)
    path.unlink()
    done = run("sweep", flags, folder, limited=True)
    expect("a sweep on a full disk", done.returncode == 1 and "--csv=out.csv" in done.stderr.splitlines()[-1],
           done.stderr)
    kept = path.read_bytes()
    expect("whole rows stay", 0 < len(kept) <= MOST_BYTES and kept.endswith(b"\n"), kept)
    done = run("sweep", flags, folder)
    expect("it goes on", done.returncode == 0 and read_rows(path) == rows, done.stderr)
    with path.open("r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        done = run("sweep", flags, folder)
        expect("another sweep", is_refused(done, "csv") and "another process" in done.stderr, done.stderr)
    print(f"a table was cut at {len(ends)} of its {len(whole)} bytes")


def main():
    for check in (check_full_disk, check_many_files, check_names, check_inputs, check_sweep):
        with tempfile.TemporaryDirectory() as name:
            check(pathlib.Path(name))
    if failures:
        sys.exit("\n".join(failures))


main()
