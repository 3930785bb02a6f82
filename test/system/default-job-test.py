#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The default job on packets: volumes, order and time of the recorded one.

usage: default-job-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import json
import pathlib
import subprocess
import sys
import tempfile

MIB = 1 << 20

# As recorded on real GPUs, in iterations after the first: see "Validation" in the model page.
PHASES = [
    "fsdp AllGather 17, pp Send 1, fsdp AllGather 17, pp Send 1, pp Recv 1, fsdp AllGather 17, "
    "pp Recv 1, fsdp ReduceScatter 17, fsdp AllReduce 1, pp AllReduce 1, dp AllReduce 3",
    "pp Recv 1, fsdp AllGather 34, pp Send 1, pp Recv 1, fsdp AllGather 17, pp Send 1, "
    "fsdp ReduceScatter 17, fsdp AllReduce 1, pp AllReduce 1, dp AllReduce 3",
]


def main():
    program = str(pathlib.Path(sys.argv[1], "photonic-rails-training").resolve())
    def simulate(*flags):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "run.json")
            subprocess.run([program, "--iterations=2", "--quiet", f"--json={out}", *flags],
                           check=True, timeout=290)
            return json.loads(out.read_text())

    run = simulate("--reconfigDelay=0s")

    failures = 0

    def expect(what, good, seen):
        nonlocal failures
        failures += not good
        print(f"{'ok' if good else 'FAILED'}: {what}: {seen}")

    def near(what, seen, wanted, tolerance):
        expect(what, abs(seen / wanted - 1) <= tolerance, f"{seen}, expected {wanted}")

    for stage, wanted in enumerate(PHASES):
        seen = ", ".join(f"{phase['dimension']} {phase['kind']} {phase['count']}"
                         for phase in run["phases"][stage])
        expect(f"phases of stage {stage}", seen == wanted, seen)
    kinds = run["collectives"]
    near("AllGather of a pass, MiB",
         kinds["AllGather"]["by_dimension"]["fsdp"]["input_bytes"] / 3 / MIB, 957, 0.001)
    near("ReduceScatter of a step, MiB",
         kinds["ReduceScatter"]["by_dimension"]["fsdp"]["input_bytes"] / MIB, 3829, 0.001)
    near("a Send, MiB", kinds["Send"]["input_bytes"] / kinds["Send"]["count"] / MIB, 64, 0)
    near("iteration without delays, s", run["iterations"][1]["time_s"], 10.1775, 0.01)
    expect("lost at circuit switches", run["packets_lost_at_ocs"] == 0, run["packets_lost_at_ocs"])
    expect("bytes delivered", run["bytes_posted"] == run["bytes_delivered"], run["bytes_delivered"])
    expect("memory below 1 GiB", run["peak_rss_bytes"] < 1 << 30, run["peak_rss_bytes"])

    # What is below 1 MiB, the last phases of a step, over the hosts: its circuits are not needed.
    rails, hosts = simulate(), simulate("--hostNetwork=100Gbps")
    for stage, wanted in enumerate(PHASES):
        seen = ", ".join(f"{phase['dimension']} {phase['kind']} {phase['count']}"
                         for phase in hosts["phases"][stage])
        expect(f"phases of stage {stage} beside a host network",
               seen == wanted.split(", fsdp AllReduce")[0], seen)
    sent = hosts["host_network"]
    expect("bytes on both networks",
           hosts["bytes_posted"] + sent["bytes_posted"] == rails["bytes_posted"], sent)
    expect("bytes delivered by the host network",
           sent["bytes_posted"] == sent["bytes_delivered"], sent["bytes_delivered"])
    for key in ("reconfigurations", "exposed_reconfiguration_s", "time_s"):
        expect(f"{key} with and without a host network",
               hosts["iterations"][1][key] < rails["iterations"][1][key],
               [one["iterations"][1][key] for one in (hosts, rails)])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
