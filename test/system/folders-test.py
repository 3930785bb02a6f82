#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The folders of the module depend on each other in one direction.

No folder of model/ or helper/ includes headers of another that, itself or through others, includes
headers of it. So each room of a floor can be read, tested and replaced with only those below it.

The ideas of others in model/neighbours and helper/neighbours register themselves: no other folder includes their
headers, and a reader of the core never meets them.
"""

import collections
import re
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"](?:ns3/)?([\w-]+\.h)[">]', re.M)


def read_includes():
    """Return for each folder those whose headers it includes, each with one such line."""
    sources = [path for top in ("model", "helper") for path in sorted(REPO.glob(f"{top}/**/*.[ch]*"))]
    folder_of = {path.name: str(path.parent.relative_to(REPO)) for path in sources if path.suffix == ".h"}
    includes = collections.defaultdict(dict)
    for path in sources:
        folder = str(path.parent.relative_to(REPO))
        for name in INCLUDE.findall(path.read_text()):
            other = folder_of.get(name, folder)
            if other != folder:
                includes[folder].setdefault(other, f"{path.name} includes {name}")
    return includes


def find_circle(includes):
    """Return folders each of which includes headers of the next, and the last of the first, or []."""
    done = set()

    def visit(folder, way):
        if folder in way:
            return way[way.index(folder):]
        if folder in done:
            return []
        for other in sorted(includes[folder]):
            circle = visit(other, way + [folder])
            if circle:
                return circle
        done.add(folder)
        return []

    for folder in sorted(includes):
        circle = visit(folder, [])
        if circle:
            return circle
    return []


def find_guests(includes):
    """Return the lines by which folders outside of neighbours include headers from there."""
    return [f"{folder} -> {other}: {line}" for folder, others in includes.items() for other, line in others.items()
            if "/neighbours" in other and "/neighbours" not in folder]


def main():
    if not find_guests({"model/opus": {"model/neighbours/a": "x"}, "helper/neighbours": {"model/neighbours/a": "y"}}):
        sys.exit("an include of a neighbour is not found")
    if find_circle(collections.defaultdict(dict, {"a": {"b": ""}, "b": {"c": ""}, "c": {"b": ""}})) != ["b", "c"]:
        sys.exit("a circle is not found")
    includes = read_includes()
    if len(includes) < 20 or "model/opus/message" not in includes["model/opus/network"]:
        sys.exit(f"includes are not read: {dict(includes)}")
    guests = find_guests(includes)
    if guests:
        sys.exit("the core includes its neighbours:\n" + "\n".join(guests))
    circle = find_circle(includes)
    if circle:
        lines = [f"{x} -> {y}: {includes[x][y]}" for x, y in zip(circle, circle[1:] + circle[:1])]
        sys.exit("folders in a circle:\n" + "\n".join(lines))


if __name__ == "__main__":
    main()
