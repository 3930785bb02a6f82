#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A fabric from a file gives the same results as the fabric of the module that it describes, can be compared
with other fabrics, and is drawn as the pages show it.

usage: fabric-file-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

REPO = pathlib.Path(__file__).resolve().parents[2]
DRAW = REPO / "examples/photonic-rails-fabric-drawing.py"
DOMAINS, GPUS = 4, 2


def make_rails():
    """@return a switch for each rail, as --fabric=electrical"""
    return {"domains": DOMAINS, "gpusPerDomain": GPUS, "nicPorts": 2, "switches": ["rail 0", "rail 1"],
            "nics": [{"switch": f"rail {rail}", "gpus": list(range(rail, DOMAINS * GPUS, GPUS))}
                     for rail in range(GPUS)]}


def make_tree():
    """@return one switch for all, as --fabric=fat-tree of so few GPUs"""
    return {"domains": DOMAINS, "gpusPerDomain": GPUS, "nicPorts": 2, "switches": ["all"],
            "nics": [{"switch": "all", "gpus": list(range(DOMAINS * GPUS))}]}


def make_circuits(delay=None):
    """@return a circuit switch for each rail, with ports in another order than that of --fabric=photonic

    @param delay of the fibers of even domains; those of odd ones are so long that a circuit between both has the
    delay of two fibers of 500 ns"""
    nics = []
    for rail in range(GPUS):
        for domain in range(DOMAINS):
            nics.append({"switch": f"ocs {rail}", "gpus": [domain * GPUS + rail],
                         "circuitPorts": [40 - 3 * domain + rail, domain + rail]})
            if delay is not None:
                nics[-1]["delay_ns"] = delay if domain % 2 == 0 else 1000 - delay
    return {"domains": DOMAINS, "gpusPerDomain": GPUS, "nicPorts": 2,
            "circuitSwitches": [f"ocs {rail}" for rail in range(GPUS)], "nics": nics}


def run_collectives(program, folder, fabric):
    """@return the times of an AllReduce of some sizes on a fabric"""
    file = pathlib.Path(folder) / "result.json"
    subprocess.run([program, f"--fabric={fabric}", f"--domains={DOMAINS}", f"--gpusPerDomain={GPUS}",
                    "--group=rail", "--maxBytes=1M", "--fiberDelay=500ns", f"--json={file}"], check=True, stdout=subprocess.DEVNULL, timeout=300)
    result = json.loads(file.read_text(encoding="utf-8"))
    return [[value for key, value in sorted(row.items()) if key.endswith("_s") and "cpu" not in key]
            for row in result["rows"]]


def check_long_links(program, folder):
    """Queue pairs wait for acknowledgements as long as the links of the file demand, here longer than their least
    time-out: nothing is sent again."""
    length = 45  # switches of a rail in a chain, with 1 ms from each to the next
    fabric = make_rails()
    fabric["switches"] = [f"rail {rail} {place}" for rail in range(GPUS) for place in range(length)]
    fabric["nics"] = [{"switch": f"rail {rail} {domain % 2 * (length - 1)}", "gpus": [domain * GPUS + rail]}
                      for rail in range(GPUS) for domain in range(DOMAINS)]
    fabric["links"] = [{"switches": [f"rail {rail} {place}", f"rail {rail} {place + 1}"], "rate_gbps": 400,
                        "delay_ns": 1e6} for rail in range(GPUS) for place in range(length - 1)]
    file = pathlib.Path(folder) / "long.json"
    file.write_text(json.dumps(fabric), encoding="utf-8")
    result = pathlib.Path(folder) / "result.json"
    subprocess.run([program, f"--fabric={file}", "--model=debugmodel", "--seqLen=256", f"--tp={GPUS}",
                    f"--fsdp={DOMAINS}", "--pp=1", f"--gpusPerDomain={GPUS}", "--iterations=1", "--quiet",
                    f"--json={result}"], check=True, stdout=subprocess.DEVNULL, timeout=300)
    run = json.loads(result.read_text(encoding="utf-8"))
    if run["iterations"][0]["time_s"] < 1 or run["bytes_posted"] == 0 or run["retransmissions"] != 0:
        sys.exit(f"links of 1 ms: {run['iterations']}, {run['bytes_posted']} bytes, {run['retransmissions']} repeats")


