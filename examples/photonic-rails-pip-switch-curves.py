#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw what photonic-rails-pip-switch has written: with --lights, a mesh of programmable photonics with
the light of a matching; with --csv, matchings, cells and losses against the number of ports.

Needs matplotlib (Debian: apt install python3-matplotlib)."""
import argparse
import math
import sys

from photonic_rails import conclude, read_rows, require_pyplot

PROGRAM = "photonic-rails-pip-switch"
LIGHTS = ["matching", "cell", "x1", "y1", "x2", "y2", "state", "circuit_0", "circuit_1",
          "port_0", "port_1", "port_2", "port_3"]
SIZES = ["ports", "rows", "columns", "cells", "least_matchings", "matchings", "cells_passed_mean",
         "cells_passed_max", "loss_mean_db", "loss_max_db", "plan_s", "smaller_matchings", "smaller_side"]
SHORT = 0.24   # how far a cell ends before its corner, in sides of a hexagon
BESIDE = 0.07  # how far a waveguide is from the middle of its cell


def get_arguments():
    """What to draw, and where to."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="from --lights or from --csv")
    parser.add_argument("--matching", type=int, default=0, help="which one of a plan [0]")
    parser.add_argument("--out", default="pip-switch.svg", help="the picture: svg, png or pdf")
    return parser.parse_args()


def find_ends(row):
    """Where the four waveguide ends of a cell are, in the order of their numbers."""
    x1, y1, x2, y2 = (row.number(name) for name in ("x1", "y1", "x2", "y2"))
    dx, dy = x2 - x1, y2 - y1
    left = (BESIDE * dy, -BESIDE * dx)  # y grows downwards
    near = (x1 + SHORT * dx, y1 + SHORT * dy)
    far = (x2 - SHORT * dx, y2 - SHORT * dy)
    return [(x + sign * left[0], y + sign * left[1]) for x, y in (near, far) for sign in (1, -1)]


def find_joints(rows):
    """Pairs of ends that are joined: the nearest two of two cells that meet at a corner."""
    corners = {}
    for number, row in enumerate(rows):
        for side, names in enumerate((("x1", "y1"), ("x2", "y2"))):
            corner = tuple(row[name] for name in names)
            corners.setdefault(corner, []).append((number, side))
    joints = []
    for cells in corners.values():
        for i, (a, side_a) in enumerate(cells):
            for b, side_b in cells[:i]:
                pairs = [((a, 2 * side_a + p), (b, 2 * side_b + q)) for p in (0, 1) for q in (0, 1)]
                ends = {number: find_ends(rows[number]) for number in (a, b)}
                joints.append(min(pairs, key=lambda pair: math.dist(
                    ends[pair[0][0]][pair[0][1]], ends[pair[1][0]][pair[1][1]])))
    return joints


def get_circuits(row):
    """The circuit whose light is at each of the four ends."""
    first, second = row["circuit_0"], row["circuit_1"]
    return [first, second, first, second] if row["state"] == "bar" else [first, second, second, first]


