#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""photonic-rails-straggler: the JSON is as documented and reproducible, times are those of the model and
of the tables in doc/stragglar.rst, and StragglAR has the rounds, the speed-up and the crossover that its
formulas give.

usage: straggler-json-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import curves
import json_schema
import rst_tables

PUBLISHED = {4: 4, 8: 9, 16: 18, 32: 35, 64: 68, 128: 133, 256: 262,
             6: 7, 12: 15, 24: 27, 48: 57, 96: 108, 192: 208}
# Of the tables in the page, what takes seconds.
PAGE_RANKS = (4, 6, 8, 12, 16, 24, 32)
PAGE_DELAYS = (0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3)
CASES = [
    ["--fabric=electrical", "--ranks=4,6,8", "--bytes=16M"],
    ["--fabric=electrical", "--ranks=8", "--bytes=16M", "--straggler=2", "--nicPorts=1"],
    ["--fabric=rail-only", "--scaleUp=h100", "--ranks=4,8", "--bytes=16M"],
    ["--fabric=photonic", "--reconfigDelay=1us", "--ranks=4,8", "--bytes=32M"],
    ["--fabric=photonic", "--reconfigDelay=1ms", "--ranks=8", "--bytes=32M"],
    ["--fabric=photonic", "--ranks=2", "--bytes=1M", "--stragglerDelay=0s,30us,60ms"],
]


