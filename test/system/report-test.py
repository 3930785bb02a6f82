#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""--report: the page stands by itself, the numbers that a browser shows are those of --json, the run is the
same with and without it, and all charts are drawn in light and dark, on narrow and wide screens. Likewise the page
of photonic-rails-compare.

usage: report-test.py FOLDER_OF_THE_BUILT_EXAMPLES

Exit code 77, for skipped, if nothing is wrong but Chromium or Chart.js is not installed: then the data in
the pages are looked at, and not what is drawn from them."""
import copy
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

JOB = ["--model=debugmodel", "--seqLen=512", "--iterations=3", "--quiet"]
HOSTILE = "x\"'><script>document.documentElement.dataset.hostile=1<"
MODEL = {"name": "</script><img src=x onerror=alert(1)>", "layers": 6, "hidden": 256, "ffn": 768,
         "vocabulary": 2048, "attention": {"kind": "gqa", "heads": 16, "kv_heads": 16}}
CASES = {
    "photonic": [],
    "electrical": ["--fabric=electrical"],
    "leaf-spine": ["--fabric=leaf-spine", "--hostNetwork=100Gbps", "--hostThreshold=4K"],
    "faults": ["--spareRails=1", "--fault=ocs:0@300ms+1s"],
    "one rail": ["--symmetry=rails", "--controllers=rails"],
    "latency": ["--reportLatency", "--iterations=2"],
    "recovery": ["--spareGpus=1", "--fault=gpu:5@20ms,gpu:8@900ms"],
    "migration": ["--fabric=leaf-spine", "--spareDomains=4", "--recovery=migration", "--fault=gpu:5@20ms"],
    "once": ["--policy=static-partition", "--iterations=1"],
}
LIBRARY = pathlib.Path("/usr/share/javascript/chart.js/chart.min.js")
SKIPPED = 77

# What a browser finds out about the page, for this test.
PROBE = """<script>
addEventListener("load", () => {
  const ink = [...document.querySelectorAll("canvas")].map((canvas) => {
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const colors = new Set();
    for (let i = 0; i < pixels.length; i += 4) {
      if (pixels[i + 3] > 200) colors.add(pixels[i] + "," + pixels[i + 1] + "," + pixels[i + 2]);
    }
    return colors.size;
  });
  const luminance = (color) => color.match(/[0-9.]+/g).slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const page = getComputedStyle(document.body).backgroundColor;
  const contrast = [...document.querySelectorAll("p, a, td, th, h1, h2, figcaption, summary")].map((one) => {
    const pair = [luminance(getComputedStyle(one).color),
                  luminance(one.classList.contains("warn") ? getComputedStyle(one).backgroundColor : page)];
    return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
  });
  const root = document.documentElement;
  const charts = {};
  for (const canvas of document.querySelectorAll("canvas")) {
    charts[canvas.id] = Chart.getChart(canvas).config.data.datasets.map((set) => ({ label: set.label, data: set.data }));
  }
  const found = {
    attributes: Object.assign({}, root.dataset), ink, page, width: innerWidth, contrast: Math.min(...contrast),
    scroll: root.scrollWidth, client: root.clientWidth, charts};
  parent.postMessage(found, "*");
  root.dataset.found = JSON.stringify(found);
});
</script></body>"""

# A window is at least 500 pixels wide, a frame is not.
FRAME = """<!DOCTYPE html><html style="color-scheme: light dark"><title>test</title><script>
addEventListener("message", (message) => {
  document.documentElement.dataset.found = JSON.stringify(message.data);
});
</script><iframe src="PAGE" style="border: 0; width: WIDTHpx; height: 900px"></iframe></html>"""


class Page(html.parser.HTMLParser):
    """Tables, addresses, elements and charts of a page, as a browser has made it."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.addresses, self.elements, self.texts, self.charts = {}, [], {}, {}, {}
        self.tiles = []
        self._rows = self._cell = self._text = None
        self._in_tile = False
        self.text = text
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "html" and "data-found" in attrs:
            self.charts = json.loads(attrs["data-found"])["charts"]
        self.elements[tag] = self.elements.get(tag, 0) + 1
        self.addresses += [attrs[name] for name in ("src", "href", "action", "data") if name in attrs]
        self._in_tile = tag == "dd"
        if tag == "table":
            self._rows = self.tables[attrs["id"]] = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._cell = ""
        elif "id" in attrs:
            self._text = attrs["id"]
            self.texts[self._text] = ""

    def handle_endtag(self, tag):
        self._in_tile = False
        if tag in ("td", "th"):
            self._rows[-1].append(self._cell)
            self._cell = None
        elif tag != "canvas":
            self._text = None

    def handle_data(self, data):
        if self._in_tile:
            self.tiles.append(data)
        if self._cell is not None:
            self._cell += data
        elif self._text is not None:
            self.texts[self._text] += data

    def get(self, table):
        """@return the rows of a table, without the head."""
        return self.tables[table][1:]


