#!/usr/bin/env python3
"""Puts planted faults into a copy of the sources, one at a time, and runs the tests that should find them.

    Scripts/planted-faults.py [--filter TEXT] [--list] [--minutes N] [--folder .build-faults] [--report FILE] [--restart]

The faults are in `Tests/PlantedFaults`, a file for each component. An entry:

    fault: a savepoint that is rolled back keeps its recorded changes
    file: Sources/TidemarkEssentials/ChangeCapture/ChangeLog.swift
    tests: (ChangeLogTests|CaptureOracleTests)/
    -    entries.removeSubrange(mark...)
    +    _ = entries[mark...]

The lines after `-` must occur exactly once in the file. The lines after `+` take their place.

For each fault, the copy is built and the tests run. A fault is found if a test fails, crashes or hangs. First the tests
run without any fault: they must pass. The results are written after each fault, with the commit, and a run that was
interrupted goes on. `--filter` selects faults by a text in their description or file.

Exits with 1 if a fault was not found, or could not be built.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

FAULTS = Path("Tests/PlantedFaults")
TIME_LIMIT = 600


class Fault:
    def __init__(self, path, number, lines):
        self.place = f"{path}:{number}"
        self.name = self.file = self.tests = None
        original, replacement = [], []
        for line in lines:
            if line.startswith("fault: "):
                self.name = line[len("fault: "):]
            elif line.startswith("file: "):
                self.file = Path(line[len("file: "):])
            elif line.startswith("tests: "):
                self.tests = line[len("tests: "):]
            elif line.startswith("-"):
                original.append(line[1:] + "\n")
            elif line.startswith("+"):
                replacement.append(line[1:] + "\n")
            else:
                sys.exit(f"{self.place}: a line begins with none of fault:, file:, tests:, - and +: {line}")
        self.original, self.replacement = "".join(original), "".join(replacement)
        if not (self.name and self.file and self.tests and original):
            sys.exit(f"{self.place}: an entry takes fault:, file:, tests: and at least one line that begins with -")

    def planted(self, text):
        """The text of the file with the fault."""
        # At the beginning of a line.
        count = ("\n" + text).count("\n" + self.original)
        if count != 1:
            sys.exit(f"{self.place}: the original lines occur {count} times in {self.file}")
        return ("\n" + text).replace("\n" + self.original, "\n" + self.replacement)[1:]


def all_faults():
    faults = []
    for path in sorted(FAULTS.glob("*.faults")):
        entry, first = [], 0
        for number, line in enumerate(path.read_text().split("\n") + [""], 1):
            if line.strip():
                if not entry:
                    first = number
                entry.append(line)
            elif entry:
                faults.append(Fault(path, first, entry))
                entry = []
    names = [fault.name for fault in faults]
    for name in names:
        if names.count(name) > 1:
            sys.exit(f"two faults have the description: {name}")
    return faults


def check_suites(faults):
    """Each filter names at least one suite, and none that does not exist."""
    suites = set()
    for path in Path("Tests").rglob("*.swift"):
        suites.update(re.findall(r"(?:struct|class|enum|extension) (\w+Tests)\b", path.read_text()))
    for fault in faults:
        # The name of a target also ends with Tests, before a dot.
        names = re.findall(r"(\w+Tests)\b(?!\\?\.|\[\.\])", fault.tests)
        for name in names:
            if name not in suites:
                sys.exit(f"{fault.place}: there is no suite {name}")
        if not names:
            sys.exit(f"{fault.place}: the filter names no suite: {fault.tests}")


class Copy:
    """A copy of the sources, with a build folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=True)
        names = {name for name in listed.stdout.decode().split("\0") if name and Path(name).is_file()}
        for name in names:
            target = folder / name
            # A file that has not changed keeps its time, so that it is not compiled again.
            if target.is_file() and target.read_bytes() == Path(name).read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, target)
        for root, folders, files in os.walk(folder):
            folders[:] = [name for name in folders if not name.startswith((".build", ".git"))]
            for name in files:
                path = Path(root) / name
                if str(path.relative_to(folder)) not in names:
                    path.unlink()

    def build(self, log):
        with open(log, "w") as output:
            return subprocess.run(
                ["swift", "build", "--build-tests"], cwd=self.folder, stdout=output, stderr=subprocess.STDOUT
            ).returncode

    def test(self, pattern, log):
        """How the tests end: `passed`, `failed`, `crashed`, `hangs` or `no test`."""
        with open(log, "w") as output:
            process = subprocess.Popen(
                ["swift", "test", "--skip-build", "--no-parallel", "--filter", pattern], cwd=self.folder,
                env=dict(os.environ, SWIFT_BACKTRACE="enable=no"), stdout=output, stderr=subprocess.STDOUT,
                start_new_session=True)
            try:
                status = process.wait(timeout=TIME_LIMIT)
            except BaseException as error:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                if isinstance(error, subprocess.TimeoutExpired):
                    return "hangs"
                raise
        text = Path(log).read_text(errors="replace")
        if not re.search(r"^◇ Test run started", text, re.M) or re.search(r"Test run with 0 tests", text):
            return "no test"
        if status == 0:
            return "passed"
        return "failed" if re.search(r"Test run with .* failed", text) else "crashed"


