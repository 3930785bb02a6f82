#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Published results of nccl-tests beside those of photonic-rails-collectives.

usage: nccl-tests.py PROGRAM [MACHINE ...]

PROGRAM is photonic-rails-collectives; MACHINE counts from 1 in nccl-tests.json, which names machines,
sources and figures. Without one, all are run. Nothing here or in the program is fitted to the figures:
latencies and NVLink's bandwidth are those in NCCL's source, the rest is simulated.

Exit code 1 if a run fails; a line says which."""
import json
import pathlib
import subprocess
import sys
import tempfile


def load_machines():
    """@return the machines with their points"""
    return json.loads(pathlib.Path(__file__).with_suffix(".json").read_text())


def simulate(program, machine, point):
    """@return the row of the program's JSON for a point"""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out.json")
        done = subprocess.run([program, *machine["flags"], "--nicPorts=1", "--warmup=0",
                               f"--collective={point['collective']}", f"--minBytes={point['bytes']}",
                               f"--maxBytes={point['bytes']}",
                               f"--json={out}"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{machine['machine']}, {point}: {done.stderr.strip()}")
        return json.loads(out.read_text())["rows"][0]


def compare(program, machine, point):
    """@return published and simulated time in s, and both bus bandwidths in byte/s"""
    row = simulate(program, machine, point)
    traffic = row["busbw_bytes_per_s"] * row["time_s"]
    published = point["us"] / 1e6 if "us" in point else traffic / (1e9 * point["busbw"])
    return published, row["time_s"], traffic / published, row["busbw_bytes_per_s"]


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    machines = load_machines()
    for number in [int(text) for text in sys.argv[2:]] or range(1, len(machines) + 1):
        machine = machines[number - 1]
        print(f"\n{machine['machine']}\n{machine['source']}\n")
        print("| collective | bytes | published us | simulated us | published GB/s | simulated GB/s "
              "| busbw |\n|---|---|---|---|---|---|---|")
        for point in machine["points"]:
            was, is_now, published, simulated = compare(program, machine, point)
            print(f"| {point['collective']} | {point['bytes']} | {1e6 * was:.1f} | "
                  f"{1e6 * is_now:.1f} | {published / 1e9:.2f} | {simulated / 1e9:.2f} | "
                  f"{100 * (simulated / published - 1):+.0f} % |", flush=True)


if __name__ == "__main__":
    main()