def number(text):
    return float(text.replace(",", "").replace(" %", ""))


def run(program, flags, folder):
    return subprocess.run([program, *JOB, *flags], cwd=folder, capture_output=True, text=True, timeout=300,
                          check=True)


def read_summary(path):
    own = ("wall_s", "peak_rss_bytes", "processes", "events")
    return {key: value for key, value in json.loads(path.read_text()).items() if key not in own}


def differ(name, seen, expected, digits=6):
    """@return whether numbers that are rounded to so many digits are not those that are expected."""
    ok = len(seen) == len(expected) and all(
        abs(one - other) <= 0.500001 * 10 ** -digits for one, other in zip(seen, expected))
    return [] if ok else [f"{name}: {seen} on the page, {expected} in the summary"]


def check_recoveries(page, summary):
    """@return where the section of recoveries differs from the summary."""
    recoveries = summary["recoveries"]
    rows = page.get("table-recoveries") if "table-recoveries" in page.tables else []
    if len(rows) != len(recoveries) or ("recoveries" in page.texts) != bool(recoveries):
        return [f"{len(rows)} recoveries on the page, {len(recoveries)} in the summary"]
    wrong, drawn = [], []
    for row, one in zip(rows, recoveries):
        moments = [one[f"{name}_s"] for name in
                   ("lost", "detected", "stopped", "replaced", "ready", "resumed")]
        parts = [1e3 * (end - begin) for begin, end in zip(moments, moments[1:])]
        lost_work = 1e3 * one["lost_work_s"]
        wrong += differ("recovery", [number(cell) for cell in row[2:-1]],
                        [moments[0], *parts, sum(parts), lost_work, one["attempts"], one["iteration"],
                         one["spares_left"]], 3)
        moves = [f"rank {move['rank']} from GPU {move['from']} to {move['to']}" for move in one["moves"]]
        text = ", ".join(moves[:8]) + (f" and {len(moves) - 8} other ranks" if len(moves) > 8 else "")
        if row[1] != ", ".join(map(str, one["gpus"])) or row[-1] != text or not moves:
            wrong.append(f"who is where: {row[1]}, {row[-1]} on the page, {one} in the summary")
        drawn.append([*parts, lost_work])
    if recoveries and page.charts:
        sets = page.charts["chart-recoveries"]
        for line, expected in enumerate(drawn):
            wrong += differ("bars", [one["data"][line] for one in sets], expected)
    return wrong


