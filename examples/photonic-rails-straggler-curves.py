#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw what photonic-rails-straggler has written with --json: time against the delay of the straggler,
the gain over a ring against ranks, and on lent circuits against the delay of switching.

Needs matplotlib (Debian: apt install python3-matplotlib)."""
import argparse
import json
import pathlib
import sys

from photonic_rails import conclude, require_pyplot

UNITS = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "min": 60, "s": 1}


def get_arguments():
    """What to draw, and where to."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="from --json")
    parser.add_argument("--out", default="straggler.svg", help="the picture: svg, png or pdf [straggler.svg]")
    return parser.parse_args()


def to_seconds(text):
    """A time such as 25ms; a bare number counts seconds."""
    for unit, factor in UNITS.items():
        if text.endswith(unit) and text[:-len(unit)].replace(".", "", 1).isdigit():
            return float(text[:-len(unit)]) * factor
    return float(text)


def read(files):
    """The rows that were measured, each with its fabric and the delay of switching."""
    rows = []
    for name in files:
        try:
            report = json.loads(pathlib.Path(name).read_text(encoding="utf-8"))
            for row in report["rows"]:
                row["fabric"] = report["fabric"]
                row["switching_s"] = to_seconds(report["settings"]["reconfigDelay"])
                rows.append(row)
        except (OSError, ValueError, KeyError, TypeError) as error:
            sys.exit(f"{name}: cannot be read as the JSON of photonic-rails-straggler: {error!r}")
    if not rows:
        sys.exit("no rows to draw")
    return rows


def get_gains(rows):
    """The latest stragglers: time of a ring after the arrival over that of StragglAR, with the row."""
    rings = {}
    for row in rows:
        key = (row["fabric"], row["ranks"], row["size_bytes"], row["switching_s"])
        if row["algorithm"] == "ring":
            rings.setdefault(key, {})[round(row["delay_s"], 9)] = row["after_arrival_s"]
    gains = {}
    for row in rows:
        key = (row["fabric"], row["ranks"], row["size_bytes"], row["switching_s"])
        ring = rings.get(key, {}).get(round(row["delay_s"], 9))
        if row["algorithm"] == "stragglar" and ring and row["delay_s"] >= row["scatter_s"]:
            gains[key] = (ring / row["after_arrival_s"], row)
    return gains


def draw_delays(axes, rows):
    """Time against the delay, for the size and the ranks with most delays."""
    series = {}
    for row in rows:
        key = (row["fabric"], row["switching_s"], row["ranks"], row["size_bytes"])
        series.setdefault(key, {}).setdefault(row["algorithm"], []).append(row)
    key = max(series, key=lambda key: max(len(some) for some in series[key].values()))
    for algorithm, some in series[key].items():
        some = sorted(some, key=lambda row: row["delay_s"])
        axes.plot([1e6 * row["delay_s"] for row in some], [1e6 * row["time_s"] for row in some],
                  marker="o", label=algorithm,
                  linestyle="--" if algorithm == "ring" else "-", zorder=3 if algorithm == "ring" else 2)
    scatter = 1e6 * next(iter(series[key].values()))[0]["scatter_s"]
    axes.axvline(scatter, color="grey", linestyle="--", linewidth=1)
    axes.set_xlabel("the straggler is late by (us); dashed: the others have their chunks")
    axes.set_ylabel("from the call of the others to the end (us)")
    axes.set_title(f"(a) {key[2]} ranks, {key[3] / (1 << 20):g} MiB, {key[0]}", loc="left",
                   fontsize="medium")
    axes.legend()


def draw_ranks(axes, gains):
    """Gain against ranks on packet switches, and what the bytes alone would give."""
    points = sorted((key[1], gain, row["rounds"]) for key, (gain, row) in gains.items()
                    if key[0] != "photonic")
    axes.plot([ranks for ranks, _, _ in points],
              [2 * (ranks - 1) / ranks * (ranks - 1) / rounds for ranks, _, rounds in points],
              color="grey", label="bandwidth term")
    axes.plot([ranks for ranks, _, _ in points], [gain for _, gain, _ in points], "o",
              label="simulated")
    axes.set_xscale("log", base=2)
    ticks = sorted({ranks for ranks, _, _ in points})
    axes.set_xticks(ticks, [str(ranks) for ranks in ticks])
    axes.minorticks_off()
    axes.set_xlabel("ranks")
    axes.set_ylabel("ring / stragglar, after the arrival")
    axes.set_title("(b) late stragglers, packet switches", loc="left", fontsize="medium")
    axes.legend()


def draw_switching(axes, gains):
    """Gain against the delay of switching, a line for each size."""
    lines = {}
    for (fabric, ranks, size, switching), (gain, _) in gains.items():
        if fabric == "photonic":
            lines.setdefault((ranks, size), []).append((switching, gain))
    for (ranks, size), points in sorted(lines.items()):
        points.sort()
        axes.plot([1e6 * x for x, _ in points], [y for _, y in points], marker="o",
                  label=f"{ranks} ranks, {size / (1 << 20):g} MiB")
    axes.axhline(1, color="grey", linestyle="--", linewidth=1)
    axes.set_xscale("log")
    axes.set_xlabel("reconfiguration delay (us)")
    axes.set_ylabel("standing ring / stragglar, after the arrival")
    axes.set_title("(c) late stragglers, circuits lent for each round", loc="left", fontsize="medium")
    axes.legend(loc="lower left")


def main():
    arguments = get_arguments()
    rows = read(arguments.files)
    gains = get_gains(rows)
    plt = require_pyplot()
    parts = [lambda axes: draw_delays(axes, rows)]
    if any(key[0] != "photonic" for key in gains):
        parts.append(lambda axes: draw_ranks(axes, gains))
    if any(key[0] == "photonic" for key in gains):
        parts.append(lambda axes: draw_switching(axes, gains))
    figure, panels = plt.subplots(1, len(parts), figsize=(6 * len(parts), 4.5), squeeze=False)
    for axes, draw in zip(panels[0], parts):
        draw(axes)
    figure.tight_layout()
    conclude(figure, arguments.out)


if __name__ == "__main__":
    main()
