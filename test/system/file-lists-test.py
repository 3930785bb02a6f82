#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The lists of files in CMakeLists.txt and in the wscript are the files on disk.

With --update, write the lists instead of comparing them.
"""

import re
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]

# Name in CMakeLists.txt, name in the wscript (or None), and which files.
LISTS = [
    ("photonic_rails_sources", "SOURCES", ["model/**/*.cc", "helper/**/*.cc"]),
    ("photonic_rails_headers", "HEADERS", ["model/**/*.h", "helper/**/*.h"]),
    ("photonic_rails_suites", "SUITES", ["test/suites/**/*.cc"]),
    ("photonic_rails_units", None, ["test/unit/**/*.cc"]),
    ("photonic_rails_examples", "EXAMPLES", ["examples/**/*.cc"]),
]


def on_disk(patterns):
    """The files that match the patterns, relative to the repository."""
    return sorted(str(path.relative_to(REPO)) for pattern in patterns for path in REPO.glob(pattern))


class ListedFile:
    """A build file with lists of files between brackets."""

    def __init__(self, path, opening, closing, quote):
        self.path = REPO / path
        self.text = self.path.read_text()
        self.opening, self.closing, self.quote = opening, closing, quote

    def _match(self, name):
        pattern = self.opening.format(name=re.escape(name)) + r"(.*?)^" + self.closing
        found = re.search("^" + pattern, self.text, re.M | re.S)
        if not found:
            sys.exit(f"{self.path.name} has no list {name}")
        return found

    def read(self, name):
        """The files in a list, in the order of the list."""
        return re.findall(r"[\w./-]+", self._match(name).group(1))

    def write(self, name, files):
        """Replace a list."""
        start, end = self._match(name).span(1)
        comma = "," if self.quote else ""
        lines = "".join(f"    {self.quote}{file}{self.quote}{comma}\n" for file in files)
        self.text = self.text[:start] + lines + self.text[end:]


def main():
    cmake = ListedFile("CMakeLists.txt", r"set\({name}\n", r"\)", "")
    wscript = ListedFile("wscript-compat/photonic-rails/wscript", r"{name} = \[\n", r"\]", "'")
    update = "--update" in sys.argv[1:]
    wrong = 0
    for cmake_name, wscript_name, patterns in LISTS:
        files = on_disk(patterns)
        for build_file, name in ((cmake, cmake_name), (wscript, wscript_name)):
            if name is None:
                continue
            listed = build_file.read(name)
            if listed == files:
                continue
            if update:
                build_file.write(name, files)
                continue
            wrong += 1
            for path in sorted(set(files) - set(listed)):
                print(f"{build_file.path.name}: {name} lacks {path}")
            for path in sorted(set(listed) - set(files)):
                print(f"{build_file.path.name}: {name} names {path}, which does not exist")
            if set(listed) == set(files):
                print(f"{build_file.path.name}: {name} is not sorted or repeats a file")
    if update:
        cmake.path.write_text(cmake.text)
        wscript.path.write_text(wscript.text)
    if wrong:
        sys.exit("Put it right with test/system/file-lists-test.py --update")


if __name__ == "__main__":
    main()