def check_numbers(page, summary):
    """@return where the page differs from the summary."""
    wrong = check_recoveries(page, summary)

    def expect(name, seen, expected, digits=6):
        wrong.extend(differ(name, seen, expected, digits))

    wrong += [f"digits of {tile}" for tile in page.tiles
              if re.search(r"\d\.\d", tile) and sum(map(str.isdigit, tile.lstrip("0."))) > 4]
    rows = page.get("table-iterations")
    iterations = summary["iterations"]
    for column, key in enumerate(("index", "time_s", "reconfigurations", "exposed_reconfiguration_s")):
        cells = [row[column] for row in rows]
        if [cell == "not measured" for cell in cells] != [key not in one for one in iterations]:
            wrong.append(f"{key}: {cells}")
        expect(key, [number(cell) for cell in cells if cell != "not measured"],
               [one[key] for one in iterations if key in one])
    skip = 1 if len(iterations) > 1 else 0
    windows = sorted(1e3 * window["window_s"] for one in iterations[skip:] for window in one["windows"])
    first = page.get("table-windows")[0]
    count = len(windows)
    expect("windows", [number(first[1])], [count])
    quantiles = [windows[max(1, -(-count * share // 100)) - 1] for share in (10, 25, 50, 75, 90, 100)]
    expect("quantiles", [number(cell) for cell in first[2:8]], quantiles)
    expect("windows above 1 ms", [number(first[8])], [100 * sum(one > 1 for one in windows) / count], 2)
    expect("windows of each class", [sum(number(row[2]) for row in page.get("table-following"))], [count])
    keys = ("packets_sent", "retransmissions", "bytes_posted", "bytes_delivered")
    for row, counts in zip(page.get("table-traffic"), (summary, summary["scale_up"], summary["host_network"])):
        expect(f"traffic of {row[0]}", [number(cell) for cell in row[1:]], [counts[key] for key in keys])
    volumes = {(row[0], row[1]): [number(row[2]), number(row[3])] for row in page.get("table-volumes")}
    expected = {(kind, dimension): [part["count"], part["input_bytes"]]
                for kind, all_of in summary["collectives"].items()
                for dimension, part in all_of["by_dimension"].items()}
    if volumes != expected:
        wrong.append(f"volumes: {volumes} on the page, {expected} in the summary")
    phases = [sum(number(row[3]) for row in page.get("table-phases") if row[0] == str(stage))
              for stage in range(len(summary["phases"]))]
    expect("calls", phases, [sum(phase["count"] for phase in stage) for stage in summary["phases"]])
    settings = {row[0]: row[1] for row in page.get("settings")}
    if settings != summary["settings"]:
        wrong.append(f"settings: {settings}")
    if summary["faults"]:
        faults = [(row[0], row[1], number(row[2])) for row in page.get("table-faults")]
        if faults != [(one["kind"], one["target"], one["at_s"]) for one in summary["faults"]]:
            wrong.append(f"faults: {faults}")
    if summary.get("control", {}).get("requests"):
        seen = {row[0]: number(row[1]) for row in page.get("table-control")}
        expect("requests", [seen["requests"], seen["grants"]],
               [summary["control"]["requests"], summary["control"]["grants"]])
        for what in ("ranks", "ports", "light"):
            expect(f"waits for {what}", [seen[f"waited for {what}, mean of a grant, ms"]],
                   [1e3 * summary["control"][f"wait_for_{what}_sum_s"] / summary["control"]["grants"]])
    network = page.get("table-networks")[0]
    watts, joules = number(network[8]), number(network[10])
    if network[0] != summary["fabric"] or abs(joules - watts * iterations[-1]["time_s"]) > 1e-3 * joules:
        wrong.append(f"energy: {network}")
    return wrong


def check_ports(page, summary):
    """@return what is wrong with the ports of the circuit switch."""
    if summary["fabric"] != "photonic":
        return ["ports without circuits"] if "table-ports" in page.tables else []
    rows = page.get("table-ports")
    wrong = [f"port {row[0]}: {row[4:]}" for row in rows if abs(sum(map(number, row[4:])) - 100) > 0.02]
    # A rail whose switch has failed goes on with a spare one.
    has_light = any(number(row[4]) > 0 for row in rows)
    is_broken = any(one["kind"] == "ocs" for one in summary["faults"])
    return wrong if has_light != is_broken else wrong + [f"ports {rows}"]


def check_alone(page):
    """@return what leads out of the page."""
    return [f"address {address}" for address in page.addresses
            if not address.startswith(("#", "data:"))]


def read_data(text):
    """@return the object that a page is drawn from."""
    found = re.search(r'<script type="application/json" id="data">([^<>&]*)</script>', text)
    return json.loads(found.group(1))


def check_case(program, chromium, folder, name, flags):
    """@return what is wrong with a case."""
    file = name.replace(" ", "-")
    plain_flags = [flag for flag in flags if not flag.startswith("--report")]
    # For the page all rails are simulated.
    run(program, ["--symmetry=none", *plain_flags, f"--json={file}-plain.json"], folder)
    run(program, [*flags, f"--json={file}.json", f"--report={file}.html"], folder)
    summary = read_summary(folder / f"{file}.json")
    wrong = [] if summary == read_summary(folder / f"{file}-plain.json") else ["the page changes the run"]
    text = (folder / f"{file}.html").read_text()
    data = read_data(text)
    wrong += [] if data["run"] == json.loads((folder / f"{file}.json").read_text()) else ["the page has another run"]
    wrong += check_alone(Page(text))
    own = text.replace(LIBRARY.read_text(), "") if LIBRARY.exists() else text
    sources = json.dumps([data["cost"]["parts"], data["sentence"]])
    wrong += [f"{found} in the page" for found in re.findall(r"https?://[^\s\"<]*|@import|url\(", own)
              if found not in sources]
    if not chromium:
        return wrong
    page = draw(chromium, folder / f"{file}.html")
    wrong += check_numbers(page, summary) + check_ports(page, summary) + check_alone(page)
    if ("table-latency" in page.tables) != (name == "latency"):
        wrong.append("latency is there when it was asked for")
    elif name == "latency" and number(page.get("table-latency")[0][1]) != summary["packets_sent"]:
        wrong.append(f"{page.get('table-latency')} of {summary['packets_sent']} packets")
    return wrong


def check_recovery_mutations(chromium, folder):
    """@return changes of recoveries that are not noticed."""
    page, summary = draw(chromium, folder / "recovery.html"), read_summary(folder / "recovery.json")
    unnoticed = []
    for place, one in enumerate(summary["recoveries"]):
        for key, value in one.items():
            changed = copy.deepcopy(summary)
            changed["recoveries"][place][key] = value[1:] if isinstance(value, list) else value + 1e-3
            if not check_recoveries(page, changed):
                unnoticed.append(f"unnoticed: {key} of recovery {place}")
    if not check_recoveries(page, {**summary, "recoveries": []}):
        unnoticed.append("unnoticed: recoveries that nobody had")
    page.charts["chart-recoveries"][0]["data"][0] += 1
    if not check_recoveries(page, summary):
        unnoticed.append("unnoticed: a bar")
    return unnoticed


def check_hostile(program, chromium, folder):
    """@return what is wrong if the name of a file tries to become part of the page."""
    place = folder / HOSTILE
    place.mkdir()
    name = str(place.relative_to(folder) / "script><img src=x onerror=alert(1)>")
    (folder / name).write_text("1 " * 8)
    run(program, ["--model=debugmodel-moe", f"--popularity={name}", "--report=hostile.html",
                  "--json=hostile.json"], folder)
    page, plain = (Page((folder / f"{one}.html").read_text()) for one in ("hostile", "photonic"))
    wrong = check_alone(page)
    if chromium:
        page, plain = (draw(chromium, folder / f"{one}.html") for one in ("hostile", "photonic"))
        wrong += check_numbers(page, read_summary(folder / "hostile.json")) + check_alone(page)
        if ["popularity", name] not in page.get("settings"):
            wrong.append("the name is not on the page")
    # Names of models are refused.
    (folder / "model.json").write_text(json.dumps(MODEL))
    done = subprocess.run([program, *JOB, "--model=model.json", "--report=model.html"], cwd=folder,
                          capture_output=True, text=True, timeout=300, check=False)
    wrong += [] if done.returncode == 1 and "name: must be" in done.stderr else [f"model: {done}"]
    return wrong + [f"{page.elements[tag]} elements {tag}" for tag in ("script", "img", "a")
                    if page.elements.get(tag) != plain.elements.get(tag)]


def check_other_data(chromium, folder):
    """@return what is wrong with a page whose data are made up: large numbers, many rows and hostile texts."""
    text = (folder / "recovery.html").read_text()
    data = read_data(text)
    run_data = data["run"]
    data["sentence"] = run_data["fabric"] = data["problem"] = data["cost_remark"] = HOSTILE + "/script><img src=x>\x01"
    run_data["settings"] = {HOSTILE: HOSTILE}
    run_data["faults"] = [{"kind": HOSTILE, "target": HOSTILE, "at_s": 1234.56789, "consequence": ""}]
    run_data["world_size"], run_data["bytes_posted"] = 1234567, 3 << 19
    iteration = {"index": 0, "time_s": -0.000005, "reconfigurations": 999, "exposed_reconfiguration_s": 0}
    run_data["iterations"] = [iteration] * (data["limits"]["rows"] + 3)
    run_data["recoveries"] = run_data["recoveries"][:1] * (data["limits"]["lines"] + 1)
    run_data["recoveries"][0]["moves"] = [{"rank": 0, "from": 0, "to": 16}] * 10
    data["cost"]["rows"][0].update(usd=37299, watts=0.04, joules_per_iteration=0.000123456)
    data["windows"]["tables"]["following"][0].update(name="few", bytes=1023)
    embedded = json.dumps(data).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    (folder / "other.html").write_text(re.sub(r'(id="data">)[^<]*', lambda found: found.group(1) + embedded, text))
    page, plain = draw(chromium, folder / "other.html"), draw(chromium, folder / "recovery.html")
    wrong = [f"{page.elements.get(tag)} elements {tag}" for tag in ("script", "img", "a")
             if page.elements.get(tag) != plain.elements.get(tag)]
    for table, row, expected in (("table-iterations", 0, ["0", "-0.000005", "999", "0.000000"]),
                                 ("table-faults", 0, [HOSTILE, HOSTILE, "1,234.567890", "-", "not detected"]),
                                 ("settings", 0, [HOSTILE, HOSTILE])):
        if page.get(table)[row] != expected:
            wrong.append(f"{table}: {page.get(table)[row]}, not {expected}")
    network, following = page.get("table-networks")[0], page.get("table-following")[0]
    if (network[6], network[8], network[10], following[1]) != ("37,299.00", "0.0", "0.00012346", "1,023 B"):
        wrong.append(f"numbers: {network}, {following}")
    if len(page.get("table-iterations")) != data["limits"]["rows"]:
        wrong.append(f"{len(page.get('table-iterations'))} rows")
    if not page.get("table-recoveries")[0][-1].endswith(" and 2 other ranks"):
        wrong.append(f"moves: {page.get('table-recoveries')[0]}")
    if page.texts["sentence"] != data["sentence"].replace("\x01", "?"):
        wrong.append(f"sentence: {page.texts['sentence']}")
    for part in ("3 of 203 rows are left out", "1 of 65 recoveries are left out", "1,234,567", "1.500 MiB"):
        if part not in page.text:
            wrong.append(f"nowhere on the page: {part}")
    return wrong


def check_verdict(program, chromium, folder):
    """@return what is wrong with the page of photonic-rails-compare."""
    program = program.with_name("photonic-rails-compare")
    flags = [flag for flag in JOB if flag != "--quiet"]
    subprocess.run([program, *flags, "--networks=leaf-spine,on-demand,provisioned", "--json=verdict.json",
                    "--report=verdict.html"], cwd=folder, capture_output=True, timeout=300, check=True)
    text = (folder / "verdict.html").read_text()
    verdict = json.loads((folder / "verdict.json").read_text())
    wrong = [] if read_data(text)["verdict"] == verdict else ["the page has another verdict"]
    wrong += check_alone(Page(text))
    if not chromium:
        return wrong
    page = draw(chromium, folder / "verdict.html")
    wrong += check_alone(page)
    if page.texts["sentence"] != verdict["answer"]:
        wrong.append(f"answer: {page.texts['sentence']}")
    for i, efficiency in enumerate(verdict["efficiencies"]):
        rows = [row for row in verdict["rows"] if row["efficiency"] == efficiency["name"]]
        seen = page.get(f"table-steps-{i}")
        wrong += differ("steps", [number(row[1]) for row in seen], [row["step_s"] for row in rows], 4)
        wrong += differ("costs", [number(row[2].replace("-", "-0" if row[2] == "-" else "-")) for row in seen],
                        [100 * row["over_electrical"] for row in rows], 2)
        parts = page.get(f"table-parts-{i}")
        wrong += differ("sums", [number(row[-1]) for row in parts], [row["step_s"] for row in rows], 4)
        bars = page.charts[f"chart-steps-{i}"]
        wrong += differ("bars", [sum(set["data"][place] for set in bars) for place in range(len(rows))],
                        [row["step_s"] for row in rows], 3)
    found = [row for row in verdict["rows"] if row["break_even"]]
    if len(page.get("table-break-even")) != len(found) or len(page.charts["chart-delays"]) != len(found):
        wrong.append(f"break-even: {page.get('table-break-even')}")
    for row, curve in zip(found, page.charts["chart-delays"]):
        highest = max(one["over_electrical"] for one in row["by_delay"])
        if curve["data"][-1]["y"] < min(20, 100 * highest):
            wrong.append(f"the curve ends below the top: {curve}")
    wrong += differ("watts", [number(row[2]) for row in page.get("table-costs")],
                    [row["watts_per_gpu"] for row in verdict["rows"][:4]], 1)
    return wrong


def check_without_library(program, chromium, folder):
    """@return what is wrong with pages of tables only, and with libraries that are none."""
    done = run(program, ["--report=tables.html", "--reportLibrary=none"], folder)
    wrong = [] if done.stderr.count("\n") == 1 and "no charts" in done.stderr else [f"stderr: {done.stderr}"]
    if chromium:
        page = draw(chromium, folder / "tables.html")
        if "canvas" in page.elements or "no charts" not in page.texts["no-charts"]:
            wrong.append(f"tables only: {page.elements}")
        wrong += [] if page.get("table-iterations") else ["no iterations"]
    (folder / "no-library.js").write_text("alert(1)")
    for name in ("no-library.js", "missing.js"):
        done = subprocess.run([program, *JOB, "--report=x.html", f"--reportLibrary={name}"], cwd=folder,
                              capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 1 or "reportLibrary" not in done.stderr or done.stderr.count("\n") != 1:
            wrong.append(f"{name}: {done.returncode}, {done.stderr}")
    return wrong


def load(chromium, address, width, dark):
    """@return the page after it has been loaded, and what the console says."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        done = subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={profile}",
             f"--blink-settings=preferredColorScheme={0 if dark else 1}", f"--window-size={width + 100},1000",
             "--virtual-time-budget=5000", "--enable-logging=stderr", "--dump-dom", address],
            env={**os.environ, "HOME": profile}, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def probe(page):
    """@return a copy of a page that tells what the browser finds out about it."""
    text = page.read_text()
    probed = page.with_name(f"{page.stem}-probed.html")
    end = text.rindex("</body>")
    probed.write_text(text[:end] + PROBE + text[end + 7:])
    return probed


DRAWN = {}


def draw(chromium, page):
    """@return a page as a browser has made it."""
    if page not in DRAWN:
        has_library = '<script id="library"></script>' not in page.read_text()
        DRAWN[page], console = load(chromium, (probe(page) if has_library else page).as_uri(), 1200, False)
        if console:
            sys.exit(f"{page.name}: {console}")
    return Page(DRAWN[page])


def browse(chromium, page, width, dark):
    """@return what the page tells of itself in a frame, and what the console says."""
    frame = page.with_name("frame.html")
    frame.write_text(FRAME.replace("PAGE", page.name).replace("WIDTH", str(width)))
    text, console = load(chromium, frame.as_uri(), width, dark)
    attributes = {}

    class Root(html.parser.HTMLParser):
        def handle_starttag(self, tag, attrs):
            if tag == "html":
                attributes.update(attrs)

    Root().feed(text)
    return json.loads(attributes.get("data-found", "{}")), console


def check_browser(chromium, folder):
    """@return what is wrong with the pages in a browser."""
    wrong = []
    pages = [("photonic", 400, False), ("photonic", 1400, True), ("electrical", 1400, False),
             ("faults", 400, True), ("recovery", 400, False), ("recovery", 1400, True),
             ("hostile", 1400, False), ("verdict", 400, False), ("verdict", 1400, True)]
    for name, width, dark in pages:
        found, console = browse(chromium, probe(folder / f"{name}.html"), width, dark)
        root = found.get("attributes", {})
        where = f"{name}, {width} px, {'dark' if dark else 'light'}: "
        wrong += [where + line for line in console]
        charts = len(found.get("charts", {}))
        if root.get("charts") != str(charts) or charts < (5 if name == "verdict" else 6) or "failed" in root:
            wrong.append(f"{where}{charts} charts, {root}")
        if "hostile" in root:
            wrong.append(f"{where}a script of the model's ran")
        if not found:
            continue
        if len(found["ink"]) != charts or min(found["ink"]) < 4:
            wrong.append(f"{where}empty charts: {found['ink']}")
        if found["width"] != width or found["scroll"] > found["client"]:
            wrong.append(f"{where}does not fit: {found}")
        if found["page"] != ("rgb(20, 23, 28)" if dark else "rgb(255, 255, 255)"):
            wrong.append(f"{where}the page is {found['page']}")
        if found["contrast"] < 4.5:
            wrong.append(f"{where}contrast {found['contrast']}")
    return wrong


def main():
    program = pathlib.Path(sys.argv[1]).resolve() / "photonic-rails-training"
    chromium = shutil.which("chromium") if LIBRARY.exists() else None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        failures = [f"{case}: {wrong}" for case, flags in CASES.items()
                    for wrong in check_case(program, chromium, folder, case, flags)]
        failures += check_verdict(program, chromium, folder)
        failures += check_hostile(program, chromium, folder) + check_without_library(program, chromium, folder)
        if chromium:
            failures += check_recovery_mutations(chromium, folder) + check_other_data(chromium, folder)
            failures += check_browser(chromium, folder)
    for failure in failures:
        print(failure)
    if not failures and not chromium:
        print("Chromium or Chart.js is not installed: nothing was drawn")
        return SKIPPED
    return 1 if failures else 0


sys.exit(main())
