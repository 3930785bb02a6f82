#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""photonic-rails-benchmark: the JSON is as documented, counts are reproducible, rows that must agree
do, and figures follow from rows. How fast anything is does not matter here.

usage: benchmark-json-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import curves
import json_schema

OF_THE_MACHINE = ("wall_s", "setup_cpu_s", "cpu_s", "peak_rss_bytes", "data_packets_per_s",
                  "data_hops_per_s", "bursts_per_s", "requests_per_s")
IDENTITY = ("bench", "name", "gpus", "bytes")
SMALL = ["--job=--model=debugmodel --seqLen=512 --iterations=1", "--bytes=100000", "--hosts=3",
         "--sizes=4K,64K", "--treeHosts=8", "--messages=2", "--messageBytes=64K"]
BENCHES = ["hops", "fidelity", "scale", "fabrics", "contended", "scheduler", "mpi", "control"]
FLAGS = [*SMALL, "--maxGpus=64", "--maxRanks=256", "--messageTime=20us", "--processes=1", "--repeat=2"]
# One expert model in the place of another.
EXPERTS = ["--job=--model=debugmodel-moe --seqLen=64 --microBatches=1 --microBatchSize=1"]


def run(program, flags, folder):
    """Return what is printed and the object that is written."""
    path = pathlib.Path(folder, "out.json")
    done = subprocess.run([program, *flags, f"--json={path}"], cwd=folder, capture_output=True,
                          text=True, timeout=300, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{flags}: exit code {done.returncode}: {done.stderr}")
    return done.stdout, json_schema.read(path.read_text())


def without_machine(report):
    """The rows without what depends on the machine."""
    return [{key: value for key, value in row.items() if key not in OF_THE_MACHINE}
            for row in report["rows"]]


def exponent(points):
    """Slope of the logarithms by least squares."""
    return statistics.linear_regression([math.log(x) for x, _ in points],
                                        [math.log(y) for _, y in points]).slope


def check_control(row, where, failures):
    """All ranks ask, and the time is that of the services and little more."""
    groups = 1 if row["name"] == "1 group" else row["gpus"] // 64
    threads = min(8, groups) if "thread" in row["name"] else 1
    failures.expect(row["events"] > 0 and row["requests"] == row["gpus"], f"{where}: requests")
    asked = row["requests"] // (min(8, groups) if "coalesced" in row["name"] else 1)
    failures.expect(row["messages"] == asked + groups, f"{where}: messages")
    failures.expect(1 < row["longest_queue"] <= row["requests"], f"{where}: queue")
    services = asked / threads * 20e-6
    rest = row["simulated_s"] - services - 15e-3  # the switch takes 15 ms
    failures.expect(50e-6 < rest < 500e-6, f"{where}: {row['simulated_s']} s, {services} served")


def check_rows(rows, failures):
    """Rows of one simulation agree, and quotients are quotients."""
    same = {}
    for row in rows:
        where = f"{row['bench']}: {row['name']}, {row['gpus']} GPUs, {row['fidelity']}"
        failures.expect("reason" not in row, f"{where}: {row.get('reason')}")
        if "reason" in row:
            continue
        key = tuple(row[name] for name in IDENTITY)
        seen = (row["simulated_s"], row["data_packets"])
        failures.expect(same.setdefault(key, seen) == seen, f"{where}: {same[key]}, {seen}")
        if row["bench"] == "control":
            check_control(row, where, failures)
            continue
        failures.expect(row["events"] > 0 and row["data_packets"] > 0, f"{where}: nothing ran")
        failures.expect(row["simulated_s"] > 0, f"{where}: no time")
        failures.expect(row["peak_rss_bytes"] > 1 << 20, f"{where}: memory")
        failures.expect(row["events_per_packet"] == row["events"] / row["data_packets"], where)
        if row["collectives"]:
            failures.expect(row["events_per_collective"] == row["events"] / row["collectives"],
                            where)
        failures.expect(row["bursts"] <= row["burst_packets"] <= row["data_packets"],
                        f"{where}: {row['bursts']} bursts, {row['burst_packets']} packets in them")
        failures.expect(row["fidelity"] == "burst" or row["bursts"] == 0, f"{where}: bursts")
        if row["bench"] == "hops":
            links = 1 if row["name"] == "point-to-point" else 2
            failures.expect(row["data_hops"] == links * row["data_packets"], f"{where}: hops")
            failures.expect(row["data_packets"] == row["gpus"] * math.ceil(row["bytes"] / 4096),
                            f"{where}: {row['data_packets']} packets")


def check_figures(report, failures):
    """Each figure follows from the rows."""
    figures = {(one["bench"], one["figure"], one["of"]): one["value"]
               for one in report["figures"]}
    failures.expect(len(figures) == len(report["figures"]), "a figure is given twice")
    kinds = {one["figure"] for one in report["figures"]}
    failures.expect(kinds == {"burst_speed_up", "point_to_point_speed_up", "scheduler_speed_up",
                              "growth_exponent"}, f"kinds of figures: {kinds}")
    ratios = []
    jobs = [row for row in report["rows"] if row["name"] == "job, photonic"]
    for repetition in range(2):
        total = {row["fidelity"]: row["setup_cpu_s"] + row["cpu_s"] for row in jobs
                 if row["repetition"] == repetition}
        ratios.append(total["packet"] / total["burst"])
    seen = figures[("fidelity", "burst_speed_up", "job, photonic, 16 GPUs, burst")]
    failures.expect(math.isclose(seen, statistics.median(ratios)), f"{seen} of {ratios}")
    name = "llama3-405b, photonic, FSDP = 2 PP"
    points = [(row["gpus"], row["events"]) for row in report["rows"] if row["name"] == name]
    seen = figures[("scale", "growth_exponent", f"{name}, burst: events")]
    failures.expect({gpus for gpus, _ in points} == {16, 64}, f"sizes of jobs: {points}")
    failures.expect(math.isclose(seen, exponent(points)), f"growth of events: {seen}")


def check_curves(folder, failures):
    """The script draws, or says in one line what it needs; it refuses what is no JSON."""
    script = "photonic-rails-benchmark-curves.py"
    code, _, lines = curves.draw(script, folder, "out.json", "--out=pictures")
    if code == 0:
        pictures = {path.name for path in pathlib.Path(folder, "pictures").iterdir()}
        wanted = {f"benchmark-{bench}.svg" for bench in BENCHES if bench != "fabrics"}
        failures.expect(pictures == wanted, f"pictures: {pictures}")
    else:
        failures.expect(len(lines) == 1 and "matplotlib" in lines[0], f"curves: {lines}")
    pathlib.Path(folder, "wrong.json").write_text("[1]")
    code, _, lines = curves.draw(script, folder, "wrong.json", "--out=pictures")
    failures.expect(code == 1 and len(lines) == 1 and lines[0].startswith("wrong.json"),
                    f"no JSON of the program: {lines}")


def main():
    program = str(pathlib.Path(sys.argv[1], "photonic-rails-benchmark").resolve())
    failures = json_schema.Failures()
    schema = json_schema.Schema(
        "benchmark-json.md", choices={"rows[].bench": BENCHES, "figures[].bench": BENCHES,
                                      "rows[].detail": ["", "burst", "packet"]},
        optional={"rows[].reason", "rows[].bursts_per_s"}, free={"settings"},
        signed={"figures[].value"})
    with tempfile.TemporaryDirectory() as folder:
        benches = [f"--bench={','.join(one for one in BENCHES if one != 'fabrics')}"]
        text, report = run(program, [*benches, *FLAGS], folder)
        schema.check(report, "small", failures)
        check_rows(report["rows"], failures)
        check_figures(report, failures)
        for row in report["rows"]:
            failures.expect(f"{row['bench']}: {row['name']}" in text, f"{row['name']} in the table")
        again = run(program, [*benches, *FLAGS], folder)[1]
        failures.expect(without_machine(again) == without_machine(report), "another run, other rows")
        check_curves(folder, failures)
        failures.expect(report["rows"][0]["name"] == report["rows"][13]["name"],
                        "the second repetition is in reverse")
        experts = run(program, ["--bench=fabrics", *EXPERTS], folder)[1]
        check_rows(experts["rows"], failures)
        failures.expect([row["gpus"] for row in experts["rows"]] == [64, 64], "GPUs of fabrics")
        some = run(program, ["--bench=hops", *SMALL, "--fidelity=burst", "--repeat=1"], folder)[1]
        failures.expect([row["fidelity"] for row in some["rows"]] == ["burst"] * 3 + [""], "fidelity")
        chosen = run(program, ["--bench=hops", *SMALL, "--repeat=1",
                               "--SchedulerType=ns3::MapScheduler"], folder)[1]
        for rows, scheduler in [(some["rows"], "PriorityQueue"), (chosen["rows"], "Map")]:
            failures.expect({row["scheduler"] for row in rows} == {f"ns3::{scheduler}Scheduler"},
                            f"schedulers: {rows}")
        gone = run(program, ["--bench=mpi", *SMALL, "--mpirun=no-such-command"], folder)[1]
        failures.expect("reason" not in gone["rows"][0] and
                        "no-such-command" in gone["rows"][1]["reason"], f"mpi: {gone['rows']}")
        schema.optional |= set(schema.types)
        schema.check(gone, "without MPI", failures)
    print(f"{len(schema.types)} keys, {len(report['rows'])} rows, {failures.count} failures")
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
