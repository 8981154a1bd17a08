#!/usr/bin/env python3
"""Puts planted faults into a copy of the sources, one at a time, and runs the tests that should find them.

    Scripts/planted-faults.py [--filter TEXT]... [--list] [--minutes N] [--folder .build-faults | --in-place]
        [--report FILE] [--restart]

The faults are in `Tests/PlantedFaults`, a file for each component. An entry:

    fault: a savepoint that is rolled back keeps its recorded changes
    file: Sources/TidemarkEssentials/ChangeCapture/ChangeLog.swift
    tests: (ChangeLogTests|CaptureOracleTests)/
    -    entries.removeSubrange(mark...)
    +    _ = entries[mark...]

The lines after `-` must occur exactly once in the file. The lines after `+` take their place.

For each fault, the copy is built and the tests run. A fault is found if a test fails, crashes or hangs. Once a test has
failed, the others have some seconds to end. `--filter` selects faults by texts in their descriptions or files.

`--in-place` plants the faults into the sources themselves, and uses their build folder, which may be up to date. Each
file is restored after its fault, also when the script is interrupted. Do not edit the sources while it runs. The script
refuses to begin if `Sources` has changes that are not committed.

A fault counts only if the suite of the first failed test passes without a fault; after a crash or a hang, which may
hide the test, all suites of the filter. After every few found faults, and at the end, the suites that have not passed
yet run without a fault: together, then one by one if that fails. So each of them runs once, and suites that found
nothing never do.

The results are written after each fault and each check of suites, and a run that was interrupted goes on. It keeps the
passed suites and the found faults, and tries the other faults again, last. A fault is tried again after a change of its
entry, or of its source file since the commit in its result; `--restart` tries all. A suite that has passed once does
not run again without a fault: every change must pass all suites.

All products are built. Building the test runner alone takes nearly as long, and tests that start the programs of the
package would start programs without the fault.

Exits with 1 if a fault was not found, or could not be built, or if suites do not pass without a fault.
"""

import argparse
import hashlib
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

FAULTS = Path("Tests/PlantedFaults")
# In seconds: how long tests may take, how long they may write nothing before they hang, and how long they go on after
# one has failed.
TIME_LIMIT = 1800
SILENCE_LIMIT = 100
REST_LIMIT = 5
# For a condition that a test waits for.
PATIENCE = 30
# The number of found faults after which their suites run without a fault.
CHECKED_AT_ONCE = 10
RESULTS = "faults.json"


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

    @property
    def digest(self):
        """Differs after a change of the entry."""
        text = "\0".join([str(self.file), self.tests, self.original, self.replacement])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def suites(self):
        """A filter for each suite: `(A|B)/` names `A/` and `B/`."""
        match = re.fullmatch(r"\(([^()]*)\)/", self.tests)
        return [name + "/" for name in match.group(1).split("|")] if match else [self.tests]

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


def copy_sources(folder):
    """Makes the folder a copy of the files of the repository, except for its build folders."""
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


