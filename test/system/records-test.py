#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The tables that photonic-rails-training and -collectives write with --calls and --messages agree with each
other and with the JSON summary, are the same with packets and with bursts, and do not change the run.

usage: records-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import collections
import csv
import decimal
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

SMALL_JOB = ["--model=debugmodel", "--seqLen=256", "--iterations=2", "--quiet"]
NETWORKS = {"provisioned": ["--fabric=photonic"],
            "on demand": ["--fabric=photonic", "--policy=on-demand", "--hostNetwork=100Gbps",
                          "--hostThreshold=4K", "--scaleUp=network"],
            "rounds": ["--model=debugmodel-moe", "--tp=1", "--ep=4", "--fsdp=4", "--pp=1",
                       "--gpusPerDomain=1", "--reconfigDelay=10us", "--algorithms=AllToAll=pairwise"],
            "electrical": ["--fabric=electrical"]}
# Of the machine, and of how a run was computed.
OTHERWISE = ("wall_s", "peak_rss_bytes", "settings", "events", "processes", "symmetry")


def run(program, flags, folder):
    """@return summary and rows of a run; the rows are texts by column."""
    files = {name: folder / f"{name}.csv" for name in ("calls", "messages")}
    summary = folder / "run.json"
    subprocess.run([program, *SMALL_JOB, *flags, f"--json={summary}",
                    *(f"--{name}={file}" for name, file in files.items())], check=True)
    return json.loads(summary.read_text()), {name: list(csv.DictReader(file.open()))
                                             for name, file in files.items()}


def without(summary, keys):
    """@return a summary without some keys, at any depth."""
    if isinstance(summary, dict):
        return {key: without(value, keys) for key, value in summary.items() if key not in keys}
    return [without(value, keys) for value in summary] if isinstance(summary, list) else summary


def check_tables(rows):
    """@return what is wrong with the tables of a job on photonic or electrical rails."""
    faults = []
    calls = {(row["rank"], row["group"], row["sequence"]): row for row in rows["calls"]}
    if len(calls) != len(rows["calls"]):
        faults.append("a call stands there twice")
    ended = decimal.Decimal(0)
    for row in rows["calls"]:
        made, started, ends, waited = (decimal.Decimal(row[name]) for name in (
            "made_s", "started_s", "ended_s", "waited_for_circuits_s"))
        if not made <= started <= ends or waited > ends - made or ends < ended:
            faults.append(f"the times of {row}")
        ended = ends
    used = set()
    for row in rows["messages"]:
        key = (row["source"], row["group"], row["sequence"])
        call = calls[key]
        used.add(key)
        posted, ends = decimal.Decimal(row["posted_s"]), decimal.Decimal(row["ended_s"])
        if not decimal.Decimal(call["started_s"]) <= posted < ends <= decimal.Decimal(call["ended_s"]):
            faults.append(f"{row} is not within its call")
        if (row["operation"], row["label"]) != (call["operation"], call["label"]):
            faults.append(f"{row} has another name than its call")
        if row["delivered"] != "1":
            faults.append(f"{row} failed, though nothing broke")
    idle = [key for key, call in calls.items() if key not in used and call["operation"] != "Recv"]
    return faults + [f"call {key} sends nothing" for key in idle]


def check_messages_of_pairs(rows):
    """@return what is wrong with Sends: Recvs have their sizes, and messages their bytes."""
    sends, receives = (collections.Counter((row["peer"] if kind == "Recv" else row["rank"],
                                            row["rank"] if kind == "Recv" else row["peer"],
                                            row["bytes"])
                                           for row in rows["calls"] if row["operation"] == kind)
                       for kind in ("Send", "Recv"))
    posted, carried = collections.Counter(), collections.Counter()
    for (source, destination, size), count in sends.items():
        posted[source, destination] += int(size) * count
    for row in rows["messages"]:
        if row["operation"] == "Send":
            carried[row["source"], row["destination"]] += int(row["bytes"])
    return [] if sends == receives and posted == carried else ["Sends, Recvs and their messages differ"]


