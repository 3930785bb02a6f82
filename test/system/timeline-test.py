#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The timeline that photonic-rails-training writes with --timeline is well formed, agrees with the
summary of the same run, and changes nothing in it.

usage: timeline-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import copy
import pathlib
import sys
import tempfile

import json_schema
import timeline_check

SMALL_JOB = ["--model=debugmodel", "--seqLen=512", "--hostRunAhead=none"]
OF_THE_MACHINE = ("wall_s", "peak_rss_bytes", "processes")

# Runs of which the timeline is compared with the summary.
RUNS = {
    "provisioned": [],
    "on demand": ["--policy=on-demand", "--reconfigDelay=1ms"],
    "per call": ["--policy=per-call", "--reconfigDelay=1ms", "--iterations=1"],
    "oracle": ["--policy=oracle"],
    "static partition": ["--policy=static-partition", "--nicPorts=4"],
    "one topology": ["--policy=one-topology", "--nicPorts=4"],
    "torus": ["--policy=torus", "--nicPorts=4"],
    "rotor": ["--policy=rotor", "--ocs=rotornet", "--iterations=1"],
    "controllers": ["--controllers=rails", "--reconfigDelay=1ms"],
    "one controller": ["--controllers=one"],
    "jitter": ["--jitter=0.2", "--slowdown=3:1.5"],
    "electrical": ["--fabric=electrical"],
    "fat-tree": ["--fabric=fat-tree", "--cc=dcqcn"],
    "scale-up": ["--fabric=leaf-spine", "--scaleUp=network"],
    "hosts": ["--hostNetwork=100Gbps", "--hostThreshold=4K"],
    "one rail": ["--symmetry=rails", "--controllers=rails"],
    "crash": ["--controlLoss=0.02", "--controllerCrash=30ms,5ms"],
    "standby": ["--standby", "--controllerCrash=30ms,100s"],
    "spare GPUs": ["--spareGpus=1", "--fault=gpu:5@20ms,gpu:8@900ms"],
    "migration": ["--fabric=leaf-spine", "--spareDomains=4", "--recovery=migration",
                  "--fault=gpu:5@20ms"],
    "spare": ["--spareRails=1", "--fault=ocs:1@300ms+1s"],
}


def without_machine(summary):
    """The part of the summary that depends on nothing but the flags."""
    return {key: value for key, value in summary.items() if key not in OF_THE_MACHINE}


class Runner:
    """Runs the program in a folder."""

    def __init__(self, examples, folder):
        self.program = str(pathlib.Path(examples, "photonic-rails-training").resolve())
        self.folder = folder

    def run(self, flags, timeline=True, fails=False):
        """Run a small job. Return its summary, the text of its timeline, and what it says."""
        summary = pathlib.Path(self.folder, "summary.json")
        trace = pathlib.Path(self.folder, "trace.json")
        written = [f"--json={summary}"] + ([f"--timeline={trace}"] if timeline else [])
        done = timeline_check.run([self.program, *SMALL_JOB, *flags, *written], self.folder)
        if (done.returncode != 0) != fails:
            sys.exit(f"{flags}: exit code {done.returncode}: {done.stderr}")
        text = trace.read_text() if timeline else ""
        return json_schema.read(summary.read_text()), text, done.stdout + done.stderr


def check_runs(runner, failures):
    """Timelines of many sorts of runs agree with their summaries, which they do not change."""
    for name, flags in RUNS.items():
        summary, text, said = runner.run(["--quiet", *flags])
        failures.expect(not said, f"{name}: --quiet says {said}")
        # For the timeline all rails are simulated.
        plain = runner.run(["--quiet", "--symmetry=none", *flags], timeline=False)[0]
        failures.expect(without_machine(plain) == without_machine(summary),
                        f"{name}: the timeline changes the run")
        trace = timeline_check.Trace(text)
        for wrong in trace.check() + trace.compare(summary):
            failures.expect(False, f"{name}: {wrong}")


def check_again(runner, failures):
    """Equal flags, equal files; neither progress nor the level of detail changes anything."""
    for flags in (["--reconfigDelay=1ms"], ["--fabric=fat-tree", "--cc=dcqcn"],
                  ["--fabric=leaf-spine", "--scaleUp=network"]):
        flags += ["--iterations=1", "--timelineBin=2us"]
        first = runner.run([*flags, "--quiet"])[1]
        failures.expect(runner.run(flags)[1] == first, f"{flags}: another run, another timeline")
        packets = runner.run([*flags, "--fidelity=packet"])[1]
        packets = packets.replace('"fidelity":"packet"', '"fidelity":"burst"')
        # Events of one instant on different ranks may come in another order.
        failures.expect(timeline_check.get_lines(packets) == timeline_check.get_lines(first),
                        f"{flags}: packets give another timeline than bursts")


