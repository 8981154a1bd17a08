#!/usr/bin/env python3
"""Reports which regions of the library the tests execute, for each module.

    Scripts/coverage.py EXPORT [--root FOLDER] [--list FILE] [--targets FILE] [--module NAME]…
    Scripts/coverage.py --check-list [--root FOLDER] [--list FILE]

EXPORT is the output of `llvm-cov export`. `make coverage` writes it, and runs this script.

A region is a piece of code that runs as a whole: a function, a branch, a closure, or the code after a branch that may
leave. A region of the source counts once. It is covered if any of its instances has run, in any test or in any process
that a test has started.

The first part of the report is a table with a line for each module. A module is a folder of a target in Sources. The
columns are:

- regions: all regions, without the next two columns
- traps: regions that were not reached, and that only end the program: `preconditionFailure`, `fatalError`, or the
  message of a `precondition`. Many of them describe states that a defect alone can cause.
- listed: regions that FILE (Tests/Coverage/unreached.txt) lists, each with the reason why no test can reach it
- covered, and its share of the regions, in percent
- target: the least share, if the module has one in Tests/Coverage/targets.txt

The second part has a line for each region that is neither covered nor listed, of modules with a target, or of the
modules of `--module`. `»` marks its beginning. These lines have the format of the list.

Fails if a module has less than its target, or if the list is out of date: an entry matches no region, or tests reach
all regions that it matches. `--check-list` needs no coverage: it checks that the code of each entry exists.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

MARK = "»"
HERE = pathlib.Path(__file__).resolve().parent.parent

# A declaration, with the name of a function, property or type.
MODIFIERS = (
    "public|package|internal|fileprivate|private|open|static|class|final|override|mutating|nonmutating|nonisolated|"
    "lazy|weak|unowned|convenience|required|indirect|borrowing|consuming|prefix|postfix|infix|dynamic")
DECLARATION = re.compile(
    rf"^\s*(?:@\w+(?:\([^)]*\))?\s+|(?:{MODIFIERS})(?:\(\w+\))?\s+)*"
    r"(?:(?P<kind>func|var|let|struct|class|enum|actor|extension|protocol)\s+(?P<name>`[^`]+`|[\w.]+|[^\w\s(]+)"
    r"|(?P<keyword>init|deinit|subscript)\b)")
TYPES = {"struct", "class", "enum", "actor", "extension", "protocol"}
TRAP = re.compile(
    r"^(?:\{|case\b[^{}]*?:|(?:@unknown\s+)?default:|else\b)?\s*(?:preconditionFailure|fatalError|assertionFailure)\(")
MESSAGE_OF_CHECK = re.compile(
    r"\b(?:(?:precondition|assert)\([^{}]*,|(?:preconditionFailure|fatalError|assertionFailure)\()\s*$")


class Source:
    """The text of a source file, and the places of its regions."""

    def __init__(self, text):
        self.lines = text.splitlines()

    def text(self, start, end):
        """The text between two places: line and column, from 1. Columns count bytes."""
        lines = [line.encode() for line in self.lines[start[0] - 1:end[0]]]
        if not lines:
            return ""
        lines[-1] = lines[-1][:end[1] - 1]
        lines[0] = lines[0][start[1] - 1:]
        return "\n".join(line.decode(errors="replace") for line in lines)

    def code_start(self, start, end):
        """The place of the first code of a region: the region after a branch begins with spaces and comments."""
        line, column = start
        while line <= min(end[0], len(self.lines)):
            rest = self.lines[line - 1].encode()[column - 1:].decode(errors="replace")
            code = rest.lstrip()
            if code and not code.startswith("//"):
                return line, column + len(rest.encode()) - len(code.encode())
            line, column = line + 1, 1
        return start

    def code(self, start):
        """The line of a region, with a mark at its beginning."""
        line = self.lines[start[0] - 1].encode()
        before, after = line[:start[1] - 1].decode(errors="replace"), line[start[1] - 1:].decode(errors="replace")
        return " ".join((before + MARK + after).split())

    def is_trap(self, start, end):
        """Whether a region only ends the program, or is the message of a check that does."""
        text = "\n".join(line for line in self.text(start, end).splitlines() if not line.lstrip().startswith("//"))
        if TRAP.match(text.strip()):
            return True
        first = max(start[0] - 4, 1)
        return text.lstrip().startswith('"') and bool(MESSAGE_OF_CHECK.search(self.text((first, 1), start)))

    def function(self, number):
        """The name of the innermost function, or member, that contains a line.

        swift-format indents everything that a declaration contains. A local variable is not a declaration here.
        """
        indentation = None
        variable = None
        for index in range(number - 1, -1, -1):
            line = self.lines[index]
            stripped = line.strip()
            if not stripped or stripped.startswith(("//", "#")):
                continue
            own = len(line) - len(line.lstrip())
            if indentation is not None and own >= indentation:
                continue
            # The end of a declaration of several lines: the name is in its first line.
            is_end = stripped.startswith((")", "where ", "->"))
            indentation = own + 1 if is_end else own
            match = DECLARATION.match(line)
            if not match:
                continue
            if match["kind"] in TYPES:
                return variable or match["name"]
            if match["kind"] in ("var", "let"):
                variable = match["name"]
            else:
                return match["name"] or match["keyword"]
        return variable or "-"


Region = collections.namedtuple("Region", "path line function code covered trap")


def module(path):
    """The module of a file in Sources: a folder of a target, or the target for the files outside of its folders."""
    parts = pathlib.PurePosixPath(path).parts[1:]
    if len(parts) < 3:
        return parts[0]
    return parts[1] if parts[0] == "TidemarkEssentials" else f"{parts[0]}/{parts[1]}"


def regions(export, root):
    """The regions of the sources of all targets, each once."""
    counts = {}
    for data in export["data"]:
        for function in data["functions"]:
            names = function["filenames"]
            for *place, count, file, _, kind in function["regions"]:
                # Other kinds are gaps, and code that is not compiled.
                if kind != 0:
                    continue
                key = names[file], *place
                counts[key] = max(counts.get(key, 0), count)
    sources = {}
    for (name, *place), count in sorted(counts.items()):
        try:
            path = pathlib.Path(name).relative_to(root).as_posix()
        except ValueError:
            continue
        if not path.startswith("Sources/"):
            continue
        if path not in sources:
            sources[path] = Source(pathlib.Path(name).read_text(encoding="utf-8"))
        source = sources[path]
        end = tuple(place[2:])
        start = source.code_start(tuple(place[:2]), end)
        # The region after the last branch of a function may contain no code but the closing brace.
        if source.text(start, end).strip() in ("", "}"):
            continue
        yield Region(
            path, start[0], source.function(start[0]), source.code(start), count > 0,
            count == 0 and source.is_trap(start, end))


class Entry:
    """A region of the list: its file, its function and its code, with the reason."""

    def __init__(self, number, key):
        self.number = number
        self.key = key
        self.matches = []


def entries(text):
    """The entries of a list: paragraphs of `FILE: FUNCTION`, lines of code with a mark, and a reason."""
    result = []
    header = None
    codes = []
    reason = False

    def finish(number):
        if header and not (codes and reason):
            raise SystemExit(f"coverage: line {number}: an entry has code, with {MARK}, and then a reason")

    for number, line in enumerate(text.splitlines() + [""], 1):
        stripped = line.strip()
        if stripped.startswith("#"):
            continue
        if not stripped:
            finish(number)
            header, codes, reason = None, [], False
        elif header is None:
            if line[0].isspace() or ": " not in stripped:
                raise SystemExit(f"coverage: line {number}: expected FILE: FUNCTION, found '{stripped}'")
            header = tuple(stripped.split(": ", 1))
        elif MARK in stripped:
            codes.append(stripped)
            result.append(Entry(number, (*header, " ".join(stripped.split()))))
        else:
            reason = True
    return result


def targets(text):
    """The targets of modules, from lines `MODULE PERCENT`."""
    lines = (line.split() for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return {name: float(percent) for name, percent in lines}


def stale(listed, root):
    """The entries whose code does not exist, as messages."""
    for entry in listed:
        path, function, code = entry.key
        file = root / "Sources" / path
        source = Source(file.read_text(encoding="utf-8") if file.is_file() else "")
        plain = "".join(code.replace(MARK, "").split())
        if not any(
                "".join(line.split()) == plain and source.function(number) == function
                for number, line in enumerate(source.lines, 1)):
            yield f"line {entry.number}: {': '.join(entry.key)}: there is no such code"


def report(found, listed, wanted, shown, list_path):
    """Prints the report, and returns whether it passes."""
    by_key = collections.defaultdict(list)
    for entry in listed:
        by_key[entry.key].append(entry)
    rows = collections.defaultdict(collections.Counter)
    open_regions = []
    problems = []
    for region in found:
        row = rows[module(region.path)]
        matching = by_key.get((region.path.removeprefix("Sources/"), region.function, region.code), [])
        for entry in matching:
            entry.matches.append(region.covered)
        if not region.covered and matching:
            row["listed"] += 1
        elif region.trap:
            row["traps"] += 1
        else:
            row["regions"] += 1
            row["covered"] += region.covered
            if not region.covered:
                open_regions.append(region)

    print(f"{'module':28} {'regions':>8} {'traps':>6} {'listed':>6} {'covered':>8} {'percent':>8} {'target':>7}")
    total = collections.Counter()
    for name, row in sorted(rows.items()):
        target = wanted.get(name)
        print_row(name, row, target)
        total.update(row)
        if target is not None and 100 * row["covered"] < target * row["regions"]:
            problems.append(f"{name} has {percent(row):.2f} %, less than its target of {target:g} %")
    print_row("all", total, None)
    problems += [f"there is no module {name}, which has a target" for name in wanted if name not in rows]

    for entry in listed:
        place = f"{list_path}:{entry.number}: {': '.join(entry.key)}"
        if not entry.matches:
            problems.append(f"{place}: there is no such region. Remove or correct the entry")
        elif all(entry.matches):
            problems.append(f"{place}: tests reach this region. Remove the entry")

    open_regions = [region for region in open_regions if module(region.path) in (shown or wanted)]
    if open_regions:
        print("\nRegions that no test reaches:")
    for region in open_regions:
        print(f"{region.path}:{region.line}: {region.function}: {region.code}")
    if problems:
        print()
    for problem in problems:
        print(f"coverage: {problem}")
    return not problems


def percent(row):
    return 100 * row["covered"] / row["regions"] if row["regions"] else 100


def print_row(name, row, target):
    goal = "" if target is None else f"{target:g}"
    counts = f"{row['regions']:8} {row['traps']:6} {row['listed']:6} {row['covered']:8}"
    print(f"{name:28} {counts} {percent(row):8.2f} {goal:>7}".rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export", type=pathlib.Path, nargs="?")
    parser.add_argument("--check-list", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=HERE)
    parser.add_argument("--list", type=pathlib.Path, default=HERE / "Tests/Coverage/unreached.txt")
    parser.add_argument("--targets", type=pathlib.Path, default=HERE / "Tests/Coverage/targets.txt")
    parser.add_argument("--module", action="append", default=[], help="show the unreached regions of this module")
    options = parser.parse_args()
    listed = entries(options.list.read_text(encoding="utf-8"))
    if options.check_list:
        messages = list(stale(listed, options.root))
        for message in messages:
            print(f"coverage: {message}")
        sys.exit(1 if messages else 0)
    if options.export is None:
        parser.error("expected the output of llvm-cov export")
    export = json.loads(options.export.read_text(encoding="utf-8"))
    wanted = targets(options.targets.read_text(encoding="utf-8"))
    found = list(regions(export, options.root))
    if not found:
        raise SystemExit(f"coverage: {options.export} has no regions of {options.root}/Sources")
    sys.exit(0 if report(found, listed, wanted, options.module, options.list.name) else 1)


if __name__ == "__main__":
    main()
