#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""photonic-rails-collectives: table and JSON agree, the JSON is as documented and reproducible, and
on one switch large collectives reach what the links can carry.

usage: collectives-json-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import pathlib
import subprocess
import sys
import tempfile

import json_schema

OF_THE_MACHINE = ("wall_s", "peak_rss_bytes")
REDUCING = {"AllReduce", "ReduceScatter", "Reduce"}
ROOTED = {"Broadcast", "Reduce", "Gather", "Scatter"}
DIVIDED = {"AllGather", "ReduceScatter", "AllToAll", "Gather", "Scatter"}
# Groups of Send and Recv, for which there is no formula.
GROUPED = {"SendRecv", "Gather", "Scatter"}
RANKS = 8
# Payload and bytes on the wire of a full packet: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4,
# FCS 4, preamble 8, gap 12.
MTU, OVERHEAD = 4096, 82

CASES = [
    ["--collective=AllReduce"],
    ["--collective=AllReduce", "--fabric=electrical", "--iters=3", "--warmup=0"],
    ["--collective=AllGather", "--fabric=electrical", "--minBytes=1000", "--stepFactor=10"],
    ["--collective=ReduceScatter", "--nicPorts=4", "--reconfigDelay=1us"],
    ["--collective=AllReduce", "--fabric=leaf-spine", "--gpusPerDomain=2", "--group=rail",
     "--oversubscription=2:1", "--switchRadix=8", "--cc=dcqcn", "--lossRecovery=selective-repeat"],
    ["--collective=AllToAll", "--fabric=electrical", "--algorithm=direct", "--cc=swift"],
    ["--collective=Broadcast", "--fabric=electrical", "--algorithm=tree"],
    ["--collective=AllGather", "--fabric=rail-only", "--gpusPerDomain=2", "--scaleUp=h100"],
    ["--collective=SendRecv", "--fabric=electrical", "--minBytes=8"],
    ["--collective=SendRecv", "--minBytes=1K"],
    ["--collective=Gather", "--fabric=electrical", "--minBytes=8"],
    ["--collective=Scatter", "--fabric=electrical", "--iters=2"],
]


