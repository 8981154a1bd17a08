#!/usr/bin/env bash
# Builds the tool in `Scripts/Mutants` and runs it: see its `main.swift`.
#
# The tool uses the parser of the toolchain, whose modules are next to the compiler.

set -eu
cd "$(dirname "$0")/.."

swift=$(readlink -f "$(command -v swift)")
host=$(dirname "$swift")/../lib/swift/host
if [ ! -e "$host/SwiftParser.swiftmodule" ]; then
  echo "mutants: the toolchain of $swift contains no SwiftParser: expected it in $host" >&2
  exit 2
fi
tool=.build-mutants/tool
mkdir -p .build-mutants
if [ ! -e "$tool" ] || [ -n "$(find Scripts/Mutants -maxdepth 1 -name '*.swift' -newer "$tool")" ]; then
  swiftc -o "$tool" -I "$host" -L "$host" -Xlinker -rpath -Xlinker "$host" Scripts/Mutants/*.swift
fi
exec "$tool"
