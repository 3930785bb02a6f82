# SPDX-License-Identifier: GPL-2.0-only
"""Tables of the pages in doc/, for tests that hold them against runs."""
import pathlib
import re

DOC = pathlib.Path(__file__).resolve().parents[2] / "doc"


def read_table(page, label):
    """@return cells of the rows of the first table behind a label, without those of headers."""
    text = (DOC / page).read_text()
    text = text[text.index(f".. _{label}:"):]
    text = text[text.index(".. list-table::"):]
    headers = int(re.search(r":header-rows: (\d+)", text)[1])
    body = re.match(r"\.\. list-table::.*\n(?: +.*\n|\n)*", text)[0]
    rows = re.split(r"^   \* - ", body, flags=re.M)[1:]
    return [[" ".join(cell.split()) for cell in re.split(r"^     -", row, flags=re.M)] for row in rows][headers:]


def read_simple_table(page, label):
    """@return cells of the rows of the first simple table behind a label, without its header."""
    lines = (DOC / page).read_text().split(f".. _{label}:", 1)[1].splitlines()
    borders = [number for number, line in enumerate(lines) if re.fullmatch("=+( +=+)+", line)][:3]
    columns = [match.start() for match in re.finditer("=+", lines[borders[0]])] + [None]
    return [[line[begin:end].strip() for begin, end in zip(columns, columns[1:])]
            for line in lines[borders[1] + 1:borders[2]]]