def check_scope(runner, failures):
    """Ranks, a time and a number of events can be chosen, and what is written stays the same."""
    flags = ["--reconfigDelay=1ms", "--timelineBin=100us", "--quiet"]
    whole = timeline_check.Trace(runner.run(flags)[1])
    summary, text, _ = runner.run([*flags, "--timelineRanks=0,4-5"])
    some = timeline_check.Trace(text)
    failures.expect(some.get_ranks() == {0, 4, 5}, f"ranks {some.get_ranks()}")
    failures.expect(not some.check(), f"ranks: {some.check()}")
    failures.expect(some.get_slices("collective") ==
                    [one for one in whole.get_slices("collective") if one[0] in (0, 4, 5)],
                    "slices of a rank depend on what else is written")
    failures.expect(not some.compare(summary, windows=False, rails={0, 1}), "ranks: summary")

    end = int(max(whole.get_iteration_ends()))
    begin, end = end // 3, end // 2
    _, text, _ = runner.run([*flags, f"--timelineFrom={begin}us", f"--timelineTo={end}us"])
    part = timeline_check.Trace(text)
    failures.expect(not part.check(), f"time: {part.check()}")
    inside = [one for one in whole.get_slices("collective")
              if one[2] <= end and one[2] + one[3] >= begin]
    failures.expect(part.get_slices("collective") == inside and inside,
                    f"time: {len(part.get_slices('collective'))} collectives, not {len(inside)}")
    failures.expect(all(begin <= ts <= end for ts in part.get_counter_times()), "counters")

    _, text, said = runner.run([*flags, "--timelineEvents=500"])
    bounded = timeline_check.Trace(text)
    other = bounded.other
    failures.expect(not bounded.check(), f"bound: {bounded.check()}")
    failures.expect(494 < other["events"] <= 500 and not other["complete"], f"bound: {other}")
    failures.expect(other["events"] + other["events_left_out"] == whole.other["events"],
                    "bound: events do not add up")
    failures.expect("the file is full" in bounded.events[-1]["name"], "bound: no event says so")
    failures.expect(said.count("\n") == 1 and f"{other['events_left_out']} that end from" in said and
                    "--timelineEvents" in said, f"bound: {said}")
    failures.expect(whole.other["complete"] and whole.other["events_left_out"] == 0, "complete")
    failures.expect(whole.other["events"] ==
                    sum(event["ph"] != "M" for event in whole.events), "events are counted")
    late = timeline_check.Trace(runner.run([*flags, "--timelineFrom=1000s"])[1])
    failures.expect(late.other["events"] == 0, "events after the end")
    empty = timeline_check.Trace(runner.run([*flags, "--timelineBin=0s"])[1])
    failures.expect(not empty.get_counter_times(), "a bin of nothing has counters")


def check_faults(runner, failures):
    """What breaks is shown, and what it cuts short."""
    summary, text, _ = runner.run(["--quiet", "--fault=gpu:5@100ms"], fails=True)
    trace = timeline_check.Trace(text)
    said = trace.other["run"]["failure"]
    failures.expect("GPU 5 has left" in said and said == summary["failure"], f"GPU: the timeline says {said!r}")
    failures.expect(not trace.check(), f"GPU: {trace.check()}")
    cut = [event for event in trace.events if event.get("args", {}).get("unfinished")]
    failures.expect(cut and all(event["ph"] in "Xb" for event in cut), "GPU: nothing is cut short")
    mine = [event["ts"] + event["dur"] for event in cut
            if event["ph"] == "X" and trace.rank_of.get(event["pid"]) == 5]
    failures.expect(mine and set(mine) == {100000}, f"GPU: rank 5 is cut short at {mine}")
    failures.expect(any(event["name"] == "gpu 5" and event["ph"] == "b" and event["ts"] == 100000
                        for event in trace.events), "GPU: no fault")


