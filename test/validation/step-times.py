#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Times of steps that were published or recorded, beside those that the module predicts.

usage: step-times.py PROGRAM [RECORDED.json ...]

PROGRAM is photonic-rails-training. The published steps are in published-steps.json beside this file,
each with its source and the flags of its job. A row "fit" is one from which the default efficiency
of its GPU and framework was taken (KernelEfficiency); a row "shown" is not, and only these count in
the sums. Each is predicted with the defaults, and with the one efficiency that makes the steps of
the rows "fit" of its GPU and framework as long as published, in the mean.

RECORDED.json has rows of training jobs in the form that recorded-volumes.py describes. Each is
predicted with the defaults, and with the efficiency, goodput and launch time that
photonic-rails-calibrate, which stands beside PROGRAM, finds for the other rows of the file.

For each row: predicted and published step in s, the difference, and whether the published step is in
the interval that the program prints. Exit code 1 if a row cannot be run."""
import importlib.util
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
NETWORK = ["--fabric=electrical", "--iterations=2"]


def load_volumes():
    """recorded-volumes.py, which knows the fields of recorded rows."""
    spec = importlib.util.spec_from_file_location("recorded_volumes", HERE / "recorded-volumes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def predict(program, flags):
    """The step in s, and its interval or None; ValueError with the program's line if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "result.json")
        done = subprocess.run([program, *flags, *NETWORK, "--quiet", f"--json={path}"],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ValueError((done.stderr or done.stdout or "no answer").strip().splitlines()[0])
        summary = json.loads(path.read_text())
    interval = (summary["step_least_s"], summary["step_most_s"]) if "step_most_s" in summary else None
    return summary["iterations"][-1]["time_s"], interval


def report(name, use, predicted, interval, published):
    """Print a row. Return its difference and whether its interval holds, or None without one."""
    error = predicted / published - 1
    holds = interval and interval[0] <= published <= interval[1]
    between = f"{interval[0]:7.3f} to {interval[1]:7.3f} {'yes' if holds else 'no '}" if interval else ""
    print(f"{name:50} {use:8} {predicted:8.3f} {published:8.3f} {100 * error:+7.1f} %  {between}", flush=True)
    return error, holds


def summarize(title, results):
    """Print what a list of differences and holding intervals comes to."""
    errors = [abs(error) for error, _ in results]
    held = [holds for _, holds in results if holds is not None]
    print(f"{title}: {len(errors)} rows, mean {100 * statistics.mean(errors):.1f} %, worst "
          f"{100 * max(errors):.1f} %, within 15 %: {sum(error <= 0.15 for error in errors)}"
          + (f", in the interval: {sum(held)} of {len(held)}" if held else "") + "\n")


def get_flag(flags, name):
    """The value of a flag."""
    return next((flag.split("=", 1)[1] for flag in flags if flag.startswith(f"--{name}=")), "")


def expand(flags, models):
    """The flags, with the names of own models replaced by their descriptions."""
    name = get_flag(flags, "model")
    return [flag if flag != f"--model={name}" or name not in models else f"--model={json.dumps(models[name])}"
            for flag in flags]


def fit_efficiency(program, rows):
    """The efficiency with which the mean of predicted over published is 1, by bisection."""
    low, high = 0.1, 1
    for _ in range(7):
        share = (low + high) / 2
        ratio = statistics.mean(predict(program, [*flags, f"--computeEfficiency={share:.4f}"])[0] / step
                                for flags, step in rows)
        low, high = (share, high) if ratio > 1 else (low, share)
    return (low + high) / 2


def show_published(program):
    """The published steps."""
    data = json.loads((HERE / "published-steps.json").read_text())
    rows = [(row, expand(row["flags"], data["models"])) for row in data["rows"]]
    print(f"{'published steps, defaults':50} {'use':8} {'predicted':>8} {'published'} {'':9}  interval holds")
    results = [(report(row["job"], row["use"], *predict(program, flags), row["step_s"]), row["use"])
               for row, flags in rows]
    summarize("shown", [result for result, use in results if use == "shown"])
    groups = {}
    for row, flags in rows:
        groups.setdefault((get_flag(flags, "framework"), get_flag(flags, "gpu")), []).append((row, flags))
    errors = []
    print("one efficiency fitted on the rows \"fit\"")
    for (framework, gpu), group in groups.items():
        share = fit_efficiency(program, [(flags, row["step_s"]) for row, flags in group if row["use"] == "fit"])
        print(f"{framework} on {gpu}: {share:.3f}")
        for row, flags in group:
            if row["use"] == "shown":
                step, _ = predict(program, [*flags, f"--computeEfficiency={share:.4f}"])
                errors.append(report(row["job"], row["use"], step, None, row["step_s"]))
    summarize("shown", errors)


def show_recorded(program, path, volumes):
    """Recorded steps of a file."""
    rows = [row for row in volumes.read_rows(path) if "avg_step_time" in row.get("measured", {})]
    jobs = [(row["workload_name"], volumes.make_flags(row, volumes.documented(row)),
             row["measured"]["avg_step_time"]) for row in rows]
    print(f"{pathlib.Path(path).name}, defaults")
    summarize("recorded", [report(name, "shown", *predict(program, flags), step)
                           for name, flags, step in jobs])
    print("efficiency, goodput and launch time found on the other rows")
    results = []
    for index, (name, flags, step) in enumerate(jobs):
        others = [{"flags": [*own, *NETWORK], "step_s": measured}
                  for other, (_, own, measured) in enumerate(jobs) if other != index]
        found = calibrate(program, others)
        results.append(report(name, "shown", predict(program, [*flags, *found])[0], None, step))
        print(f"    {' '.join(found)}")
    summarize("recorded", results)


def calibrate(program, steps):
    """The flags that photonic-rails-calibrate prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "steps.json")
        path.write_text(json.dumps({"steps": steps}))
        done = subprocess.run([pathlib.Path(program).with_name("photonic-rails-calibrate"), f"--steps={path}"],
                              capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip().splitlines()[-1])
    return done.stdout.strip().splitlines()[-1].split()[1:]


def main():
    """Show all rows."""
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    program = str(pathlib.Path(sys.argv[1]).resolve())
    try:
        show_published(program)
        for path in sys.argv[2:]:
            show_recorded(program, path, load_volumes())
    except (ValueError, OSError) as error:
        sys.exit(f"step-times.py: {error}")


if __name__ == "__main__":
    main()
