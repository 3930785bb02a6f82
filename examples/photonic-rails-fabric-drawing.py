#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw a fabric from a file, as --fabric=FABRIC.json takes it, into an SVG file.

usage: photonic-rails-fabric-drawing.py FABRIC.json DRAWING.svg

Switches are boxes in rows, one for each tier, circuit switches with dashes; below each are the NIC ports that it
joins, as GPU.port, on a circuit switch with its own port behind. A line
is a link, with its rate if links differ and its number if there are parallel links. The programs check a file
in full; this script only needs its names to fit."""
import collections
import json
import pathlib
import sys
from xml.sax.saxutils import escape

STEP, ROW, BOX, HEIGHT = 150, 130, 120, 34  # pixels
INK, PALE, SWITCH = "#30343b", "#e6e9ee", "#f6f1e3"


def find_tiers(fabric):
    """@return the tier of each switch: 1 with NIC ports, otherwise links to the next NIC port and one"""
    neighbours = collections.defaultdict(list)
    for link in fabric.get("links", []):
        first, second = link["switches"]
        neighbours[first].append(second)
        neighbours[second].append(first)
    tiers = {nic["switch"]: 1 for nic in fabric["nics"]}
    order = collections.deque(tiers)
    while order:
        switch = order.popleft()
        for other in neighbours[switch]:
            if other not in tiers:
                tiers[other] = tiers[switch] + 1
                order.append(other)
    return tiers


def list_ports(fabric):
    """@return for each switch the text for its NIC ports"""
    ports = collections.defaultdict(list)
    for nic in fabric["nics"]:
        ends = [(gpu, port) for gpu in nic["gpus"] for port in nic.get("ports", range(fabric["nicPorts"]))]
        first = len(ports[nic["switch"]])
        numbers = nic.get("circuitPorts", range(first, first + len(ends)))
        ports[nic["switch"]] += [(*end, number) for end, number in zip(ends, numbers)]
    lines = {}
    for switch, ends in ports.items():
        names = [f"{gpu}.{port}" + (f" - {number}" if "circuitSwitches" in fabric else "")
                 for gpu, port, number in sorted(ends)]
        lines[switch] = names if len(names) <= 6 else names[:3] + ["..."] + names[-2:]
    return lines


def place_switches(fabric):
    """@return the centre of each switch, and the size of the drawing"""
    tiers = find_tiers(fabric)
    rows = collections.defaultdict(list)
    for switch in fabric.get("switches") or fabric["circuitSwitches"]:
        rows[tiers[switch]].append(switch)
    width = STEP * max(len(row) for row in rows.values())
    top = max(rows)
    places = {}
    for tier, row in rows.items():
        for i, switch in enumerate(row):
            places[switch] = ((i + 0.5) * width / len(row), (top - tier + 0.5) * ROW)
    return places, width, top * ROW + 90


def draw_text(x, y, text, size=12):
    """@return a text around a place"""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="middle">{escape(text)}</text>'


def draw(fabric):
    """@return the drawing"""
    places, width, height = place_switches(fabric)
    rates = {link["rate_gbps"] for link in fabric.get("links", [])}
    parts = []
    for link in fabric.get("links", []):
        (x1, y1), (x2, y2) = (places[switch] for switch in link["switches"])
        count = link.get("count", 1)
        parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{INK}" '
                     f'stroke-width="{min(1 + 0.7 * (count - 1), 6):.1f}"/>')
        label = (f"{count} x " if count > 1 else "") + (f"{link['rate_gbps']:g}" if len(rates) > 1 else "")
        if label:
            parts.append(draw_text(x1 + (x2 - x1) / 3, y1 + (y2 - y1) / 3, label.strip(), 10))
    ports = list_ports(fabric)
    dashes = ' stroke-dasharray="6 3"' if "circuitSwitches" in fabric else ""
    for switch, (x, y) in places.items():
        parts.append(f'<rect x="{x - BOX / 2:.1f}" y="{y - HEIGHT / 2:.1f}" width="{BOX}" height="{HEIGHT}" '
                     f'rx="6" fill="{SWITCH if switch in ports else PALE}" stroke="{INK}"{dashes}/>')
        parts.append(draw_text(x, y + 4, switch))
        for i, name in enumerate(ports.get(switch, [])):
            parts.append(draw_text(x, y + HEIGHT / 2 + 14 + 12 * i, name, 10))
    title = f"{fabric['domains']} domains of {fabric['gpusPerDomain']} GPUs, {fabric['nicPorts']} NIC ports each"
    parts.append(draw_text(width / 2, 16, title + (f", links of {rates.pop():g} Gbit/s" if len(rates) == 1 else "")))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" fill="{INK}" '
            f'font-family="DejaVu Sans, sans-serif">\n' + "\n".join(parts) + "\n</svg>\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    try:
        fabric = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
        drawing = draw(fabric)
        pathlib.Path(sys.argv[2]).write_text(drawing, encoding="utf-8")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        sys.exit(f"{sys.argv[1]} cannot be drawn: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
