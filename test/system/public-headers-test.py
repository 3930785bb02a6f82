#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Programs of users include few headers of the module, and no private ones through them.

CMakeLists.txt lists the public headers. Each is there, includes only public headers of the module, and
they are a hundred at most.
"""

import re
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s*"(?:ns3/)?([\w-]+)\.h"', re.M)
MOST = 100


def list_public():
    """Return the names in CMakeLists.txt, without endings."""
    found = re.search(r"set\(photonic_rails_public\n(.*?)\)", (REPO / "CMakeLists.txt").read_text(), re.S)
    return found.group(1).split() if found else []


def find_errors(public, includes):
    """Return a line for each public header that is not there, stands twice or includes a private one."""
    errors = [f"{name}.h is listed twice" for name in sorted(set(public)) if public.count(name) > 1]
    for name in public:
        if name not in includes:
            errors.append(f"{name}.h is listed, but not there")
            continue
        errors += [f"{name}.h includes {other}.h, which is private"
                   for other in sorted(includes[name]) if other in includes and other not in public]
    return errors


def main():
    if find_errors(["a", "c"], {"a": {"b"}, "b": set()}) != ["a.h includes b.h, which is private",
                                                           "c.h is listed, but not there"]:
        sys.exit("errors are not found")
    headers = [path for top in ("model", "helper") for path in REPO.glob(f"{top}/**/*.h")]
    public = list_public()
    errors = find_errors(public, {path.stem: set(INCLUDE.findall(path.read_text())) for path in headers})
    if not 10 < len(public) <= MOST:
        errors.append(f"{len(public)} headers are public, which should be at most {MOST}")
    if errors:
        sys.exit("\n".join(errors))
    print(f"{len(public)} of {len(headers)} headers are public")


if __name__ == "__main__":
    main()