class Checkout:
    """A folder with the sources, and its build folder."""

    def __init__(self, folder):
        self.folder = folder
        self.log = folder / ".build" / "fault.log"
        self.log.parent.mkdir(exist_ok=True)

    def build(self):
        with open(self.log, "w") as output:
            return subprocess.run(
                ["swift", "build", "--build-tests"], cwd=self.folder, stdout=output, stderr=subprocess.STDOUT
            ).returncode == 0

    def test(self, pattern):
        """How the tests end: `passed`, `failed`, `crashed`, `hangs` or `no test`."""
        environment = dict(os.environ, SWIFT_BACKTRACE="enable=no")
        environment.setdefault("TIDEMARK_PATIENCE", str(PATIENCE))
        self.log.write_text("")
        # To a file or a pipe, `swift test` would write late, in blocks.
        terminal, output = pty.openpty()
        process = subprocess.Popen(
            ["swift", "test", "--skip-build", "--no-parallel", "--filter", pattern], cwd=self.folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        os.close(output)
        copying = threading.Thread(target=copy_output, args=(terminal, self.log), daemon=True)
        copying.start()
        try:
            status = self.wait(process)
        finally:
            kill_tree(process)
        copying.join(timeout=10)
        text = self.log_text()
        if status is None:
            return "failed" if first_finder(text) else "hangs"
        if not re.search(r"^◇ Test run started", text, re.M) or re.search(r"Test run with 0 tests", text):
            return "no test"
        if status == 0:
            return "passed"
        return "failed" if re.search(r"Test run with .* failed", text) else "crashed"

    def wait(self, process):
        """The status of the process, or `None` if it takes too long."""
        now = time.monotonic()
        limit, silence_limit, text = now + TIME_LIMIT, now + SILENCE_LIMIT, ""
        while now < min(limit, silence_limit):
            try:
                return process.wait(timeout=1)
            except subprocess.TimeoutExpired:
                now = time.monotonic()
            if text != (text := self.log_text()):
                silence_limit = now + SILENCE_LIMIT
                if first_finder(text):
                    limit = min(limit, now + REST_LIMIT)
        return None

    def log_text(self):
        """The output, without the colors of the terminal."""
        return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", self.log.read_text(errors="replace"))


def copy_output(terminal, log):
    """Copies the output of a process to a file, until all processes have closed the terminal."""
    with open(log, "wb", buffering=0) as file:
        try:
            while data := os.read(terminal, 65536):
                file.write(data)
        except OSError:
            # Linux reports the end as an error.
            pass
    os.close(terminal)


def kill_tree(process):
    """Kills a process that has not ended, and the processes that it has started, also those in other groups."""
    if process.poll() is not None:
        return
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True).stdout
    parents = dict(map(int, line.split()) for line in listed.splitlines())
    tree = {process.pid}
    while added := {pid for pid, parent in parents.items() if parent in tree} - tree:
        tree |= added
    for pid in tree:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()


def first_finder(text):
    """The first test that has recorded an issue."""
    match = re.search(r"^✘ Test (.*?) recorded an issue", text, re.M)
    return match.group(1)[:120] if match else None


def finding_suite(text):
    """The filter for the suite of the first test that has recorded an issue: the suites run one after the other."""
    match = re.search(r"^✘ Test .* recorded an issue", text, re.M)
    suites = re.findall(r"^◇ Suite (\w+) started", text[:match.start()], re.M) if match else []
    return suites[-1] + "/" if suites else None


