# SPDX-License-Identifier: GPL-2.0-only
"""A timeline of photonic-rails-training: is it a good file of trace events, and does it show what
the summary of the run says?"""
import collections
import json
import re
import subprocess
from decimal import Decimal

PHASES = set("MXbeiCstf")
PICOSECOND = Decimal("0.000001")  # in microseconds
KINDS = ("AllGather", "ReduceScatter", "AllReduce", "AllToAll", "Send", "Recv")


def run(command, folder):
    """Run a program."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300,
                          check=False)


def microseconds(seconds):
    """A time of the summary, which has lost digits below those of a double."""
    return Decimal(repr(seconds)) * 1_000_000


def is_close(value, other):
    """True if two numbers are the same but for the rounding of doubles."""
    return abs(value - other) <= max(PICOSECOND, abs(other) * Decimal("1e-12"))


def get_lines(text):
    """The lines of a file, in any order."""
    return sorted(line.removesuffix(",") for line in text.splitlines())


class Trace:
    """The events of a file, times in microseconds as exact decimals."""

    def __init__(self, text):
        value = json.loads(text, parse_float=Decimal, parse_int=Decimal)
        self.value_keys = list(value)
        self.events = value["traceEvents"]
        self.other = value["otherData"]
        self.recoveries = []  # of the summary that it is compared with
        self.index()

    def index(self):
        """Find out which processes are ranks and which are switches."""
        self.process_names = {event["pid"]: event["args"]["name"] for event in self.events
                              if event.get("name") == "process_name"}
        self.rank_of, self.rail_of_rank, self.stage_of, self.switches = {}, {}, {}, {}
        for process, name in self.process_names.items():
            if match := re.fullmatch(r"rank (\d+): stage (\d+), domain \d+, rail (\d+)", name):
                rank, stage, rail = map(int, match.groups())
                self.rank_of[process] = rank
                self.stage_of[rank], self.rail_of_rank[rank] = stage, rail
            if match := re.fullmatch(r"OCS of rail (\d+)", name):
                self.switches[process] = int(match.group(1))

    # --- is it a good file? ---

    def check(self):
        """Return what is wrong with the file, whatever the run."""
        wrong = []
        if self.value_keys != ["displayTimeUnit", "traceEvents", "otherData"]:
            wrong.append(f"keys {self.value_keys}")
        for event in self.events:
            if not (isinstance(event.get("name"), str) and event["name"] and
                    event.get("ph") in PHASES and "pid" in event and "tid" in event):
                wrong.append(f"no event: {event}")
            elif event["ph"] != "M" and not 0 <= event.get("ts", -1):
                wrong.append(f"no time: {event}")
            elif any(key in event and event[key] % PICOSECOND for key in ("ts", "dur")):
                wrong.append(f"a fraction of a picosecond: {event}")
        if wrong:
            return wrong
        return (self.check_names() + self.check_nesting() + self.check_async() +
                self.check_flows() + self.check_counters())

    def check_names(self):
        """Every process and thread has one name, and no number means two things."""
        wrong = []
        threads = [(event["pid"], event["tid"]) for event in self.events
                   if event["name"] == "thread_name"]
        processes = [event["pid"] for event in self.events if event["name"] == "process_name"]
        numbers = processes + [thread for _, thread in threads]
        if len(set(numbers)) != len(numbers):
            wrong.append("a number of a process or thread occurs twice")
        named = set(threads) | {(process, process) for process in processes}
        for event in self.events:
            if (event["pid"], event["tid"]) not in named and event.get("s") != "g":
                wrong.append(f"a process or thread without a name: {event}")
                break
        return wrong

    def check_nesting(self):
        """Slices of a thread lie within or beside each other, the outer first in the file."""
        threads = collections.defaultdict(list)
        for event in self.events:
            if event["ph"] == "X":
                if event["dur"] < 0:
                    return [f"a slice of negative length: {event}"]
                threads[event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
        wrong = []
        for thread, slices in threads.items():
            slices.sort(key=lambda one: one[0])  # keeps the order of the file
            stack = []
            for begin, end in slices:
                while stack and stack[-1] <= begin and not stack[-1] == begin == end:
                    stack.pop()
                if stack and end > stack[-1]:
                    wrong.append(f"slices of thread {thread} overlap at {begin}")
                    break
                stack.append(end)
        return wrong

    def check_async(self):
        """Each begin of a slice that may overlap has its end, in its process."""
        open_at, wrong = {}, []
        for event in self.events:
            if event["ph"] not in "be":
                continue
            key = (event["pid"], event["cat"], event["name"], event["id2"]["local"])
            if event["ph"] == "b":
                if key in open_at:
                    wrong.append(f"begins twice: {key}")
                open_at[key] = event["ts"]
            elif event["ts"] < open_at.pop(key, event["ts"] + 1):
                wrong.append(f"ends before it begins: {key}")
        return wrong + [f"never ends: {key}" for key in open_at]

    def check_flows(self):
        """Each arrow has begin, step and end in order, each at the slice that stands before it."""
        flows, wrong = collections.defaultdict(list), []
        for before, event in zip([None, *self.events], self.events):
            if event["ph"] not in "stf":
                continue
            flows[(event["cat"], event["name"], event["id"])].append(event)
            if not before or before["ph"] != "X" or any(
                    before[key] != event[key] for key in ("pid", "tid", "ts", "name")):
                wrong.append(f"an arrow without a slice: {event}")
            if (event["ph"] == "f") != (event.get("bp") == "e"):
                wrong.append(f"an arrow to the next slice: {event}")
        for key, points in flows.items():
            times = [point["ts"] for point in points]
            if "".join(point["ph"] for point in points) != "stf" or times != sorted(times):
                wrong.append(f"an arrow is not complete: {key}")
        return wrong

    def check_counters(self):
        """Shares are from 0 to 1, each in the order of time."""
        last, wrong = {}, []
        for event in self.events:
            if event["ph"] != "C":
                continue
            key = (event["pid"], event["name"])
            if not 0 <= event["args"]["utilisation"] <= 1:
                wrong.append(f"not a share: {event}")
            if event["ts"] <= last.get(key, -1):
                wrong.append(f"goes back: {event}")
            last[key] = event["ts"]
        return wrong

    # --- what it shows ---

    def get_ranks(self):
        """The ranks that it shows."""
        return set(self.rank_of.values())

    def get_slices(self, category):
        """Slices of ranks as (rank, name, begin, duration, arguments), in the order of the file."""
        return [(self.rank_of[event["pid"]], event["name"], event["ts"], event["dur"],
                 event.get("args")) for event in self.events
                if event["ph"] == "X" and event["cat"] == category]

    def get_valid(self, category):
        """Those slices that were not done again after a recovery."""
        return [one for one in self.get_slices(category)
                if not any(one[4]["iteration"] >= recovery["iteration"] and
                           one[2] < microseconds(recovery["ready_s"])
                           for recovery in self.recoveries)]

    def get_counter_times(self):
        """When values of counters begin to hold."""
        return [event["ts"] for event in self.events if event["ph"] == "C"]

    def get_iteration_ends(self):
        """When the last rank has ended each iteration."""
        ends = {}
        for _, _, begin, duration, arguments in self.get_valid("iteration"):
            index = int(arguments["iteration"])
            ends[index] = max(ends.get(index, 0), begin + duration)
        return [ends[index] for index in sorted(ends)]

    def get_windows(self):
        """Windows of the first rank of each stage on rail 0, as doc/run-summary.md defines them."""
        calls = collections.defaultdict(list)
        for rank, kind, begin, duration, arguments in self.get_valid("collective"):
            if self.rail_of_rank[rank] == 0 and arguments["network"] == "rails":
                calls[rank].append((arguments["call"], kind, begin, begin + duration, arguments))
        start, end, sequence = {}, {}, collections.defaultdict(list)
        for rank, made in calls.items():
            seen = collections.Counter()
            for _, kind, begin, until, arguments in sorted(made, key=lambda one: one[0]):
                source = {"Send": rank, "Recv": arguments.get("peer")}.get(kind)
                key = (arguments["group"], source)
                seen[key] += 1
                key += (seen[key],)
                start[key] = max(start.get(key, 0), begin)
                end[key] = max(end.get(key, 0), until)
                sequence[rank].append((key, arguments))
        windows = []
        for stage in sorted(set(self.stage_of.values())):
            rank = min(rank for rank, at in self.stage_of.items() if at == stage)
            phases = []
            for key, arguments in sequence[rank]:
                if not phases or phases[-1]["group"] != key[0]:
                    phases.append({"group": key[0], "first": arguments, "bytes": 0,
                                   "start": start[key], "end": end[key]})
                phase = phases[-1]
                phase["last"] = arguments["dimension"]
                phase["start"] = min(phase["start"], start[key])
                phase["end"] = max(phase["end"], end[key])
                phase["bytes"] += arguments["bytes"]
            for one, two in zip(phases, phases[1:]):
                windows.append((two["first"]["iteration"], stage, one["last"],
                                two["first"]["dimension"], two["bytes"],
                                two["start"] - one["end"]))
        return windows

    # --- does it agree with the summary? ---

    def compare(self, summary, windows=True, rails=None):
        """Return what the summary says otherwise. rails: those whose switches are shown, or all."""
        iterations = summary["iterations"]
        self.recoveries = summary["recoveries"]
        ends = self.get_iteration_ends()
        times = [end - begin for begin, end in zip([0, *ends], ends)]
        if windows and not (len(times) == len(iterations) and
                            all(is_close(time, microseconds(iteration["time_s"]))
                                for time, iteration in zip(times, iterations))):
            return [f"iterations take {times}"]
        wrong = self.compare_collectives(summary) + self.compare_recoveries(len(iterations))
        wrong += self.check_chains()
        if windows:
            wrong += self.compare_windows(iterations) + self.compare_waits(iterations, ends)
        if summary["fabric"] == "photonic" and rails is None:
            factor = 1 if summary["symmetry"] == "none" else int(summary["settings"]["tp"])
            wrong += self.compare_commands(iterations, ends, factor)
            wrong += self.compare_light(summary, ends[-1])
        if rails is not None and set(self.switches.values()) != rails:
            wrong.append(f"switches of rails {self.switches}")
        # What NICs of spare GPUs send is not shown.
        if summary["symmetry"] == "none" and rails is None and not self.recoveries:
            wrong += self.compare_utilisation(summary)
        return wrong

    def check_chains(self):
        """A rank never idles: what it does begins when something else of it has ended, or when the
        job goes on after a recovery, and an iteration ends with the last of its operations. So times of computations, which are told
        ahead, are those at which calls that wait for them were made."""
        begins, ends, last = collections.defaultdict(set), {}, collections.defaultdict(Decimal)
        operations = self.get_slices("compute") + self.get_slices("collective")
        for rank, _, begin, duration, arguments in operations:
            begins[rank].add(begin)
            ends.setdefault(rank, {Decimal(0)}).add(begin + duration)
            key = (rank, arguments["iteration"])
            last[key] = max(last[key], begin + duration)
        for rank, _, begin, _, _ in self.get_slices("iteration"):
            if any(microseconds(one["ready_s"]) <= begin <= microseconds(one["resumed_s"])
                   for one in self.recoveries):
                ends.setdefault(rank, set()).add(begin)
        wrong = [f"rank {rank} begins something at {min(begins[rank] - ends[rank])}"
                 for rank in begins if begins[rank] - ends[rank]]
        for rank, name, begin, duration, arguments in self.get_slices("iteration"):
            if "unfinished" not in arguments and last[rank, arguments["iteration"]] != begin + duration:
                wrong.append(f"{name} of rank {rank} does not end with its last operation")
        return wrong

    def compare_collectives(self, summary):
        """What rank 0 has called in its last iteration."""
        last = len(summary["iterations"]) - 1
        count = collections.Counter()
        for rank, kind, _, _, arguments in self.get_valid("collective"):
            if rank == 0 and arguments["iteration"] == last:
                count[kind, arguments["dimension"], "count"] += 1
                count[kind, arguments["dimension"], "input_bytes"] += arguments["bytes"]
        expected = {(kind, dimension, key): value
                    for kind, volume in summary["collectives"].items()
                    for dimension, part in volume["by_dimension"].items()
                    for key, value in part.items()}
        return [] if dict(count) == expected else [f"collectives: {count}, summary {expected}"]

    def compare_recoveries(self, iterations):
        """The steps of all recoveries; afterwards each rank has done what was to be done once."""
        seen = [(event["name"], event["ts"], event["ts"] + event["dur"], event.get("args", {}))
                for event in self.events if event.get("cat") == "recovery"]
        expected = []
        for index, one in enumerate(self.recoveries):
            moments = [microseconds(one[f"{name}_s"]) for name in
                       ("lost", "detected", "stopped", "replaced", "ready", "resumed")]
            begin = moments[0] - microseconds(one["lost_work_s"])
            moves = [f"rank {move['rank']} from GPU {move['from']} to {move['to']}"
                     for move in one["moves"]]
            rest = f" and {len(moves) - 16} other ranks" if len(moves) > 16 else ""
            expected += [
                ("lost work", begin, moments[0], {}),
                (f"recovery {index}", moments[0], moments[-1],
                 {"gpus": ", ".join(map(str, one["gpus"])), "moves": ", ".join(moves[:16]) + rest,
                  "attempts": one["attempts"], "iteration": one["iteration"],
                  "spares_left": one["spares_left"]}),
                *((name, *span, {}) for name, span in zip(
                    ("detect", "stop", "plan", "build", "go"), zip(moments, moments[1:])))]
        expected = [one for one in expected if one[2] - one[1] >= PICOSECOND]
        alike = len(seen) == len(expected) and all(
            one[0] == two[0] and is_close(one[1], two[1]) and is_close(one[2], two[2]) and
            one[3] == two[3] for one, two in zip(seen, expected))
        wrong = [] if alike else [f"recoveries: {seen}, summary {expected}"]
        done = collections.Counter((one[0], one[4]["iteration"])
                                   for one in self.get_valid("iteration"))
        if self.recoveries and done != collections.Counter(
                (rank, index) for rank in self.get_ranks() for index in range(iterations)):
            wrong.append(f"iterations after a recovery: {done}")
        return wrong

    def compare_windows(self, iterations):
        """All windows, in order."""
        found = self.get_windows()
        expected = [(iteration["index"], window["stage"], window["from"], window["to"],
                     window["bytes_after"], microseconds(window["window_s"]))
                    for iteration in iterations for window in iteration["windows"]]
        found.sort(key=lambda one: one[:2])  # stable: by iteration, then stage
        alike = len(found) == len(expected) and all(
            one[:5] == two[:5] and is_close(one[5], two[5]) for one, two in zip(found, expected))
        return [] if alike else [f"windows: {found[:3]}..., summary {expected[:3]}..."]

    def compare_commands(self, iterations, ends, factor):
        """Commands that began in each iteration, or at its end."""
        begun = [event["ts"] for event in self.events
                 if event["ph"] == "b" and event["cat"] == "reconfiguration"]
        wrong = []
        for iteration, begin, end in zip(iterations, [-1, *ends], ends):
            count = factor * sum(begin < ts <= end for ts in begun)
            if count != iteration["reconfigurations"]:
                wrong.append(f"iteration {iteration['index']}: {count} reconfigurations")
        return wrong

    def compare_waits(self, iterations, ends):
        """The wait for light of the rank that waited longest, in each iteration."""
        exposed = collections.Counter()
        for event in self.events:
            if event["name"] == "granted":
                index = sum(end < event["ts"] for end in ends)
                exposed[index, event["pid"]] += event["args"]["exposed_us"]
        wrong = []
        for iteration in iterations:
            index = iteration["index"]
            longest = max([value for key, value in exposed.items() if key[0] == index], default=0)
            if "exposed_reconfiguration_s" not in iteration:
                if exposed:
                    wrong.append(f"iteration {index}: shims have measured, but nothing is exposed")
            elif not is_close(longest, microseconds(iteration["exposed_reconfiguration_s"])):
                wrong.append(f"iteration {index}: {longest} us of light were waited for")
        return wrong

    def compare_light(self, summary, end):
        """The share of the time in which ports of the rails had light."""
        ports = sum(event["name"] == "thread_name" and event["pid"] in self.switches and
                    "spare GPU" not in event["args"]["name"] for event in self.events)
        light = Decimal(0)
        for event in self.events:
            if event.get("cat") == "circuit" and event["name"].startswith("up"):
                light += max(Decimal(0), min(event["ts"] + event["dur"], end) - event["ts"])
        share = light / (ports * end)
        alike = abs(share - Decimal(repr(summary["light_share"]))) < Decimal("1e-12")
        return [] if alike else [f"a light share of {share}, not {summary['light_share']}"]

    def compare_utilisation(self, summary):
        """What ports have sent: the payload of the summary, and not much more around it."""
        rate = Decimal(summary["settings"]["portRate"].removesuffix("Gbps")) * 1000  # bits a us
        values, sent = {}, Decimal(0)
        end = max(self.get_counter_times(), default=0)
        for event in [*self.events, {"ph": "end"}]:
            if event["ph"] == "C" and event["name"].startswith("NIC"):
                key = (event["pid"], event["name"])
                since, value = values.get(key, (0, 0))
                sent += (event["ts"] - since) * value
                values[key] = (event["ts"], event["args"]["utilisation"])
        sent += sum((end - since) * value for since, value in values.values())
        share = sent * rate / 8 / summary["bytes_posted"]
        return [] if 1 <= share < Decimal("1.2") else [f"ports sent {share} times the payload"]
