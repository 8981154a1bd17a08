#!/usr/bin/env python3
"""Runs the stress tests and oracles at full size for a given time, with new seeds in each run.

    Scripts/stress-long.py [--minutes 480] [--runs N] [--restart] [--folder .build/stress-long] [--report FILE]

Each run is a process of its own: one suite, in a debug or a release build. The suite that has had the least time for
its weight is the next. After each run, the report is written: a JSON file with the commit, the time, and for each suite
the number of runs and failures and the sums of the counters that the tests print (lines that begin with `stress: end`).

A failed run does not end the work. Its log is kept in the folder, and the report names it with its seeds: with
TIDEMARK_SEED and TIDEMARK_STRESS=1, the same tests run again.

The work can be interrupted, by Ctrl-C or by the end of the machine, and started again: it goes on if the commit is the
same, until the sum of all runs is the given time. `--restart` begins anew.

Exits with 1 if a run has failed since the beginning of the report.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

RELEASE_FLAGS = ["-c", "release", "--scratch-path", ".build-release", "-Xswiftc", "-enable-testing"]

# The name of a suite, the builds in which it runs, a filter of tests, and its share of the time.
SUITES = [
    ("shapes", ("debug", "release"), r"StressTests\.ShapeTests", 4),
    ("wakes", ("debug", "release"), r"StressTests\.(Wake|DeliveredValue)", 3),
    ("regions", ("debug", "release"), r"TidemarkTests\..*Region.*(Oracle|Random)", 1),
    ("capture", ("debug", "release"), r"StressTests\.(Capture|SchemaChange)", 2),
    ("changesets", ("debug", "release"), r"StressTests\.(ChangesetOracle|HistoryOracle|ChangeReplay)", 2),
    ("streams", ("debug", "release"), r"StressTests\.(ChangeStream|ExternalStream|LargeTransaction)", 1),
    ("histories", ("debug", "release"), r"StressTests\.(History|Serializability|ProcessSerializability)", 3),
    ("calls", ("debug", "release"), r"StressTests\.ModelTests", 3),
    ("live queries", ("debug", "release"), r"StressTests\.(LiveQuery|CancellationRace|OtherProcess|Traffic)", 2),
    ("pools", ("debug", "release"), r"StressTests\.(Bank|CancellationStorm|Pools|ChangedPages)", 1),
    ("processes", ("release",), r"StressTests\.ProcessStressTests", 2),
    ("simulation", ("debug",), r"StressTests\.SimulationTests", 2),
    ("faults", ("debug",), r"FaultTests\.", 2),
]

LIMIT = 2 * 3600  # Seconds after which a run hangs.


def commit():
    """The commit of the checkout, and whether its sources have changed since."""
    name = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    # The reports of earlier runs are no sources.
    paths = ["Sources", "Tests", "Package.swift", ":!Tests/StressReport.json", ":!Tests/PlantedFaults/results.json"]
    changes = subprocess.run(["git", "status", "--porcelain", "--", *paths], capture_output=True, text=True).stdout
    return name or "unknown", bool(changes.strip())


class Report:
    """What has run so far, as it is in the file."""

    def __init__(self, path, restart):
        self.path = path
        name, is_changed = commit()
        self.content = None
        if path.exists() and not restart:
            content = json.loads(path.read_text())
            if content["commit"] == name and not content["changed"] and not is_changed:
                self.content = content
        self.is_resumed = self.content is not None
        if not self.is_resumed:
            begun = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            self.content = {
                "commit": name, "changed": is_changed, "begun": begun, "seconds": 0, "suites": {}, "failures": []
            }

    @property
    def seconds(self):
        return self.content["seconds"]

    @property
    def failures(self):
        return self.content["failures"]

    def suite(self, name):
        empty = {"runs": 0, "failed": 0, "seconds": 0, "scenarios": {}}
        return self.content["suites"].setdefault(name, empty)

    def add(self, name, seconds, counters, failure):
        suite = self.suite(name)
        suite["runs"] += 1
        suite["seconds"] = round(suite["seconds"] + seconds, 1)
        self.content["seconds"] = round(self.seconds + seconds, 1)
        for scenario, numbers in counters.items():
            sums = suite["scenarios"].setdefault(scenario, {})
            for counter, number in numbers.items():
                sums[counter] = sums.get(counter, 0) + number
        if failure:
            suite["failed"] += 1
            self.failures.append(failure)
        self.write()

    def write(self):
        """A crash leaves the file as it was before, or as it is after."""
        temporary = self.path.with_suffix(".new")
        temporary.write_text(json.dumps(self.content, indent=1, sort_keys=True) + "\n")
        os.replace(temporary, self.path)


def counters_of(lines):
    """The counters that a run has printed, by scenario, with the number of ends of each scenario."""
    result = {}
    for line in lines:
        if not line.startswith("stress: end "):
            continue
        words = line.split()
        numbers = result.setdefault(words[2], {})
        numbers["ends"] = numbers.get("ends", 0) + 1
        for word in words[3:]:
            name, _, number = word.partition("=")
            if name != "TIDEMARK_SEED" and number.isdigit():
                numbers[name] = numbers.get(name, 0) + int(number)
    return result


def failure_of(name, build, lines, status, log):
    """A description of a failed run: its first issues, and the seeds for which they occurred."""
    pattern = re.compile(r"^(✘ Test .* recorded an issue|Fatal error|.*: Fatal error)")
    # The comment of an issue, which names the seed, is in the next line.
    issues = [lines[index:index + 2] for index, line in enumerate(lines) if pattern.match(line)]
    text = "\n".join(line for issue in issues for line in issue)
    return {
        "suite": name, "build": build, "status": status, "log": str(log),
        "issues": ["\n".join(issue)[:500] for issue in issues[:5]],
        "seeds": sorted(set(re.findall(r"TIDEMARK_SEED=(\d+)", text))),
    }


def build(kinds):
    for kind in sorted(kinds):
        environment = dict(os.environ)
        flags = []
        if kind == "release":
            environment["TIDEMARK_RELEASE_TESTS"] = "1"
            flags = RELEASE_FLAGS
        print(f"stress-long: building the tests ({kind})", flush=True)
        result = subprocess.run(
            ["swift", "build", "--build-tests", *flags], env=environment, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            print(result.stdout)
            sys.exit("stress-long: the tests cannot be built; the compiler's output is above")


def run(name, kind, pattern, log):
    """Runs a suite once, and returns its status and the lines that it has printed."""
    environment = dict(os.environ, TIDEMARK_STRESS="1", SWIFT_BACKTRACE="enable=no")
    flags = []
    if kind == "release":
        environment["TIDEMARK_RELEASE_TESTS"] = "1"
        flags = RELEASE_FLAGS
    with open(log, "w") as output:
        process = subprocess.Popen(
            ["swift", "test", "--skip-build", "--no-parallel", *flags, "--filter", pattern], env=environment,
            stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = process.wait(timeout=LIMIT)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            status = "hangs"
    lines = Path(log).read_text(errors="replace").splitlines()
    # A filter that selects nothing passes.
    if status == 0 and not any(re.search(r"Test run with [1-9]\d* tests?", line) for line in lines):
        status = "no test"
    return status, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=480)
    parser.add_argument("--runs", type=int, help="stop after this number of runs")
    parser.add_argument("--restart", action="store_true")
    parser.add_argument("--folder", type=Path, default=Path(".build/stress-long"))
    parser.add_argument("--report", type=Path, help="a copy of the report for the repository")
    parser.add_argument("--suites", help="the names of suites, separated by commas")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    report = Report(arguments.folder / "report.json", arguments.restart)
    if report.is_resumed:
        print(f"stress-long: goes on after {report.seconds / 60:.0f} minutes")
    names = arguments.suites.split(",") if arguments.suites else [suite[0] for suite in SUITES]
    unknown = set(names) - {suite[0] for suite in SUITES}
    if unknown:
        sys.exit(f"stress-long: there is no suite named {', '.join(sorted(unknown))}")
    entries = [
        (f"{name}, {kind}", kind, pattern, weight)
        for name, kinds, pattern, weight in SUITES if name in names for kind in kinds
    ]
    build({entry[1] for entry in entries})
    count = 0
    try:
        while report.seconds < arguments.minutes * 60 and (arguments.runs is None or count < arguments.runs):
            name, kind, pattern, _ = min(
                entries, key=lambda entry: (report.suite(entry[0])["seconds"] / entry[3], report.suite(entry[0])["runs"]))
            log = arguments.folder / f"{name.replace(', ', '-').replace(' ', '-')}.log"
            begin = time.monotonic()
            status, lines = run(name, kind, pattern, log)
            failure = None
            if status != 0:
                kept = log.with_name(f"failure-{len(report.failures) + 1}-{log.name}")
                os.replace(log, kept)
                failure = failure_of(name, kind, lines, status, kept)
            seconds = time.monotonic() - begin
            report.add(name, seconds, counters_of(lines), failure)
            count += 1
            print(f"stress-long: {name}: {'failed, see ' + failure['log'] if failure else 'passed'}, {seconds:.0f} s",
                  flush=True)
    except KeyboardInterrupt:
        print("stress-long: interrupted; the same command goes on")
    report.write()
    if arguments.report:
        arguments.report.parent.mkdir(parents=True, exist_ok=True)
        arguments.report.write_text((arguments.folder / "report.json").read_text())
    runs = sum(suite["runs"] for suite in report.content["suites"].values())
    print(f"stress-long: {runs} runs in {report.seconds / 60:.0f} minutes, {len(report.failures)} failed; "
          f"the report is {arguments.report or report.path}")
    sys.exit(1 if report.failures else 0)


if __name__ == "__main__":
    main()
