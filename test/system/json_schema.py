# SPDX-License-Identifier: GPL-2.0-only
"""The JSON of a program against the tables of the document that describes it."""
import json
import pathlib
import re
import sys

DOC = pathlib.Path(__file__).resolve().parents[2] / "doc"

TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
}


class Failures:
    """What has been found wrong."""

    def __init__(self):
        self.count = 0

    def expect(self, good, what):
        """Report what is wrong unless it is good."""
        if not good:
            self.count += 1
            print(what)


class Schema:
    """Path and type of every key, as the tables of a document have them.

    data_keys: members of an object whose keys are data: what stands for the key, and its values.
    choices: strings that have to be one of a few. signed: numbers that may be negative.
    optional: paths that need not be written, with the members of objects. free: objects of texts with any keys.
    """

    def __init__(self, document, data_keys=None, choices=None, signed=(), optional=(), free=()):
        self.name = document
        self.data_keys, self.choices = data_keys or {}, choices or {}
        self.signed, self.optional, self.free = set(signed), set(optional), set(free)
        rows = re.findall(r"^\| `([^`]+)` \| (\w+) \|", (DOC / document).read_text(), re.M)
        self.types = dict(rows)
        if len(self.types) != len(rows):
            sys.exit(f"{document} describes a key twice")

    def walk(self, value, path, failures):
        """Yield every (path, value) in a JSON value, itself included; data keys are generalised."""
        yield path, value
        if path in self.free:
            failures.expect(all(isinstance(item, str) for item in value.values()), f"{path}: text")
            return
        if isinstance(value, list):
            for item in value:
                yield from self.walk(item, path + "[]", failures)
        if isinstance(value, dict):
            place, allowed = self.data_keys.get(path, (None, None))
            for key, item in value.items():
                failures.expect(allowed is None or key in allowed, f"{path} has a key {key}")
                name = place or key
                yield from self.walk(item, f"{path}.{name}" if path else name, failures)

    def check(self, value, name, failures):
        """Every value has the type that the document gives it; nothing is missing on either side."""
        seen = set()
        for path, item in self.walk(value, "", failures):
            if not path or (path.endswith("[]") and path not in self.types):
                failures.expect(TYPES["object"](item) or TYPES["array"](item), f"{name}: {path}")
                continue
            if path not in self.types:
                if path not in seen:
                    failures.expect(False, f"{name}: {path} is not in {self.name}")
                seen.add(path)
                continue
            seen.add(path)
            kind = self.types[path]
            failures.expect(TYPES[kind](item), f"{name}: {path} is no {kind}: {item}")
            if TYPES["number"](item) and path not in self.signed:
                failures.expect(item >= 0, f"{name}: {path} is negative: {item}")
            if path in self.choices:
                failures.expect(item in self.choices[path], f"{name}: {path} is {item}")
        missing = self.optional - seen
        for path in sorted(set(self.types) - seen - missing):
            if any(path.startswith(f"{parent}.") for parent in missing):
                continue
            failures.expect(False, f"{name}: {self.name} describes {path}, which is not written")


def no_repeated_key(pairs):
    """Build an object, but not from keys that occur twice."""
    if len({key for key, _ in pairs}) != len(pairs):
        sys.exit(f"a key occurs twice: {[key for key, _ in pairs]}")
    return dict(pairs)


def read(text):
    """Parse an object."""
    return json.loads(text, object_pairs_hook=no_repeated_key)