def draw_lights(pyplot, rows, matching):
    """The mesh: cells in grey, light in colours, ports with their numbers."""
    rows = [row for row in rows if row.number("matching") == matching]
    if not rows:
        sys.exit(f"--matching={matching}: the file has no matching of that number")
    circuits = sorted({row[name] for row in rows for name in ("circuit_0", "circuit_1") if row[name]},
                      key=lambda name: [int(port) for port in name.split("-")])
    palette = pyplot.get_cmap("tab10" if len(circuits) <= 10 else "tab20")
    colors = {name: palette(number % palette.N) for number, name in enumerate(circuits)}
    xs = [row.number(name) for row in rows for name in ("x1", "x2")]
    ys = [row.number(name) for row in rows for name in ("y1", "y2")]
    width, height = max(xs) - min(xs) + 1.6, max(ys) - min(ys) + 1.6
    scale = min(0.75, 10 / width)
    figure, axes = pyplot.subplots(figsize=(scale * width, scale * height + 0.4), layout="constrained")
    lines = []
    for row in rows:
        ends = find_ends(row)
        lights = get_circuits(row)
        for start, end in ((0, 2), (1, 3)) if row["state"] == "bar" else ((0, 3), (1, 2)):
            lines.append((ends[start], ends[end], lights[start]))
    lights = [get_circuits(row) for row in rows]
    for (a, end_a), (b, end_b) in find_joints(rows):
        both = lights[a][end_a] == lights[b][end_b]
        lines.append((find_ends(rows[a])[end_a], find_ends(rows[b])[end_b],
                      lights[a][end_a] if both else ""))
    for start, end, light in sorted(lines, key=lambda line: line[2] != ""):
        axes.plot(*zip(start, end), color=colors.get(light, "0.82"), linewidth=2.2 if light else 0.8,
                  solid_capstyle="round", zorder=2 if light else 1)
    for row in rows:
        for number, (x, y) in enumerate(find_ends(row)):
            port = row[f"port_{number}"]
            if not port:
                continue
            corner = (row.number("x1" if number < 2 else "x2"), row.number("y1" if number < 2 else "y2"))
            middle = [(row.number(f"{axis}1") + row.number(f"{axis}2")) / 2 for axis in "xy"]
            along = [there - here for there, here in zip(corner, middle)]
            out = (x + 0.75 * along[0] + 5 * (x - (middle[0] + 0.52 * along[0])),
                   y + 0.75 * along[1] + 5 * (y - (middle[1] + 0.52 * along[1])))
            color = colors.get(get_circuits(row)[number], "0.5")
            axes.plot((x, out[0]), (y, out[1]), color=color, linewidth=1.4, zorder=2)
            axes.text(*out, port, ha="center", va="center", fontsize=8, zorder=3,
                      bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": color})
    axes.set_aspect("equal")
    axes.invert_yaxis()
    axes.axis("off")
    crossed = sum(row["state"] == "cross" for row in rows)
    axes.set_title(f"Matching {matching}: {len(circuits)} circuits, {len(rows)} cells, "
                   f"{crossed} of them in cross state", loc="left", fontsize=10)
    return figure


def draw_sizes(pyplot, rows):
    """Matchings beside what is least, cells of the mesh and cells passed."""
    rows = [row for row in rows if row["matchings"]]
    if not rows:
        sys.exit("the file has no switch with a plan")
    ports = [row.number("ports") for row in rows]
    figure, panels = pyplot.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    panels[0].plot(ports, [row.number("least_matchings") for row in rows], color="0.6", linewidth=5,
                   label="least of any switch")
    panels[0].plot(ports, [row.number("matchings") for row in rows], "o-", color="tab:blue",
                   label="plan")
    smaller = [(row.number("ports"), row.number("smaller_matchings")) for row in rows
               if row["smaller_matchings"]]
    if smaller:
        panels[0].plot(*zip(*smaller), "x", color="tab:red", label="mesh one smaller")
    panels[0].set_ylabel("matchings")
    panels[0].legend()
    panels[1].plot(ports, [row.number("cells") for row in rows], "o-", color="tab:green")
    for row, x in zip(rows, ports):
        panels[1].annotate(f"{row['rows']}x{row['columns']}", (x, row.number("cells")), (0, 6),
                           textcoords="offset points", ha="right", fontsize="small")
    panels[1].set_ylabel("cells of the mesh")
    for name, label, style in (("mean", "mean", "o-"), ("max", "longest path", "^--")):
        panels[2].plot(ports, [row.number(f"loss_{name}_db") for row in rows], style,
                       color="tab:orange", label=label)
    panels[2].set_ylabel("loss from fiber to fiber (dB)")
    panels[2].legend()
    for axes in panels:
        axes.set_xlabel("ports")
        axes.set_ylim(bottom=0)
    return figure


def main():
    arguments = get_arguments()
    rows = read_rows(arguments.file, PROGRAM, [])
    is_light = "matching" in rows[0]
    rows = read_rows(arguments.file, PROGRAM, LIGHTS if is_light else SIZES)
    try:
        pyplot = require_pyplot()
        figure = draw_lights(pyplot, rows, arguments.matching) if is_light else draw_sizes(pyplot, rows)
    except (ValueError, TypeError, KeyError) as error:
        sys.exit(f"{arguments.file}: cannot be read as the CSV of {PROGRAM}: {error!r}")
    conclude(figure, arguments.out)


if __name__ == "__main__":
    main()