def check_broken_ports(program, folder):
    """Faults are of the ports that the file names, whether they are given or drawn."""
    content = make_circuits()
    file = pathlib.Path(folder) / "broken.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    ports = {f"{rail}/{port}" for rail in range(GPUS) for nic in content["nics"]
             if nic["switch"] == f"ocs {rail}" for port in nic["circuitPorts"]}
    result = pathlib.Path(folder) / "result.json"
    subprocess.run([program, f"--fabric={file}", "--model=debugmodel", "--seqLen=256", f"--tp={GPUS}",
                    f"--fsdp={DOMAINS}", "--pp=1", f"--gpusPerDomain={GPUS}", "--iterations=1", "--quiet",
                    "--fault=ocs-port:0/40@1ms+1ms", "--faultRate=ocs-port:50@20ms+1ms", f"--json={result}"],
                   check=True, stdout=subprocess.DEVNULL, timeout=300)
    broken = {fault["target"] for fault in json.loads(result.read_text(encoding="utf-8"))["faults"]}
    if "0/40" not in broken or len(broken) < 3 or not broken <= ports:
        sys.exit(f"ports {broken} broke, the file has {ports}")


def check_drawing(fabric, folder):
    """A drawing has a box for each switch and a line for each entry of links."""
    drawing = pathlib.Path(folder) / "drawing.svg"
    subprocess.run([sys.executable, DRAW, fabric, drawing], check=True, timeout=60)
    content = json.loads(pathlib.Path(fabric).read_text(encoding="utf-8"))
    root = xml.etree.ElementTree.parse(drawing).getroot()
    switches = content.get("switches") or content["circuitSwitches"]
    for tag, count in ("rect", len(switches)), ("line", len(content.get("links", []))):
        found = len(root.findall(f"{{http://www.w3.org/2000/svg}}{tag}"))
        if found != count:
            sys.exit(f"{fabric}: {found} elements {tag}, not {count}")
    return drawing.read_text(encoding="utf-8")


def main():
    examples = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("photonic", make_circuits()), ("photonic", make_circuits(120)),
                              ("electrical", make_rails()), ("fat-tree", make_tree())):
            file = pathlib.Path(folder) / f"{name}.json"
            file.write_text(json.dumps(content), encoding="utf-8")
            times = [run_collectives(examples / "photonic-rails-collectives", folder, fabric)
                     for fabric in (name, file)]
            if not times[0] or times[0] != times[1]:
                sys.exit(f"{name} by name and from a file: {times}")
            check_drawing(file, folder)
        check_broken_ports(examples / "photonic-rails-training", folder)
        check_long_links(examples / "photonic-rails-training", folder)
        compared = subprocess.run([examples / "photonic-rails-fabric-comparison", f"--domains={DOMAINS}",
                                   f"--gpusPerDomain={GPUS}", "--bytes=64K", f"--fabrics=electrical,{file}"],
                                  check=True, capture_output=True, text=True, timeout=300).stdout
        if str(file) not in compared:
            sys.exit(f"the comparison has no row of {file}:\n{compared}")
        page = REPO / "doc/figures/fabric"
        if check_drawing(f"{page}.json", folder) != page.with_suffix(".svg").read_text(encoding="utf-8"):
            sys.exit(f"{page}.svg is not the drawing of {page}.json")
        wrong = subprocess.run([sys.executable, DRAW, "missing.json", "x.svg"], capture_output=True, text=True,
                               check=False, timeout=60)
        if wrong.returncode != 1 or wrong.stderr.count("\n") != 1:
            sys.exit(f"a missing file: {wrong.stderr}")


if __name__ == "__main__":
    main()