def first_finder(log):
    """The first test that has found a fault."""
    for line in Path(log).read_text(errors="replace").splitlines():
        match = re.match(r"^✘ Test (.*?) recorded an issue", line)
        if match:
            return match.group(1)[:120]
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="")
    parser.add_argument("--list", action="store_true", help="check the entries and list them")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--folder", type=Path, default=Path(".build-faults"))
    parser.add_argument("--report", type=Path, help="a copy of the results for the repository")
    parser.add_argument("--restart", action="store_true")
    arguments = parser.parse_args()
    faults = [fault for fault in all_faults() if arguments.filter in f"{fault.name} {fault.file} {fault.place}"]
    for fault in faults:
        fault.planted(fault.file.read_text())
    check_suites(faults)
    if arguments.list:
        for fault in faults:
            print(f"{fault.file}: {fault.name}")
        print(f"planted-faults: {len(faults)} faults")
        return
    if not faults:
        sys.exit("planted-faults: no fault is selected")

    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    copy = Copy(arguments.folder.resolve())
    results_path = copy.folder / ".build" / "faults.json"
    results = {"commit": commit, "faults": {}}
    if results_path.exists() and not arguments.restart:
        old = json.loads(results_path.read_text())
        if old["commit"] == commit:
            results = old
    log = copy.folder / ".build" / "fault.log"
    log.parent.mkdir(exist_ok=True)
    print("planted-faults: building the tests without a fault", flush=True)
    if copy.build(log) != 0:
        print(log.read_text())
        sys.exit("planted-faults: the tests cannot be built; the compiler's output is above")
    begin = time.monotonic()

    def save():
        temporary = results_path.with_suffix(".new")
        temporary.write_text(json.dumps(results, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
        os.replace(temporary, results_path)

    rest = [fault for fault in faults if fault.name not in results["faults"]]
    for tests in sorted({fault.tests for fault in rest}):
        outcome = copy.test(tests, log)
        if outcome != "passed":
            print(log.read_text(errors="replace")[-4000:])
            sys.exit(f"planted-faults: without a fault, the tests {tests} do not pass: {outcome}")
    for fault in rest:
        if time.monotonic() - begin > arguments.minutes * 60:
            print("planted-faults: the time is over; the same command goes on")
            break
        source = copy.folder / fault.file
        text = source.read_text()
        source.write_text(fault.planted(text))
        try:
            if copy.build(log) == 0:
                outcome = copy.test(fault.tests, log)
            else:
                outcome = "not built"
        finally:
            source.write_text(text)
        is_found = outcome in ("failed", "crashed", "hangs")
        results["faults"][fault.name] = {"file": str(fault.file), "outcome": outcome, "found": is_found}
        if is_found and (finder := first_finder(log)):
            results["faults"][fault.name]["test"] = finder
        save()
        word = "found" if is_found else f"NOT FOUND ({outcome})"
        print(f"{word}: {fault.name}", flush=True)

    done = [results["faults"][fault.name] for fault in faults if fault.name in results["faults"]]
    found = sum(entry["found"] for entry in done)
    save()
    if arguments.report:
        arguments.report.write_text(results_path.read_text())
    print(f"planted-faults: {found} of {len(done)} faults were found; {len(faults) - len(done)} were not tried")
    sys.exit(0 if found == len(done) else 1)


if __name__ == "__main__":
    main()