def check_volumes(summary, rows, is_network):
    """@return what is wrong with the bytes of rank 0, with collectives inside domains in the table or not."""
    volumes = collections.Counter()
    for row in rows["calls"]:
        if row["rank"] == "0":
            volumes[row["operation"]] += int(row["bytes"])
    faults = []
    for kind, entry in summary["collectives"].items():
        inside = 0 if is_network else entry["by_dimension"].get("tp", {"input_bytes": 0})["input_bytes"]
        expected = (entry["input_bytes"] - inside) * len(summary["iterations"])
        # Of other pipeline stages, the summary has calls that rank 0 does not make.
        if volumes[kind] > expected or (kind in ("AllGather", "ReduceScatter") and not volumes[kind]):
            faults.append(f"{kind}: {volumes[kind]} bytes of calls, {expected} in the summary")
    return faults


def check_collectives(program, folder):
    """@return what is wrong with the table of a ring AllReduce of four ranks."""
    file = folder / "ring.csv"
    subprocess.run([program, "--collective=AllReduce", "--algorithm=ring", "--domains=4", "--minBytes=1M", "--maxBytes=1M",
                    "--iters=3", f"--messages={file}"], check=True, stdout=subprocess.DEVNULL)
    rows = list(csv.DictReader(file.open()))
    sent = collections.Counter()
    for row in rows:
        sent[row["source"]] += int(row["bytes"])
    # Of N bytes each rank sends 2 (n - 1) / n to its neighbours.
    return [] if set(sent.values()) == {3 * 2 * 3 * (1 << 20) // 4} and len(sent) == 4 else [f"ring: {sent}"]


def check_databases(program, folder):
    """@return what is wrong with databases: they have the rows of the tables; with both in one run."""
    flags = ["--fabric=photonic", "--policy=on-demand"]
    rows = run(program, flags, folder)[1]
    files = {name: folder / f"{name}.sqlite" for name in rows}
    done = subprocess.run([program, *SMALL_JOB, *flags, *(f"--{name}={file}" for name, file in files.items())],
                          capture_output=True, text=True, check=False)
    if "this build has no SQLite" in done.stderr:
        print("no databases: this build has no SQLite")
        return []
    if done.returncode != 0:
        return [f"databases: {done.stderr}"]
    faults = []
    for name, file in files.items():
        database = sqlite3.connect(file)
        found = database.execute(f"SELECT * FROM {name}")
        columns = [column[0] for column in found.description]
        stored = [dict(zip(columns, row)) for row in found]
        wanted = [{key: float(value) if key.endswith("_s") else value for key, value in row.items()}
                  for row in rows[name]]
        if [{key: value if key.endswith("_s") else str(value) for key, value in row.items()}
                for row in stored] != wanted:
            faults.append(f"{file.name} has other rows than {name}.csv")
        kinds = database.execute(f"SELECT DISTINCT typeof(bytes), typeof(ended_s), typeof(label) FROM {name}")
        if kinds.fetchall() != [("integer", "real", "text")]:
            faults.append(f"{file.name}: other types")
        database.close()
    return faults


def main():
    examples = pathlib.Path(sys.argv[1])
    program = examples / "photonic-rails-training"
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for network, flags in NETWORKS.items():
            summary, rows = run(program, flags, folder)
            found = check_tables(rows) + check_messages_of_pairs(rows)
            found += check_volumes(summary, rows, "--scaleUp=network" in flags)
            packets = run(program, [*flags, "--fidelity=packet"], folder)[1]
            if packets != rows:
                found.append("packets give other rows, or another order")
            plain = folder / "plain.json"
            subprocess.run([program, *SMALL_JOB, *flags, f"--json={plain}"], check=True)
            if without(json.loads(plain.read_text()), OTHERWISE) != without(summary, OTHERWISE):
                found.append("the run differs from one without tables")
            print(f"{network}: {len(rows['calls'])} calls, {len(rows['messages'])} messages")
            faults += [f"{network}: {fault}" for fault in found]
        faults += check_databases(program, folder)
        faults += check_collectives(examples / "photonic-rails-collectives", folder)
    if faults:
        sys.exit("\n".join(faults[:20]))


if __name__ == "__main__":
    main()
