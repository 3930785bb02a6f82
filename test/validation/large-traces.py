#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Large execution traces, to measure how --trace reads them: computations in a chain, every fifth node a
collective of a tensor-parallel group, every 500th one of all ranks. Ranks with equal files share one
by a link.

usage: large-traces.py PREFIX RANKS NODES [PER_GROUP]"""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "system"))
from chakra_files import to_varint


def field(number, value):
    if isinstance(value, int):
        return to_varint(number << 3) + to_varint(value)
    return to_varint(number << 3 | 2) + to_varint(len(value)) + value


def attribute(name, number, value):
    return field(10, field(1, name) + field(number, value))


def make_file(group, nodes):
    parts = [to_varint(7), field(1, b"0.0.4")]
    for index in range(nodes):
        node = field(1, index + 1)
        after = field(5, to_varint(index)) if index else b""
        if index % 5 == 4:
            world = index % 500 == 499
            kind = 0 if world else (2, 7)[index // 5 % 2]
            node += field(2, b"collective") + field(3, 7) + after + attribute(b"comm_type", 9, kind)
            node += attribute(b"comm_size", 9, 1 << 12)
            node += attribute(b"pg_name", 29, b"world" if world else group)
        else:
            node += field(2, b"kernel %d" % (index % 100)) + field(3, 4) + after
            node += field(7, 1 + index % 7) + attribute(b"is_cpu_op", 27, 0)
        parts += [to_varint(len(node)), node]
    return b"".join(parts)


def main():
    prefix, ranks, nodes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    per_group = int(sys.argv[4]) if len(sys.argv) > 4 else 8
    groups = {"world": list(range(ranks))}
    for first in range(0, ranks, per_group):
        name = f"tp{first // per_group}"
        groups[name] = list(range(first, first + per_group))
        pathlib.Path(f"{prefix}.{first}.et").write_bytes(make_file(name.encode(), nodes))
        for rank in groups[name][1:]:
            os.link(f"{prefix}.{first}.et", f"{prefix}.{rank}.et")
    pathlib.Path(f"{prefix}.json").write_text(json.dumps(groups))


if __name__ == "__main__":
    main()