def run(program, flags, folder):
    """Return what is printed and the object that is written."""
    path = pathlib.Path(folder, "out.json")
    done = subprocess.run([program, *flags, f"--json={path}"], cwd=folder, capture_output=True,
                          text=True, timeout=300, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{flags}: exit code {done.returncode}: {done.stderr}")
    return done.stdout, json_schema.read(path.read_text())


def without_machine(report):
    """The part of the object that depends on nothing but the flags."""
    plans = [{key: value for key, value in plan.items() if key != "wall_s"}
             for plan in report["plans"]]
    rest = {key: value for key, value in report.items()
            if key not in ("wall_s", "peak_rss_bytes", "plans")}
    return rest, plans


def check_plans(report, name, failures):
    """No plan has more rounds than published, or fewer than there can be."""
    for plan in report["plans"]:
        ranks, rounds = plan["ranks"], plan["rounds"]
        least = ranks - 2 + math.ceil(math.log2(ranks))
        failures.expect(plan["least_rounds"] == least <= rounds, f"{name}: {ranks} ranks: {plan}")
        failures.expect(rounds <= PUBLISHED.get(ranks, rounds), f"{name}: {ranks} ranks: {plan}")


def check_rows(report, name, failures):
    """Nothing is lost, and times follow the model."""
    for row in report["rows"]:
        where = f"{name}: {row['algorithm']} of {row['ranks']}, {row['delay_s']} s late"
        failures.expect(row["bytes_delivered"] == row["bytes_posted"] > 0, f"{where}: bytes")
        failures.expect(row["retransmissions"] == row["lost_at_ocs"] == 0, f"{where}: lost packets")
        late = row["after_arrival_s"] + row["delay_s"]
        failures.expect(abs(late / row["time_s"] - 1) < 1e-9, f"{where}: times do not add up")
        off = row["time_s"] / row["model_s"] - 1
        # Of a ring, connectors share a port or its switch with the other direction.
        most = 0.02 if row["algorithm"] == "ring" else 0.01
        failures.expect(abs(off) < most, f"{where}: {100 * off:.2f} % from the model")


def check_crossover(report, name, failures):
    """At no delay StragglAR is slower than a ring; with enough of it, faster by what it sends less."""
    for ranks in {row["ranks"] for row in report["rows"]}:
        rows = {(row["algorithm"], round(row["delay_s"] / row["scatter_s"], 3)): row
                for row in report["rows"] if row["ranks"] == ranks}
        plan = next(plan for plan in report["plans"] if plan["ranks"] == ranks)
        failures.expect(rows["stragglar", 0]["time_s"] > rows["ring", 0]["time_s"],
                        f"{name}: {ranks} ranks: faster without a straggler")
        gain = rows["ring", 2]["after_arrival_s"] / rows["stragglar", 2]["after_arrival_s"]
        formula = 2 * (ranks - 1) / ranks / (plan["rounds"] / (ranks - 1))
        print(f"{ranks} ranks, {name}: {gain:.3f} times a ring, bandwidth term {formula:.3f}")
        failures.expect(abs(gain / formula - 1) < 0.02, f"{name}: {ranks} ranks: {gain} {formula}")


def write_cell(row):
    """A cell of the table of times: us from the arrival on, and the same by the model."""
    return f"{1e6 * row['after_arrival_s']:.1f} ({1e6 * (row['model_s'] - row['delay_s']):.1f})"


def check_page(program, folder, failures):
    """The tables of times are what runs show today; rows that take long are left to a person."""
    flags = ["--fabric=electrical", "--ranks=" + ",".join(map(str, PAGE_RANKS))]
    _, report = run(program, [*flags, "--stragglerDelay=2x"], folder)
    names = ("ring", "halving-doubling", "direct", "stragglar")
    table = {int(cells[0]): cells[1:] for cells in rst_tables.read_table("stragglar.rst", "times-of-stragglar")}
    for ranks in PAGE_RANKS:
        rows = {row["algorithm"]: row for row in report["rows"] if row["ranks"] == ranks}
        cells = [write_cell(rows[name]) if name in rows else "" for name in names]
        failures.expect(cells == table[ranks][:4], f"the page has {table[ranks]}, a run {cells}")
    delays = ",".join(f"{number}x" for number in PAGE_DELAYS)
    _, report = run(program, ["--fabric=electrical", "--ranks=8", f"--stragglerDelay={delays}"], folder)
    for cells in rst_tables.read_table("stragglar.rst", "delays-of-stragglar"):
        times = [f"{1e6 * row['time_s']:.0f}" for row in report["rows"] if row["algorithm"] == cells[0]]
        failures.expect(times == cells[1:], f"the page has {cells}, a run {times}")


def check_curves(folder, reports, failures):
    """The picture is one, and the same when it is drawn again; wrong files are answered in a line."""
    if curves.find_python() is None:
        return
    script = "photonic-rails-straggler-curves.py"
    names = []
    for index, report in enumerate(reports):
        names.append(f"report-{index}.json")
        pathlib.Path(folder, names[-1]).write_text(json.dumps(report))
    pictures = []
    for name in ("one.svg", "two.svg"):
        code, printed, errors = curves.draw(script, folder, *names, f"--out={name}")
        failures.expect(code == 0 and printed == [name], f"curves: {printed}, {errors}")
        if code != 0:
            return
        pictures.append(pathlib.Path(folder, name).read_bytes())
    failures.expect(pictures[0] == pictures[1], "the picture differs when it is drawn again")
    failures.expect(xml.etree.ElementTree.fromstring(pictures[0]).tag[-3:] == "svg", "no picture")
    pathlib.Path(folder, "other.json").write_text('{"rows": 1}')
    for wrong in ("other.json", "none.json"):
        code, _, errors = curves.draw(script, folder, wrong)
        failures.expect(code == 1 and len(errors) == 1 and "cannot be read" in errors[0],
                        f"curves of {wrong}: {errors}")


def main():
    program = str(pathlib.Path(sys.argv[1], "photonic-rails-straggler").resolve())
    failures = json_schema.Failures()
    schema = json_schema.Schema("straggler-json.md", free={"settings"})
    reports = []
    with tempfile.TemporaryDirectory() as folder:
        for flags in CASES:
            name = " ".join(flags)
            text, report = run(program, flags, folder)
            reports.append(report)
            schema.check(report, name, failures)
            check_plans(report, name, failures)
            check_rows(report, name, failures)
            printed = [line for line in text.splitlines() if "stragglar " in line and "#" not in line]
            written = [row for row in report["rows"] if row["algorithm"] == "stragglar"]
            failures.expect(len(printed) == len(written), f"{name}: {len(printed)} rows are printed")
            if "photonic" not in name:
                check_crossover(report, name, failures)
            _, again = run(program, flags, folder)
            failures.expect(without_machine(again) == without_machine(report),
                            f"{name}: another run, another object")
        ranks = ",".join(str(number) for number in PUBLISHED)
        _, report = run(program, ["--planOnly", "--fabric=electrical", f"--ranks={ranks}"], folder)
        failures.expect(len(report["plans"]) == len(PUBLISHED), "plans are missing")
        check_plans(report, "plans", failures)
        _, report = run(program, ["--fabric=electrical", "--ranks=5", "--bytes=1M",
                                  "--algorithms=ring,stragglar", "--stragglerDelay=1us"], folder)
        failures.expect(len(report["rows"]) == 1 and "even number" in str(report["remarks"]),
                        "an odd number of ranks")
        _, report = run(program, ["--fabric=electrical", "--ranks=2,5", "--bytes=1M",
                                  "--algorithms=ring", "--stragglerDelay=0s,2x"], folder)
        delays = [row["delay_s"] / (row["scatter_s"] or 1) for row in report["rows"]]
        failures.expect(delays[:3] == [0, 0, 0] and abs(delays[3] - 2) < 1e-6, f"delays by x: {delays}")
        failures.expect("multiples (x) of --stragglerDelay are 0" in str(report["remarks"]),
                        f"2 ranks: {report['remarks']}")
        text, report = run(program, ["--fabric=leaf-spine", "--ranks=2,4,64", "--planOnly"], folder)
        remark = "leaf-spine (2, 4 ranks: with so few hosts one switch per rail, as electrical)"
        failures.expect(remark in report["remarks"][0] and remark in text, f"one switch: {report['remarks']}")
        check_page(program, folder, failures)
        check_curves(folder, reports, failures)
    print(f"{len(schema.types)} keys, {len(CASES)} runs, {failures.count} failures")
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
