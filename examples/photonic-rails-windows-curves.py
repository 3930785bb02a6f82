#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw what photonic-rails-windows has written with --csv: the distribution of windows on each rail, and
the windows of rail 0 by the volume that follows (Fig. 4 of "Photonic Rails in ML Datacenters").

Needs matplotlib (Debian: apt install python3-matplotlib)."""
import argparse
import sys

from photonic_rails import conclude, read_rows, require_pyplot

COLUMNS = ["rail", "iteration", "to", "calls", "window_s", "bytes"]
MEBI = 1 << 20
SPREAD = 1.05  # volumes of one name are a class up to this factor, as in the table of the program


def get_arguments():
    """What to draw, and where to."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="from --csv")
    parser.add_argument("--threshold", type=float, default=1, help="line across the left part, ms [1]")
    parser.add_argument("--least", type=float, default=0.01,
                        help="windows below are drawn there, ms [0.01]")
    parser.add_argument("--out", default="windows.svg", help="the picture: svg, png or pdf [windows.svg]")
    return parser.parse_args()


def draw_distribution(axes, rows, arguments):
    """A CDF for each rail."""
    rails = {}
    for row in rows:
        rails.setdefault(row.number("rail", 0), []).append(1e3 * row.number("window_s"))
    for rail, windows in sorted(rails.items()):
        windows = sorted(max(window, arguments.least) for window in windows)
        shares = [(i + 1) / len(windows) for i in range(len(windows))]
        axes.step([arguments.least, *windows], [0, *shares], where="post", label=f"rail {rail}",
                  linewidth=2.5 - 1.8 * rail / max(len(rails) - 1, 1))
    axes.axvline(arguments.threshold, color="grey", linestyle="--", linewidth=1)
    axes.set_xscale("log")
    axes.set_xlabel(f"window (ms); what is below {arguments.least:g}, overlaps included, at the left edge")
    axes.set_ylabel("share of windows")
    axes.set_ylim(0, 1)
    axes.set_title("(a) all rails, all iterations", loc="left", fontsize="medium")
    if len(rails) <= 8:
        axes.legend(loc="upper left")


def find_classes(rows):
    """Name and windows (ms) of what follows, from the least volume on."""
    classes = []
    for row in sorted(rows, key=lambda row: row.number("bytes", 0)):
        volume = row.number("bytes")
        name = "" if volume < MEBI else f"{row['to']} {row['calls']}"
        found = next((one for one in classes if one[0] == name and
                      (not name or volume <= SPREAD * one[1])), None)
        if found is None:
            found = (name, volume, [])
            classes.append(found)
        found[2].append(1e3 * row.number("window_s"))
    return [(f"{name}\n{volume / MEBI:.0f} MiB" if name else "anything\n< 1 MiB", windows)
            for name, volume, windows in classes]


def draw_breakdown(axes, rows):
    """The windows of the last iteration on rail 0."""
    last = max(row.number("iteration") for row in rows)
    classes = find_classes([row for row in rows if row.number("rail") == 0 and row.number("iteration") == last])
    if not classes:
        sys.exit("the file has no window of the last iteration on rail 0")
    for place, (_, windows) in enumerate(classes):
        mean = sum(windows) / len(windows)
        axes.barh(place, mean, height=0.6, color="C0", alpha=0.35)
        axes.plot(windows, [place] * len(windows), "o", color="C0", markersize=5, alpha=0.7)
        axes.text(0.99, place, f"{len(windows)} x {round(mean, 1) + 0.0:.1f} ms", va="center", ha="right",
                  fontsize="small", transform=axes.get_yaxis_transform())
    axes.set_yticks(range(len(classes)), [name for name, _ in classes])
    axes.set_xlabel("window (ms): each a point, their mean a bar")
    axes.set_title("(b) rail 0, one iteration, by what follows", loc="left", fontsize="medium")
    axes.set_xlim(right=1.35 * max(window for _, windows in classes for window in windows))
    axes.grid(axis="y", visible=False)


def main():
    arguments = get_arguments()
    rows = read_rows(arguments.file, "photonic-rails-windows", COLUMNS)
    pyplot = require_pyplot()
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    draw_distribution(left, rows, arguments)
    draw_breakdown(right, rows)
    conclude(figure, arguments.out)


main()
