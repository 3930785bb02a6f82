#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Published results of nccl-tests are met as doc/collectives.rst says, within 15 %: bus bandwidth of
128 and 256 MiB, all sizes on one node whose calls a CUDA graph launches, and rings.

usage: nccl-tests-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import importlib.util
import pathlib
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "validation" / "nccl-tests.py"
CLOSE = 0.15
LARGE = (128 << 20, 256 << 20)


def load_script():
    """@return nccl-tests.py as a module"""
    spec = importlib.util.spec_from_file_location("nccl_tests", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_met(machine, point):
    """@return whether the page says that a point is met"""
    by_graph = "CUDA graphs" in machine["machine"] and "--domains=1" in machine["flags"]
    return by_graph or "rings" in machine["machine"] or point["bytes"] in LARGE


def main():
    script = load_script()
    program = str(pathlib.Path(sys.argv[1], "photonic-rails-collectives").resolve())
    failures = []
    for machine in script.load_machines():
        for point in machine["points"]:
            was, simulated, *_ = script.compare(program, machine, point)
            error = was / simulated - 1
            print(f"{machine['machine']}, {point['collective']} of {point['bytes']}: {error:+.0%}")
            if is_met(machine, point) and abs(error) > CLOSE:
                failures.append(f"{machine['machine']}, {point}: {error:+.0%}")
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
