#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The XML that photonic-rails-training writes with --qpStats is well formed, agrees with the JSON summary
and with itself, is the same with packets and with bursts, and does not change the run.

usage: queue-pair-xml-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SMALL_JOB = ["--model=debugmodel", "--seqLen=512", "--iterations=2", "--quiet"]
NETWORKS = {"photonic": ["--fabric=photonic"],
            "hosts": ["--fabric=photonic", "--hostNetwork=100Gbps", "--scaleUp=network"],
            "fat-tree": ["--fabric=fat-tree", "--cc=dcqcn"]}
# Of the machine, and of how a run was computed.
OTHERWISE = ("wall_s", "peak_rss_bytes", "settings", "events", "processes", "symmetry")


def run(program, flags, folder):
    """@return the summary of a run."""
    summary = folder / "run.json"
    subprocess.run([program, *SMALL_JOB, *flags, f"--json={summary}"], check=True)
    return json.loads(summary.read_text())


def without(summary, keys):
    """@return a summary without some keys, at any depth."""
    if isinstance(summary, dict):
        return {key: without(value, keys) for key, value in summary.items() if key not in keys}
    return [without(value, keys) for value in summary] if isinstance(summary, list) else summary


def check_writes(pair):
    """@return what is wrong with the times of the Writes of a queue pair."""
    value = {key: int(pair.get(key)) for key in (
        "writes", "writesFailed", "writeBytes", "bytesPosted", "timeFirstWrite", "timeLastWrite",
        "writeTimeSum", "writeTimeMean", "writeTimeMin", "writeTimeMax")}
    bins = [{key: int(text) for key, text in one.items()} for one in pair.iter("bin")]
    faults = []
    if sum(one["count"] for one in bins) != value["writes"]:
        faults.append("the histogram does not count all Writes")
    if pair.find("writeTimeHistogram").get("nBins") != str(len(bins)):
        faults.append("nBins")
    if value["writeBytes"] != value["bytesPosted"] or value["writesFailed"]:
        faults.append("bytes posted are not those of the Writes")
    if value["timeFirstWrite"] > value["timeLastWrite"]:
        faults.append("the first Write comes after the last")
    if not value["writes"]:
        return faults
    if not value["writeTimeMin"] <= value["writeTimeMean"] <= value["writeTimeMax"]:
        faults.append("the mean is not between minimum and maximum")
    if not bins[0]["start"] <= value["writeTimeMin"] < bins[0]["start"] + bins[0]["width"]:
        faults.append("the minimum is not in the first bin")
    if not bins[-1]["start"] <= value["writeTimeMax"] < bins[-1]["start"] + bins[-1]["width"]:
        faults.append("the maximum is not in the last bin")
    if value["writeTimeSum"] // value["writes"] != value["writeTimeMean"]:
        faults.append("the mean")
    return [f"queue pair {pair.get('number')}: {fault}" for fault in faults]


def check_peers(root):
    """@return what is wrong with the two ends of queue pairs: what one sends the other delivers."""
    ends = {}
    for nic in root.iter("Nic"):
        for pair in nic.iter("QueuePair"):
            ends[nic.get("network"), nic.get("node"), pair.get("number")] = pair
    faults = []
    for (network, node, number), pair in ends.items():
        peer = ends.get((network, pair.get("peerNode"), pair.get("peerNumber")))
        if peer is None or (peer.get("peerNode"), peer.get("peerNumber")) != (node, number):
            faults.append(f"{network}: queue pair {number} of node {node} has no peer")
        elif peer.get("bytesDelivered") != pair.get("bytesPosted") or pair.get("failed") != "false":
            faults.append(f"{network}: queue pair {number} of node {node} posted what was not delivered")
    return faults


def check_sums(root, summary):
    """@return what is wrong with the sums over queue pairs, by the summary of the run."""
    faults = []
    for where, counts in (("rails", summary), ("scale-up", summary["scale_up"]),
                          ("hosts", summary["host_network"])):
        pairs = [pair for nic in root.iter("Nic") if nic.get("network") == where
                 for pair in nic.iter("QueuePair")]
        for mine, its in (("dataPacketsSent", "packets_sent"), ("retransmissions", "retransmissions"),
                          ("bytesPosted", "bytes_posted"), ("bytesDelivered", "bytes_delivered")):
            total = sum(int(pair.get(mine)) for pair in pairs)
            if total != counts[its]:
                faults.append(f"{where}: {mine} sums to {total}, {its} is {counts[its]}")
    return faults


def main():
    """Run the training program with and without the flag."""
    program = pathlib.Path(sys.argv[1]).resolve() / "photonic-rails-training"
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for network, flags in NETWORKS.items():
            texts = {}
            for detail in ("burst", "packet"):
                file = folder / f"{network}-{detail}.xml"
                summary = run(program, [*flags, f"--fidelity={detail}", f"--qpStats={file}"], folder)
                texts[detail] = file.read_text()
                if subprocess.run(["sh", "-c", "command -v xmllint"], stdout=subprocess.DEVNULL).returncode == 0:
                    subprocess.run(["xmllint", "--noout", file], check=True)
            if texts["burst"] != texts["packet"]:
                failures.append(f"{network}: bursts and packets differ")
            plain = run(program, [*flags, "--fidelity=packet"], folder)
            if without(plain, OTHERWISE) != without(summary, OTHERWISE):
                failures.append(f"{network}: the flag changes the run")
            root = ElementTree.fromstring(texts["burst"])
            failures += check_peers(root)
            for pair in root.iter("QueuePair"):
                failures += [f"{network}: {fault}" for fault in check_writes(pair)]
            if not any(int(pair.get("writes")) for pair in root.iter("QueuePair")):
                failures.append(f"{network}: no Write at all")
            failures += [f"{network}: {fault}" for fault in check_sums(root, plain)]
            print(network, len(list(root.iter("QueuePair"))), "queue pairs")
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
