#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""photonic-rails-fabric-comparison: the JSON is as documented and reproducible, fabrics that cannot
carry the traffic say why, and what must be equal or ordered between fabrics is.

usage: comparison-json-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import pathlib
import subprocess
import sys
import tempfile

import json_schema

OF_THE_MACHINE = ("cpu_s", "setup_cpu_s", "peak_rss_bytes")
FABRICS = ["photonic", "electrical", "fat-tree", "leaf-spine", "rail-only"]
MIB = 1 << 20

# Flags, and the fabrics that cannot carry it with a word of the reason.
CASES = [
    (["--traffic=collective", "--domains=4", "--bytes=64K"], {}),
    (["--traffic=collective", "--domains=3", "--gpusPerDomain=2", "--group=rail", "--bytes=64K"],
     {}),
    (["--traffic=permutation", "--domains=6", "--gpusPerDomain=2", "--bytes=100000"],
     {"photonic": "rails", "electrical": "rails", "rail-only": "rails"}),
    (["--traffic=permutation", "--domains=6", "--gpusPerDomain=2", "--bytes=100000",
      "--group=rail"], {}),
    (["--traffic=permutation", "--domains=5", "--nicPorts=1"], {"photonic": "nicPorts"}),
    (["--traffic=job", "--model=debugmodel", "--seqLen=512", "--iterations=2"], {}),
]


def run(program, flags, folder):
    """Return what is printed and the object that is written."""
    path = pathlib.Path(folder, "out.json")
    done = subprocess.run([program, *flags, f"--json={path}"], cwd=folder, capture_output=True,
                          text=True, timeout=300, check=False)
    if done.returncode != 0:
        sys.exit(f"{flags}: exit code {done.returncode}: {done.stderr}")
    return done.stdout, json_schema.read(path.read_text())


def without_machine(report):
    """The part of the object that depends on nothing but the flags."""
    runs = [{key: value for key, value in one.items() if key not in OF_THE_MACHINE}
            for one in report["runs"]]
    return {**report, "runs": runs}


def check_distribution(values, name, failures):
    """Quantiles are in order."""
    order = [values[key] for key in ("min_s", "median_s", "p99_s", "p999_s", "max_s")]
    failures.expect(order == sorted(order) and order[0] > 0, f"{name}: {order}")


def check_runs(report, left_out, name, failures):
    """Fabrics carry the same traffic or say why not."""
    runs = {one["fabric"]: one for one in report["runs"]}
    failures.expect(list(runs) == FABRICS, f"{name}: {list(runs)}")
    reasons = {fabric: one["reason"] for fabric, one in runs.items() if "reason" in one}
    failures.expect(set(reasons) == set(left_out), f"{name}: left out: {reasons}")
    for fabric, word in left_out.items():
        failures.expect(word in reasons.get(fabric, ""), f"{name}: {reasons}")
    able = {fabric: one for fabric, one in runs.items() if "reason" not in one}
    for fabric, one in able.items():
        where = f"{name}, {fabric}"
        failures.expect(one["bytes_posted"] == one["bytes_delivered"] > 0, f"{where}: bytes")
        failures.expect(one["lost_at_ocs"] == one["drops"] == 0, f"{where}: losses")
        failures.expect(one["packet_latency"]["count"] == one["data_packets"], f"{where}: packets")
        check_distribution(one["packet_latency"], f"{where}: packets", failures)
        failures.expect(one["rdma_write_time"]["count"] > 0, f"{where}: no Writes")
        check_distribution(one["rdma_write_time"], f"{where}: Writes", failures)
        check_distribution(one["message_time"], f"{where}: messages", failures)
        failures.expect(one["events"] > one["data_packets"], f"{where}: events")
        failures.expect(one["peak_rss_bytes"] > MIB, f"{where}: memory")
        tiers = [tier["name"] for tier in one["link_utilisation"]]
        failures.expect(tiers[0] == "NIC up" and (len(tiers) == 1) == (fabric == "photonic"),
                        f"{where}: {tiers}")
        for tier in one["link_utilisation"]:
            failures.expect(0 <= tier["mean"] <= tier["max"] <= 1, f"{where}: {tier}")
        failures.expect(len(one["switches_by_tier"]) == sum(
            tier.startswith("tier") and tier.endswith("down") for tier in tiers),
            f"{where}: {one['switches_by_tier']} switches, {tiers}")
        # A message that has half of the ports is cut into other packets.
        for key in ["bytes_posted"] + ["data_packets"] * (fabric != "photonic"):
            failures.expect(one[key] == list(able.values())[-1][key], f"{where}: {key}")
    # A circuit has no switch to wait in.
    if "photonic" in able and report["traffic"] != "job":
        least = min(one["packet_latency"]["min_s"] for one in able.values())
        failures.expect(able["photonic"]["packet_latency"]["min_s"] == least, f"{name}: {least}")


def main():
    program = str(pathlib.Path(sys.argv[1], "photonic-rails-fabric-comparison").resolve())
    failures = json_schema.Failures()
    schema = json_schema.Schema("comparison-json.md", optional={"runs[].reason", "remarks[]"},
                                free={"settings"})
    with tempfile.TemporaryDirectory() as folder:
        for flags, left_out in CASES:
            name = " ".join(flags)
            text, report = run(program, flags, folder)
            schema.check(report, name, failures)
            check_runs(report, left_out, name, failures)
            for fabric in FABRICS:
                failures.expect(fabric in text, f"{name}: {fabric} is not in the table")
            failures.expect(without_machine(run(program, flags, folder)[1]) ==
                            without_machine(report), f"{name}: another run, another object")
        dash = run(program, ["-traffic=permutation", "-domains=4", "-bytes=9000"], folder)[1]
        failures.expect(dash["traffic"] == "permutation", f"with one dash: {dash['traffic']}")
        text, rings = run(program, ["--domains=4", "--gpusPerDomain=2", "--scaleUp=h100",
                                    "--bytes=64K", "--fabrics=fat-tree", "--algorithm=ring"], folder)
        failures.expect(any("--algorithm=channels" in line for line in rings["remarks"]) and
                        rings["remarks"][0] in text, f"one ring: {rings['remarks']}")
        failures.expect(rings["runs"][0]["scale_up_max_queue_bytes"] > 0, "queues in domains")
        few = run(program, ["--domains=3", "--bytes=64K"], folder)[1]
        failures.expect(any(line.startswith("fat-tree, leaf-spine, rail-only: with so few")
                            for line in few["remarks"]), f"one switch: {few['remarks']}")
        some = run(program, [*CASES[0][0], "--fabrics=fat-tree,photonic", "--latency=false"],
                   folder)[1]
        failures.expect([one["fabric"] for one in some["runs"]] == ["fat-tree", "photonic"],
                        "the fabrics that were asked for")
        failures.expect(all(one["packet_latency"]["count"] == 0 for one in some["runs"]),
                        "latency is measured although it is not asked for")
    print(f"{len(schema.types)} keys, {len(CASES)} kinds of traffic, {failures.count} failures")
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
