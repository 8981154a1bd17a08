#!/usr/bin/env python3
"""Lists the public names of a table that the library lacks.

    Scripts/check-names.py NAMES [--scratch-path .build] [--skip FOLDER]…

NAMES has a line for each name: its kind, its path with the labels of arguments, a folder, and attributes, separated by
tabs. A name exists if a type of the library, or an extension of a type, has a symbol with the same path. Operators may
be free functions, and members may belong to another type that has a member of the same name: these are counted apart.

The symbols are extracted from the modules that `swift build` has written to the scratch path.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

MODULES = ["TidemarkEssentials", "Tidemark"]


def symbol_paths(scratch):
    """The paths of all public symbols, as `Type.name(label:)`."""
    info = json.loads(subprocess.check_output(["swift", "-print-target-info"]))
    paths = set()
    with tempfile.TemporaryDirectory() as folder:
        for module in MODULES:
            subprocess.check_call(
                ["swift-symbolgraph-extract", "-module-name", module, "-I", f"{scratch}/debug/Modules",
                 "-Xcc", "-fmodule-map-file=Sources/CSQLite/module.modulemap",
                 "-target", info["target"]["unversionedTriple"], "-minimum-access-level", "public",
                 "-output-dir", folder])
        for file in pathlib.Path(folder).glob("*.json"):
            for symbol in json.loads(file.read_text())["symbols"]:
                paths.add(".".join(symbol["pathComponents"]))
    return paths


def without_generics(path):
    return path.split("<", 1)[0] if "(" not in path else path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names")
    parser.add_argument("--scratch-path", default=".build")
    parser.add_argument("--skip", action="append", default=[], help="a folder of names that are not checked")
    arguments = parser.parse_args()

    paths = {without_generics(path) for path in symbol_paths(arguments.scratch_path)}
    last = {path.rsplit(".", 1)[-1] if "(" not in path else path[path[:path.index("(")].rfind(".") + 1:]
            for path in paths}
    counts = collections.Counter()
    missing = []
    seen = set()
    for line in open(arguments.names):
        kind, path, folder, *attributes = line.rstrip("\n").split("\t")
        if folder in arguments.skip or (kind, path) in seen or path.endswith("(synthesized)"):
            continue
        seen.add((kind, path))
        if path in paths:
            counts["found"] += 1
        elif (path.rsplit(".", 1)[-1] if "(" not in path else path[path[:path.index("(")].rfind(".") + 1:]) in last:
            counts["found in another type"] += 1
        else:
            counts["missing"] += 1
            missing.append((folder, kind, path))
    for folder, kind, path in sorted(missing):
        print(f"{folder}\t{kind}\t{path}")
    print(", ".join(f"{count} {state}" for state, count in counts.items()), file=sys.stderr)
    sys.exit(1 if missing else 0)


main()
