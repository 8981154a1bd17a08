#!/usr/bin/env python3
"""Finds phrases that make comments and documents hard to read.

    Scripts/prose.py [--limit PERCENT] [FILE or FOLDER…]

Prints each comment line and each document line with such a phrase. Fails if the lines with such phrases are more than
PERCENT (3) of the lines of a file, or of all files. Without arguments, it reads all files that git tracks.
"""

import argparse
import pathlib
import re
import subprocess
import sys

SUFFIXES = {".swift", ".md", ".h", ".c", ".sh"}

# What to write instead: CONTRIBUTING.md.
PHRASES = {
    "a person as the subject": r"(?<!those )\b([Ww]ho|[Ww]hoever|[Ww]hom)\b(?! (?:is|are) (?:it|you))",
    "an indefinite person": r"\b([Ss]omebody|[Nn]obody|[Aa]nybody|[Ee]verybody)\b",
    "'tell': write report, notify or return": r"\b([Tt]ells?|told|telling)\b",
    "'answer': write return or reply": r"\b[Aa]nswers?\b|\banswered\b",
    "'has … done': name the action": (
        r"(^|[.:;] )Has (the|a|an|its|all|some|one|each|no)\b[^.]{0,60}\b(told|fail|asked|run|called|opened|fetched|read|"
        r"noticed|served|watch\w*|looked|drop\w*|stopped|closed|compiled|captured|start\w*|made|written|done|reported)\b"
    ),
    "'that of': repeat the noun": r"\b([Tt]hat of|[Tt]hose of|the one of|the one that|the ones)\b",
    "'let go': write release": r"\b[Ll]ets? go\b",
    "'is no': write 'is not a'": r"\b(is|are|was) no (?!longer|more)\w+",
    "a stock phrase": r"in the place of|in vain|worth while|by halves|for good\b|at hand\b|\banew\b|\bby itself alone\b",
    "a clause as a noun": (
        r"(^|[.;:,] |\b(of|to|for|and|that|than|tells?|knows?) )[Ww]hat (is|was|has|it|they|some|others|a|the)\b"
    ),
    "'one' as the subject": r"(^|[.;] )One (looks|asks|may|can|must|waits|has)\b",
}
PATTERNS = [(advice, re.compile(pattern)) for advice, pattern in PHRASES.items()]


def prose(path):
    """The numbers and texts of the lines of prose: comments of sources, and documents without their code blocks."""
    is_document = path.suffix == ".md"
    is_code = False
    for number, raw in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        text = raw.strip()
        if not is_document:
            comment = re.match(r"///?(.*)", text)
            if not comment:
                continue
            text = comment[1].strip()
        if text.startswith("```"):
            is_code = not is_code
        elif text and not is_code:
            yield number, text


def files(arguments):
    root = pathlib.Path(__file__).resolve().parent.parent
    if not arguments:
        names = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True).stdout.decode()
        arguments = [root / name for name in names.split("\0") if name]
    for argument in map(pathlib.Path, arguments):
        paths = sorted(argument.rglob("*")) if argument.is_dir() else [argument]
        yield from (path for path in paths if path.suffix in SUFFIXES and path.is_file())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=3)
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args()
    total = found = 0
    failed = False
    for path in files(options.paths):
        lines = list(prose(path))
        hits = [
            (number, advice, text) for number, text in lines
            for advice in [next((advice for advice, pattern in PATTERNS if pattern.search(text)), None)] if advice
        ]
        total += len(lines)
        found += len(hits)
        if 100 * len(hits) > options.limit * len(lines):
            failed = True
            for number, advice, text in hits:
                print(f"{path}:{number}: {advice}: {text}")
    share = 100 * found / max(total, 1)
    print(f"prose: {found} of {total} lines ({share:.1f} %)")
    sys.exit(1 if failed or share > options.limit else 0)


if __name__ == "__main__":
    main()
