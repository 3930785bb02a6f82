#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw curves of what photonic-rails-benchmark has written with --json.

Each kind of rows that is there becomes a picture: packets and bursts a second (hops), time per packet
beside bursts (detail, contended, fabrics), time and memory against GPUs (scale), schedulers, processes.

Needs matplotlib (Debian: apt install python3-matplotlib)."""
import argparse
import json
import pathlib
import statistics
import sys

from photonic_rails import conclude, require_pyplot


def get_arguments():
    """What to draw, and where to."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="from --json")
    parser.add_argument("--out", default=".", help="folder for the pictures [.]")
    parser.add_argument("--format", default="svg", choices=["svg", "png", "pdf"],
                        help="of the pictures [svg]")
    return parser.parse_args()


def read(files):
    """The rows that were measured."""
    rows = []
    for name in files:
        try:
            rows += json.loads(pathlib.Path(name).read_text())["rows"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            sys.exit(f"{name}: cannot be read as the JSON of photonic-rails-benchmark: {error!r}")
    return [row for row in rows if "reason" not in row]


def total_cpu(row):
    """CPU time of it all, in seconds."""
    return row["setup_cpu_s"] + row["cpu_s"]


def medians(rows, key, value):
    """The median of the values of rows of equal keys, in the order in which the keys come."""
    values = {}
    for row in rows:
        values.setdefault(key(row), []).append(value(row))
    return {name: statistics.median(some) for name, some in values.items()}


def get_label(row):
    """A line that says what was measured, but not how."""
    return row["name"] + (f", {row['bytes']} B" if row["bytes"] else "")


def draw_bars(axes, rows, series, value, what):
    """Bars side by side: a group for each label, a colour for each series."""
    labels = list(dict.fromkeys(get_label(row) for row in rows))
    names = list(dict.fromkeys(series(row) for row in rows))
    found = medians(rows, lambda row: (get_label(row), series(row)), value)
    height = 0.8 / len(names)
    for index, name in enumerate(names):
        have = [place for place, label in enumerate(labels) if (label, name) in found]
        bars = axes.barh([place + index * height for place in have],
                         [found[(labels[place], name)] for place in have], height, label=name)
        axes.bar_label(bars, fmt="%.3g", padding=2, fontsize="small")
    axes.set_yticks([place + 0.4 - height / 2 for place in range(len(labels))], labels)
    axes.invert_yaxis()
    axes.set_xlabel(what)
    if max(found.values()) > 20 * min(found.values()) > 0:
        axes.set_xscale("log")
        axes.set_xlim(min(found.values()) / 3, 3 * max(found.values()))
    else:
        axes.margins(x=0.15)
    axes.margins(y=0.01)
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncol=len(names), fontsize="small")


def get_detail(row):
    """Name of a series."""
    return row["fidelity"] or "ns-3"


def draw_hops(plt, rows):
    """Data hops and bursts a second."""
    figure, axes = plt.subplots(figsize=(8, 4))
    draw_bars(axes, rows, get_detail, lambda row: row.get("data_hops_per_s", 0) / 1e6,
              "million data hops per CPU second")
    return figure


def draw_details(plt, rows):
    """Time and events per packet and in bursts."""
    labels = {get_label(row) for row in rows}
    figure, panels = plt.subplots(1, 2, figsize=(13, 2 + 0.4 * len(labels)), sharey=True)
    draw_bars(panels[0], rows, get_detail, total_cpu, "CPU s")
    collectives = all(row["collectives"] for row in rows)
    draw_bars(panels[1], rows, get_detail,
              lambda row: row["events_per_collective"] if collectives else row["events"],
              "events per collective" if collectives else "events")
    panels[1].invert_yaxis()  # which both share
    return figure


def draw_scale(plt, rows):
    """Time, events and memory against GPUs."""
    figure, panels = plt.subplots(1, 3, figsize=(13, 4))
    curves = [(panels[0], "CPU s", [("start-up", lambda row: row["setup_cpu_s"]),
                                    ("simulation", lambda row: row["cpu_s"])]),
              (panels[1], "events", [("events", lambda row: row["events"])]),
              (panels[2], "peak memory, MiB", [("memory", lambda row:
                                                row["peak_rss_bytes"] / (1 << 20))])]
    for axes, what, lines in curves:
        for series in dict.fromkeys((row["name"], row["fidelity"]) for row in rows):
            some = [row for row in rows if (row["name"], row["fidelity"]) == series]
            for name, value in lines:
                points = sorted(medians(some, lambda row: row["gpus"], value).items())
                axes.plot([x for x, _ in points], [y for _, y in points], marker="o",
                          label=f"{', '.join(series)}: {name}")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("GPUs")
        axes.set_ylabel(what)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
    return figure


def draw_schedulers(plt, rows):
    """Time with each scheduler."""
    figure, axes = plt.subplots(figsize=(8, 4))
    draw_bars(axes, rows, lambda row: row["scheduler"].replace("ns3::", ""), total_cpu, "CPU s")
    return figure


def draw_processes(plt, rows):
    """Real time against processes."""
    figure, axes = plt.subplots(figsize=(6, 4))
    points = sorted(medians(rows, lambda row: row["processes"], lambda row: row["wall_s"]).items())
    axes.plot([x for x, _ in points], [points[0][1] / y for _, y in points], marker="o")
    axes.set_xlabel("processes")
    axes.set_ylabel("speed-up of real time")
    axes.grid(alpha=0.3)
    return figure


def draw_control(plt, rows):
    """Admission latency and speed against ranks."""
    figure, panels = plt.subplots(1, 2, figsize=(10, 4))
    for axes, what, value in [(panels[0], "ms until the last rank has its circuits",
                               lambda row: 1e3 * row["simulated_s"]),
                              (panels[1], "CPU us per request",
                               lambda row: 1e6 * row["cpu_s"] / row["requests"])]:
        for name in dict.fromkeys(row["name"] for row in rows):
            some = [row for row in rows if row["name"] == name]
            points = sorted(medians(some, lambda row: row["gpus"], value).items())
            axes.plot([x for x, _ in points], [y for _, y in points], marker="o", label=name)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("ranks")
        axes.set_ylabel(what)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
    return figure


DRAWINGS = {"hops": draw_hops, "fidelity": draw_details, "fabrics": draw_details,
            "contended": draw_details, "scale": draw_scale, "scheduler": draw_schedulers,
            "mpi": draw_processes, "control": draw_control}


def main():
    arguments = get_arguments()
    rows = read(arguments.files)
    plt = require_pyplot()
    pathlib.Path(arguments.out).mkdir(parents=True, exist_ok=True)
    for bench, draw in DRAWINGS.items():
        some = [row for row in rows if row["bench"] == bench]
        if some:
            figure = draw(plt, some)
            figure.suptitle(bench)
            figure.tight_layout()
            conclude(figure, str(pathlib.Path(arguments.out, f"benchmark-{bench}.{arguments.format}")))


if __name__ == "__main__":
    main()