def run(program, flags, folder):
    """Return what is printed and the object that is written."""
    path = pathlib.Path(folder, "out.json")
    done = subprocess.run([program, f"--domains={RANKS}", *flags, f"--json={path}"], cwd=folder,
                          capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{flags}: exit code {done.returncode}: {done.stderr}")
    return done.stdout, json_schema.read(path.read_text())


def without_machine(report):
    """The part of the object that depends on nothing but the flags."""
    return {key: value for key, value in report.items() if key not in OF_THE_MACHINE}


def check_rows(report, name, failures):
    """Sizes, counts and bandwidths follow from each other as in nccl-tests."""
    kind, ranks = report["collective"], report["ranks"]
    factor = {"AllReduce": 2 * (ranks - 1) / ranks, "Broadcast": 1, "Reduce": 1,
              "SendRecv": 1}
    for row in report["rows"]:
        where = f"{name}, {row['size_bytes']} bytes"
        parts = ranks if kind in DIVIDED else 1
        failures.expect(row["count"] * 4 * parts == row["size_bytes"], f"{where}: count")
        failures.expect(row["redop"] == ("sum" if kind in REDUCING else "none"), f"{where}: redop")
        failures.expect(row["root"] == (0 if kind in ROOTED else -1), f"{where}: root")
        if row["size_bytes"] == 0:
            failures.expect(row["time_s"] == row["busbw_bytes_per_s"] == row["bytes_posted"] == 0,
                            f"{where}: nothing is sent")
            continue
        algbw = row["size_bytes"] / row["time_s"]
        busbw = algbw * factor.get(kind, (ranks - 1) / ranks)
        for key, wanted in (("algbw_bytes_per_s", algbw), ("busbw_bytes_per_s", busbw)):
            failures.expect(abs(row[key] / wanted - 1) < 1e-9, f"{where}: {key} is {row[key]}")
        failures.expect(row["bytes_delivered"] == row["bytes_posted"] > 0, f"{where}: bytes")
        failures.expect(row["retransmissions"] == 0, f"{where}: packets sent again")
        failures.expect(row["packets_sent"] * MTU >= row["bytes_posted"], f"{where}: packets")
    times = [row["time_s"] for row in report["rows"]]
    failures.expect(times == sorted(times), f"{name}: a larger tensor takes less time: {times}")


def check_table(text, report, name, failures):
    """The table has the columns of nccl-tests and the numbers of the JSON."""
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    failures.expect(len(lines) == len(report["rows"]), f"{name}: {len(lines)} rows are printed")
    for line, row in zip(lines, report["rows"]):
        wanted = [str(row["size_bytes"]), str(row["count"]), "float", row["redop"],
                  str(row["root"]), f"{row['time_s'] * 1e6:.2f}",
                  f"{row['algbw_bytes_per_s'] / 1e9:.2f}", f"{row['busbw_bytes_per_s'] / 1e9:.2f}",
                  "N/A"]
        failures.expect(line == wanted, f"{name}: {line} is printed for {wanted}")
    headings = [line for line in text.splitlines() if line.startswith("#") and "algbw" in line]
    failures.expect(len(headings) == 1 and headings[0].split()[1:] == [
        "size", "count", "type", "redop", "root", "time", "algbw", "busbw", "#wrong"],
        f"{name}: the heading is {headings}")
    average = f"# Avg bus bandwidth    : {report['average_busbw_bytes_per_s'] / 1e9:.5f}"
    failures.expect(average in text, f"{name}: there is no line {average}")
    mean = sum(row["busbw_bytes_per_s"] for row in report["rows"]) / len(report["rows"])
    failures.expect(abs(report["average_busbw_bytes_per_s"] / mean - 1) < 1e-9, f"{name}: average")


def check_line_rate(program, kind, folder, failures):
    """Two ports of 200 Gbit/s through one switch: bus bandwidth within 2 % of their payload rate,
    without the time of the library."""
    _, report = run(program, [f"--collective={kind}", "--fabric=electrical", "--nicPorts=2",
                              "--portRate=200Gbps", "--minBytes=64M", "--maxBytes=64M",
                              "--warmup=0", "--ns3::CollectiveEngine::LibraryTime=false"], folder)
    limit = 2 * 200e9 / 8 * MTU / (MTU + OVERHEAD)
    share = report["rows"][0]["busbw_bytes_per_s"] / limit
    print(f"{kind} of 64 MiB on one switch: {share:.4f} of the payload rate")
    failures.expect(0.98 <= share <= 1, f"{kind}: {share:.4f} of the payload rate")


def main():
    program = str(pathlib.Path(sys.argv[1], "photonic-rails-collectives").resolve())
    failures = json_schema.Failures()
    schema = json_schema.Schema("collectives-json.md",
                                signed={"rows[].root", "fit.alpha", "fit.beta"},
                                optional={"fit", "fit.alpha", "fit.beta", "fit.worst",
                                          "rows[].textbook_alpha_s", "rows[].textbook_beta_s"})
    with tempfile.TemporaryDirectory() as folder:
        for flags in CASES:
            name = " ".join(flags)
            text, report = run(program, ["--maxBytes=64K", *flags], folder)
            schema.check(report, name, failures)
            check_rows(report, name, failures)
            check_table(text, report, name, failures)
            fits = report["collective"] not in GROUPED
            failures.expect(("fit" in report) == ("times fit" in text) == fits, f"{name}: fit")
            again = run(program, ["--maxBytes=64K", *flags], folder)
            failures.expect(again[0] == text, f"{name}: another run, another table")
            failures.expect(without_machine(again[1]) == without_machine(report),
                            f"{name}: another run, another object")
        text, report = run(program, ["--minBytes=64K", "--maxBytes=64K"], folder)
        schema.check(report, "one size", failures)
        failures.expect("fit" not in report and "times fit" not in text, "a fit to one size")
        text, _ = run(program, ["--fabric=fat-tree", "--gpusPerDomain=2", "--minBytes=64K", "--maxBytes=64K"], folder)
        failures.expect("fat-tree (with so few hosts one switch for all rails)" in text, "a fat-tree of one switch")
        for kind in ("AllGather", "ReduceScatter"):
            check_line_rate(program, kind, folder, failures)
    print(f"{len(schema.types)} keys, {len(CASES)} runs, {failures.count} failures")
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
