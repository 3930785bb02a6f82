#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""photonic-rails-ip-beside-rdma: the transfers end on every fabric, FlowMonitor's losses and delays are
those of the traces, and captures hold the packets of RDMA, TCP, UDP and ARP. The program of doc/ip.rst, which has
FlowMonitor beside a training job, ends with the job.

usage: ip-beside-rdma-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import importlib
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import textwrap
import xml.etree.ElementTree

FABRIC = {"domains": 3, "gpusPerDomain": 1, "nicPorts": 1, "switches": ["left", "right"],
          "nics": [{"switch": "left", "gpus": [0, 2]}, {"switch": "right", "gpus": [1]}],
          "links": [{"switches": ["left", "right"], "rate_gbps": 100, "delay_ns": 100}]}
RDMA, TCP, UDP, ARP = "RDMA", "TCP", "UDP", "ARP"


class Run:
    """A run of the program, and what it printed."""

    def __init__(self, program, *flags):
        done = subprocess.run([program, *flags], capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            sys.exit(f"{flags}: {done.stderr}")
        self.text = done.stdout
        self.flags = flags

    def find(self, pattern):
        """@return the numbers in the first line of a form"""
        found = re.search(pattern, self.text)
        if not found:
            sys.exit(f"{self.flags}: no line has the form {pattern}:\n{self.text}")
        return [int(number) for number in found.groups()]

    def expect(self, holds, what):
        """End the test unless something holds."""
        if not holds:
            sys.exit(f"{self.flags}: {what}:\n{self.text}")

    def check(self, rdma, tcp, echoes):
        """The transfers have ended, and the traces count what FlowMonitor counts. @return lost packets"""
        self.expect(self.find(r"RDMA: +(\d+) bytes") == [rdma], "RDMA")
        self.expect(self.find(r"TCP: +(\d+) bytes") == [tcp], "TCP")
        sums = r"(\d+) packets sent, (\d+) received in (\d+) ps.*lost (\d+)"
        traced = self.find("traces: +" + sums)
        self.expect(self.find("FlowMonitor: +" + sums) == traced, "FlowMonitor and traces differ")
        sent, received, delay, lost = traced
        self.expect(sent == received + lost and delay > 0, "packets are missing")
        self.expect(self.find(r"(\d+) requests")[0] == echoes, "requests")
        return lost


def get_kind(frame):
    """@return the protocol of a frame, and the numbers that tell its packet from others"""
    if frame[12:14] == b"\x08\x06":
        return ARP, frame[14:42]
    protocol, port = frame[23], struct.unpack(">H", frame[36:38])[0]
    if protocol == 6:
        return TCP, frame[18:38]
    return RDMA if port == 4791 else UDP, frame[18:38]


def read_capture(path):
    """@return for each kind of frame the headers and times of a capture in nanoseconds"""
    content = path.read_bytes()
    if struct.unpack("<I", content[:4])[0] != 0xa1b23c4d:
        sys.exit(f"{path}: no capture with times in nanoseconds")
    frames = {RDMA: [], TCP: [], UDP: [], ARP: []}
    place = 24
    while place < len(content):
        seconds, nanoseconds, kept, _ = struct.unpack("<IIII", content[place:place + 16])
        frame = content[place + 16:place + 16 + kept]
        kind, key = get_kind(frame)
        frames[kind].append((key, seconds * 1000000000 + nanoseconds))
        place += 16 + kept
    return frames


def check_captures(program, folder, fabric):
    """Both ends of a link have captured the same packets, and an ARP exchange if there are switches."""
    prefix = pathlib.Path(folder) / fabric
    run = Run(program, f"--fabric={fabric}", f"--pcap={prefix}", "--rdmaBytes=1M", "--tcpBytes=200K", "--echoes=3")
    run.expect(run.check(1 << 20, 200 << 10, 3) == 0, "nothing is lost")
    # Node 0 and 1 are the GPUs.
    sender, receiver, other = [read_capture(pathlib.Path(f"{prefix}-{gpu}-0.pcap")) for gpu in range(3)]
    for kind in RDMA, TCP, UDP, ARP:
        keys = [sorted(key for key, _ in end[kind]) for end in (sender, receiver)]
        run.expect(keys[0] == keys[1], f"the ends saw different packets of {kind}")
        run.expect(not other[kind], f"the third GPU saw packets of {kind}")
    run.expect(len(sender[UDP]) == 6, "echoes")
    run.expect(len(sender[ARP]) == (0 if fabric == "photonic" else 2 * 2), "a request and a reply for each end")
    begin, end = sender[RDMA][0][1], sender[RDMA][-1][1]
    run.expect(any(begin < at < end for _, at in sender[TCP]), "TCP beside RDMA")


def check_flows(program, folder):
    """The file of FlowMonitor's results has the sums that are printed."""
    file = pathlib.Path(folder) / "flows.xml"
    run = Run(program, f"--flows={file}", "--tcpBytes=1M", "--rdmaBytes=1M", "--echoes=80")
    lost = run.check(1 << 20, 1 << 20, 80)
    stats = xml.etree.ElementTree.parse(file).getroot().findall("FlowStats/Flow")
    run.expect(len(stats) == 4, "a flow for each direction of TCP and UDP")
    run.expect(sum(int(flow.get("lostPackets")) for flow in stats) == lost, "losses in the file")


def check_page(examples, folder):
    """The program of the page is compiled as it stands, and with circuits; both end with their jobs."""
    page = (pathlib.Path(__file__).resolve().parents[2] / "doc" / "ip.rst").read_text(encoding="utf-8")
    blocks = re.findall(r"\.\. code-block:: cpp\n\n((?:  .*\n|\n)+)", page)
    code = next(textwrap.dedent(block) for block in blocks if "main()" in block)
    electrical = "cluster.InstallElectrical();"
    photonic = "cluster.InstallPhotonic();\n    OpusHelper opus;\n    opus.Install(rails);"
    commands = importlib.import_module("tutorial-test").get_build_commands(examples.parent)
    # Circuits lead to a GPU for a part of the time: TCP does not begin within this short job.
    for text, least in (code, 4), (code.replace(electrical, photonic), 2):
        source = folder / "page.cc"
        source.write_text(text, encoding="utf-8")
        for command in commands:
            subprocess.run(["bash", "-euc", f"source={source} object={folder}/page.o program={folder}/page; {command}"],
                           cwd=examples.parent, check=True)
        run = Run(folder / "page")
        ended = float(re.search(r"ended at \+?([0-9.]+)ms", run.text)[1])
        flows = [(int(sent), int(received))
                 for sent, received in re.findall(r"flow \d: (\d+) packets sent, (\d+) received", run.text)]
        run.expect(0 < ended < 1000, "the job ends within a second")
        run.expect(sum(0 < received <= sent for sent, received in flows) >= least, "TCP and UDP, both ways")
    if electrical not in code:
        sys.exit("doc/ip.rst: no electrical rails to be replaced")


def main():
    program = pathlib.Path(sys.argv[1]) / "photonic-rails-ip-beside-rdma"
    if not program.exists():
        sys.exit(77)
    run = Run(program)
    lost = run.check(1 << 30, 256 << 20, 100)
    requests, replies = run.find(r"(\d+) requests, (\d+) replies")
    run.expect(lost > 0 and 0 < replies < requests, "the circuit was elsewhere for a while")
    run.expect(run.find(r"other host (\d+)")[0] > 0, "packets went where the circuit led")
    run = Run(program, "--queue=10", "--mtu=1500", "--tcpBytes=16M", "--echoes=80")
    run.check(1 << 30, 16 << 20, 80)
    run.expect(run.find(r"queue full (\d+)")[0] > 0, "a short queue is full")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "fabric.json"
        file.write_text(json.dumps(FABRIC), encoding="utf-8")
        for fabric in "electrical", "leaf-spine", "rail-only", "fat-tree", str(file):
            run = Run(program, f"--fabric={fabric}", "--rdmaBytes=64M", "--tcpBytes=16M", "--echoes=20")
            run.check(64 << 20, 16 << 20, 20)
            run.expect(run.find(r"(\d+) replies") == [20], "all echoes")
        for fabric in "photonic", "electrical":
            check_captures(program, folder, fabric)
        check_flows(program, folder)
        check_page(program.parent.resolve(), pathlib.Path(folder))


if __name__ == "__main__":
    main()