def check_mutations(runner, failures):
    """The checks see what is wrong: each change of a good file is noticed."""
    summary, text, _ = runner.run(["--quiet", "--reconfigDelay=1ms"])
    good = timeline_check.Trace(text)
    failures.expect(not good.check() + good.compare(summary), "the file is good")

    def find(**want):
        places = [place for place, event in enumerate(good.events)
                  if all(event.get(key) == value for key, value in want.items())]
        return places[len(places) // 2]

    def change(place, key, value):
        return lambda events: events[place].update({key: value})

    collective = find(ph="X", cat="collective", name="AllGather")
    overlap = next(event["ts"] + event["dur"] / 2 for event in good.events[collective + 1:]
                   if event["tid"] == good.events[collective]["tid"] and event.get("dur"))
    overlap -= good.events[collective]["ts"]
    rails = next(place for place, event in enumerate(good.events)
                 if event.get("args", {}).get("network") == "rails" and event["name"] == "Send" and
                 good.rank_of[event["pid"]] == 0)
    circuit = next(place for place, event in enumerate(good.events)
                   if event.get("cat") == "circuit" and event["name"].startswith("up"))
    iteration = next(place for place, event in enumerate(good.events)
                     if event.get("cat") == "iteration" and event["args"]["iteration"] == 1)
    last = max((place for place, event in enumerate(good.events)
                if event.get("cat") == "iteration"),
               key=lambda place: good.events[place]["ts"] + good.events[place]["dur"])
    granted = max((place for place, event in enumerate(good.events) if event["name"] == "granted"),
                  key=lambda place: good.events[place]["args"]["exposed_us"])
    computation = find(ph="X", cat="compute")
    mutations = {
        "a slice overlaps the next": change(collective, "dur", overlap),
        "a slice is 1 us later": change(rails, "ts", good.events[rails]["ts"] + 1),
        "a computation is 1 ps longer": change(
            computation, "dur", good.events[computation]["dur"] + timeline_check.PICOSECOND),
        "a circuit is 10 ms shorter": change(circuit, "dur", good.events[circuit]["dur"] - 10000),
        "the last iteration ends 1 us later": change(last, "dur", good.events[last]["dur"] + 1),
        "an iteration without a name": lambda events: events[iteration].pop("name"),
        "a flow without end": lambda events: events.pop(find(ph="f")),
        "a flow without begin": lambda events: events.pop(find(ph="s")),
        "a flow goes back": change(find(ph="t"), "ts", 0),
        "a command without end": lambda events: events.pop(find(ph="e")),
        "a command is missing": lambda events: [events.pop(find(ph="b") + 1),
                                                events.pop(find(ph="b"))],
        "a counter above 1": change(find(ph="C"), "args", {"utilisation": 1.5}),
        "a counter goes back": change(find(ph="C"), "ts", 0),
        "a thread without a name": lambda events: events.pop(find(name="thread_name")),
        "bytes of rank 0": lambda events: events[rails]["args"].update(bytes=1),
        "a wait for light": lambda events: events[granted]["args"].update(exposed_us=10**6),
    }
    check_changes(good, summary, mutations, failures)


def check_recovery_mutations(runner, failures):
    """Each change of a slice that tells of a recovery is noticed."""
    flags = ["--quiet", "--spareGpus=1", "--fault=gpu:5@20ms"]
    summary, text, _ = runner.run(flags)
    good = timeline_check.Trace(text)
    places = [place for place, event in enumerate(good.events) if event.get("cat") == "recovery"]
    failures.expect(len(places) == 7, f"{len(places)} slices of a recovery")
    iteration = next(place for place, event in enumerate(good.events)
                     if event.get("cat") == "iteration" and good.rank_of[event["pid"]] == 5 and
                     "unfinished" not in event["args"])
    mutations = {"an iteration on the spare": lambda events: events.pop(iteration)}
    for place in places:
        name = good.events[place]["name"]
        mutations[f"{name} is missing"] = lambda events, at=place: events.pop(at)
        for key in ("ts", "dur"):
            mutations[f"{key} of {name}"] = lambda events, at=place, of=key: events[at].update(
                {of: events[at][of] + timeline_check.PICOSECOND * 2})
        for key in good.events[place].get("args", {}):
            mutations[f"{key} of {name}"] = lambda events, at=place, of=key: (
                events[at]["args"].update({of: "other"}))
    check_changes(good, summary, mutations, failures)


def check_changes(good, summary, mutations, failures):
    """Each of the changes of a good file is noticed."""
    for name, mutate in mutations.items():
        bad = copy.deepcopy(good)
        mutate(bad.events)
        bad.index()
        failures.expect(bad.check() or bad.compare(summary), f"unnoticed: {name}")


def main():
    failures = json_schema.Failures()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(sys.argv[1], folder)
        check_runs(runner, failures)
        check_again(runner, failures)
        check_scope(runner, failures)
        check_faults(runner, failures)
        check_mutations(runner, failures)
        check_recovery_mutations(runner, failures)
    print(f"timelines of {len(RUNS)} runs, {failures.count} failures")
    return 1 if failures.count else 0


if __name__ == "__main__":
    sys.exit(main())
