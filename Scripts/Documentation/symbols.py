#!/usr/bin/env python3
"""Prepares symbol graphs for DocC, and measures how much of the public API is documented.

    symbols.py merge INPUT OUTPUT     copies symbol graphs; the symbols of TidemarkEssentials become symbols of Tidemark, which exports them
    symbols.py coverage GRAPHS NAME   prints the coverage of a module; fails if it is below the thresholds

Coverage counts declarations that a program can name: it leaves out underscored names, and members that the compiler synthesizes.
"""
import json
import os
import sys

# Shares of: declarations with a comment; functions with parameters that describe them; functions with an example.
THRESHOLDS = {"documented": 1.0, "parameters": float(os.environ.get("DOCS_PARAMETERS", "0.40")),
              "examples": float(os.environ.get("DOCS_EXAMPLES", "0.30"))}
FUNCTIONS = {"swift.func", "swift.method", "swift.type.method", "swift.init", "swift.subscript", "swift.type.subscript",
             "swift.func.op"}


def graphs(folder):
    for name in sorted(os.listdir(folder)):
        if name.endswith(".symbols.json"):
            with open(os.path.join(folder, name), encoding="utf8") as file:
                yield name, json.load(file)


def merge(source, target):
    os.makedirs(target, exist_ok=True)
    for name, graph in graphs(source):
        graph["module"]["name"] = graph["module"]["name"].replace("TidemarkEssentials", "Tidemark")
        # A graph of extensions of another module is named MODULE@EXTENDED. An extension of TidemarkEssentials by Tidemark
        # extends the module itself.
        if name == "Tidemark@TidemarkEssentials.symbols.json":
            name = "Tidemark-extensions.symbols.json"
            for symbol in graph["symbols"]:
                symbol.pop("swiftExtension", None)
        with open(os.path.join(target, name), "w", encoding="utf8") as file:
            json.dump(graph, file)


def is_public_name(symbol):
    # The compiler's own members, such as `init(rawValue:)`, have no location.
    return "location" in symbol and not any(part.startswith("_") for part in symbol["pathComponents"])


def coverage(folder, module):
    counts = {"documented": [0, 0], "parameters": [0, 0], "examples": [0, 0]}
    missing = []
    for name, graph in graphs(folder):
        if graph["module"]["name"] != module:
            continue
        for symbol in graph["symbols"]:
            if "::SYNTHESIZED::" in symbol["identifier"]["precise"] or not is_public_name(symbol):
                continue
            lines = [line["text"] for line in symbol.get("docComment", {}).get("lines", [])]
            text = "\n".join(lines)
            path = ".".join(symbol["pathComponents"])
            counts["documented"][1] += 1
            if text.strip():
                counts["documented"][0] += 1
            else:
                missing.append(path)
            if symbol["kind"]["identifier"] in FUNCTIONS:
                counts["examples"][1] += 1
                counts["examples"][0] += "```" in text
                if symbol.get("functionSignature", {}).get("parameters"):
                    counts["parameters"][1] += 1
                    counts["parameters"][0] += "- parameter" in text.lower()
    failed = False
    for key, (part, whole) in counts.items():
        share = part / whole if whole else 1.0
        below = share < THRESHOLDS[key]
        failed = failed or below
        print(f"{module}: {key} {part} of {whole} ({100 * share:.1f} %, at least {100 * THRESHOLDS[key]:.0f} %)"
              + (": too few" if below else ""))
    for path in missing[:40]:
        print(f"{module}: no documentation: {path}")
    return 1 if failed else 0


if sys.argv[1:2] == ["merge"] and len(sys.argv) == 4:
    merge(sys.argv[2], sys.argv[3])
elif sys.argv[1:2] == ["coverage"] and len(sys.argv) == 4:
    sys.exit(coverage(sys.argv[2], sys.argv[3]))
else:
    sys.exit(__doc__)
