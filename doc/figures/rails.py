#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw rails.svg, the picture of README.md: one rail in two phases of a job.

usage: doc/figures/rails.py [FILE]

Needs matplotlib (Debian: apt install python3-matplotlib)."""
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams.update({"svg.hashsalt": "rails", "font.family": "DejaVu Sans", "font.size": 10})
from matplotlib import pyplot  # pylint: disable=wrong-import-position
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch  # pylint: disable=wrong-import-position

SERVERS = 4
GPUS = 4
WIDTH = 1.6  # of a server
STEP = 2.0  # from one server to the next
INK, PALE, SWITCH = "#30343b", "#e6e9ee", "#f6f1e3"
LIGHT = {"FSDP": "#1f77b4", "pipeline": "#d2601a"}


def box(axes, x, y, width, height, fill, edge=INK):
    """Draw a box with round corners."""
    axes.add_patch(FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0.02,rounding_size=0.08",
                                  facecolor=fill, edgecolor=edge, linewidth=1.1, zorder=2))


def port(left, server, side):
    """@return where a port of a server's GPU 0 is along the rail."""
    return left + server * STEP + WIDTH / 2 + (-0.22 if side == 0 else 0.22)


def draw_server(axes, left, server, colour):
    """Draw a server with its GPUs, of which the first is on the rail that is shown."""
    x = left + server * STEP
    box(axes, x, 2.6, WIDTH, 2.25, PALE)
    axes.text(x + WIDTH / 2, 4.62, f"server {server}", ha="center", va="center", color=INK, zorder=3)
    for gpu in range(GPUS):
        on_rail = gpu == 0
        y = 2.72 + gpu * 0.42
        box(axes, x + 0.2, y, WIDTH - 0.4, 0.28, colour if on_rail else "white", INK if on_rail else "#9aa1ab")
        axes.text(x + WIDTH / 2, y + 0.13, f"GPU {gpu}", ha="center", va="center", fontsize=8,
                  color="white" if on_rail else "#6b727c", zorder=3)
    for side in (0, 1):
        axes.plot([port(left, server, side)] * 2, [2.72, 1.5], color=INK, linewidth=1.2, zorder=1)


def draw_phase(axes, left, name, pairs, what):
    """Draw servers and switch with the circuits of a phase: both servers, and how deep each is drawn."""
    colour = LIGHT[name]
    for server in range(SERVERS):
        draw_server(axes, left, server, colour)
    box(axes, left, 0.25, (SERVERS - 1) * STEP + WIDTH, 1.25, SWITCH)
    for first, second, depths in pairs:
        for side, depth in enumerate(depths):
            begin, end = port(left, first, side), port(left, second, 1 - side)
            axes.plot([begin, begin, end, end], [1.5, 1.5 - depth, 1.5 - depth, 1.5], color=colour, linewidth=2.2,
                      solid_joinstyle="round", zorder=3)
    axes.text(left + 0.1, 0.3, "optical circuit switch of rail 0", ha="left", va="bottom", fontsize=8.5, color=INK,
              zorder=4)
    middle = left + ((SERVERS - 1) * STEP + WIDTH) / 2
    axes.text(middle, 5.25, f"{name} phase", ha="center", va="center", fontsize=13, color=colour, weight="bold")
    axes.text(middle, -0.1, what, ha="center", va="top", color=INK)


def main():
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).with_name("rails.svg")
    figure, axes = pyplot.subplots(figsize=(12, 4.3))
    right = 10.6
    draw_phase(axes, 0, "FSDP", [(0, 1, (0.5, 0.27)), (2, 3, (0.5, 0.27))], "ranks that share parameters gather and reduce them")
    draw_phase(axes, right, "pipeline", [(0, 2, (0.88, 0.68)), (1, 3, (0.46, 0.26))], "stages send activations and gradients")
    axes.add_patch(FancyArrowPatch((7.9, 3.3), (right - 0.3, 3.3), arrowstyle="<->", mutation_scale=18, color=INK,
                                   linewidth=1.4))
    axes.text(9.1, 3.6, "Opus moves\nthe circuits", ha="center", va="bottom", color=INK, weight="bold")
    axes.text(9.1, 3.0, "inside the job:\n25 ms here", ha="center", va="top", color=INK)
    axes.set_xlim(-0.15, right + 7.75)
    axes.set_ylim(-0.6, 5.6)
    axes.set_aspect("equal")
    axes.axis("off")
    figure.subplots_adjust(0, 0, 1, 1)
    figure.savefig(out, metadata={"Date": None} if out.suffix == ".svg" else None, facecolor="white", dpi=110)
    print(out)


main()