class Results:
    """What is known about the faults and suites, in a file."""

    def __init__(self, path, restart):
        """Goes on with the results at `path`, or with those of the repository."""
        self.path = path
        self.commit = subprocess.run(
            ["git", "log", "-1", "--format=%H", "--", "Sources"], capture_output=True, text=True).stdout.strip()
        self.content = {"faults": {}, "suites": {}}
        known = next((file for file in (path, FAULTS / "results.json") if file.exists()), None)
        if known and not restart:
            self.content = json.loads(known.read_text())
        self.faults, self.suites = self.content["faults"], self.content["suites"]
        for name in [name for name, result in self.faults.items() if self.is_outdated(result)]:
            del self.faults[name]

    def is_outdated(self, result):
        """Whether the source file has changed since the fault was tried, or the commit is unknown."""
        command = ["git", "diff", "--quiet", result.get("commit", ""), "HEAD", "--", result["file"]]
        return subprocess.run(command, stderr=subprocess.DEVNULL).returncode != 0

    def save(self):
        temporary = self.path.with_suffix(".new")
        temporary.write_text(json.dumps(self.content, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
        os.replace(temporary, self.path)

    def of(self, fault):
        """The result of the fault, unless its entry has changed since."""
        result = self.faults.get(fault.name)
        return result if result and result["digest"] == fault.digest else None

    def is_found(self, fault):
        result = self.of(fault)
        return result is not None and result["outcome"] in ("failed", "crashed", "hangs")

    def finding_suites(self, fault):
        """The suites that have found a fault, or may have found it."""
        suite = self.faults[fault.name].get("suite")
        return [suite] if suite else fault.suites

    def is_confirmed(self, fault):
        """It is found, and the suites that have found it pass without it."""
        return self.is_found(fault) and all(self.suites.get(suite) == "passed" for suite in self.finding_suites(fault))

    def unchecked_suites(self, faults):
        suites = {suite for fault in faults if self.is_found(fault) for suite in self.finding_suites(fault)}
        return sorted(suite for suite in suites if self.suites.get(suite) != "passed")


class Run:
    def __init__(self, checkout, results, faults):
        self.checkout, self.results, self.faults = checkout, results, faults
        self.begin = time.monotonic()

    def report(self, text):
        seconds = int(time.monotonic() - self.begin)
        print(f"{seconds // 60:3}:{seconds % 60:02} {text}", flush=True)

    def build_without_fault(self):
        if not self.checkout.build():
            print(self.checkout.log_text())
            sys.exit("planted-faults: the tests cannot be built; the compiler's output is above")

    def try_fault(self, fault):
        source = self.checkout.folder / fault.file
        text = source.read_text()
        begin = time.monotonic()
        try:
            source.write_text(fault.planted(text))
            is_built = self.checkout.build()
            built = time.monotonic()
            outcome = self.checkout.test(fault.tests) if is_built else "not built"
        finally:
            source.write_text(text)
        result = {
            "commit": self.results.commit, "digest": fault.digest, "file": str(fault.file), "outcome": outcome
        }
        self.results.faults[fault.name] = result
        is_found = self.results.is_found(fault)
        if is_found:
            text = self.checkout.log_text()
            found_by = {"test": first_finder(text), "suite": finding_suite(text)}
            result.update({key: value for key, value in found_by.items() if value})
        self.results.save()
        word = f"found ({outcome})" if is_found else f"NOT FOUND ({outcome})"
        times = f"built in {built - begin:.0f} s, tested in {time.monotonic() - built:.0f} s"
        self.report(f"{word}: {fault.name}; {times}")

    def check_suites(self):
        """Runs the suites that have found faults without a fault."""
        suites = self.results.unchecked_suites(self.faults)
        if not suites:
            return
        self.build_without_fault()
        self.report(f"running {len(suites)} suites without a fault")
        if self.checkout.test(f"({'|'.join(suite.removesuffix('/') for suite in suites)})/") == "passed":
            outcomes = dict.fromkeys(suites, "passed")
        else:
            outcomes = {suite: self.checkout.test(suite) for suite in suites}
        self.results.suites.update(outcomes)
        self.results.save()
        for suite, outcome in outcomes.items():
            if outcome != "passed":
                self.report(f"NOT PASSED without a fault ({outcome}): {suite}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", action="append", help="can be repeated")
    parser.add_argument("--list", action="store_true", help="check the entries and list them")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--folder", type=Path, default=Path(".build-faults"))
    parser.add_argument("--in-place", action="store_true", help="plant the faults into the sources themselves")
    parser.add_argument("--report", type=Path, help="a copy of the results for the repository")
    parser.add_argument("--restart", action="store_true")
    arguments = parser.parse_args()
    filters = arguments.filter or [""]
    faults = [
        fault for fault in all_faults()
        if any(text in f"{fault.name} {fault.file} {fault.place}" for text in filters)
    ]
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

    # `finally` restores the source. The parent process may block these signals.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGHUP})
    if arguments.in_place:
        if subprocess.run(["git", "diff", "--quiet", "HEAD", "--", "Sources"]).returncode != 0:
            sys.exit("planted-faults: Sources has changes: commit or remove them before faults are planted in place")
        checkout = Checkout(Path.cwd())
    else:
        copy_sources(arguments.folder.resolve())
        checkout = Checkout(arguments.folder.resolve())
    results = Results(checkout.folder / ".build" / RESULTS, arguments.restart)
    run = Run(checkout, results, faults)
    run.report("building the tests without a fault")
    run.build_without_fault()
    found_count = 0
    rest = [fault for fault in faults if not results.is_found(fault)]
    # First the faults that were not tried.
    for fault in sorted(rest, key=lambda fault: results.of(fault) is not None):
        if time.monotonic() - run.begin > arguments.minutes * 60:
            run.report("the time is over; the same command goes on")
            break
        run.try_fault(fault)
        found_count += results.is_found(fault)
        if found_count == CHECKED_AT_ONCE:
            run.check_suites()
            found_count = 0
    run.check_suites()

    for name in set(results.faults) - {fault.name for fault in all_faults()}:
        del results.faults[name]
    results.save()
    if arguments.report:
        arguments.report.write_text(results.path.read_text())
    tried = sum(results.of(fault) is not None for fault in faults)
    confirmed = sum(map(results.is_confirmed, faults))
    print(f"planted-faults: {confirmed} of {tried} faults were found; {len(faults) - tried} were not tried")
    sys.exit(0 if confirmed == tried else 1)


if __name__ == "__main__":
    main()
