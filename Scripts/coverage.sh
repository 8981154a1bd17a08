#!/usr/bin/env bash
# Runs the tests with coverage, and reports the share of the library that they execute.
#
#   Scripts/coverage.sh [flags of `swift test`]
#
# Everything is written to .build-coverage: the build, the log of the tests (test.log), and the report (report.txt). A
# run removes the counters of the last one. With COVERAGE_ADD=1, it adds to them: this is useful with `--filter`, after
# changes of tests alone. Module names in COVERAGE_MODULES choose the modules whose unreached regions are listed.
#
# Reasons for the settings:
#
# - `-runtime-counter-relocation`, and %c in LLVM_PROFILE_FILE: the counters are a mapped file. So the report includes
#   what a process has executed before a trap or SIGKILL: exit tests, and the children of stress and fault tests.
# - %m: processes of the same program share a file.
# - `-instrprof-atomic-counter-update-all`: otherwise threads lose counts. The count of a branch can be the difference
#   of two counters, so a lost count could report a branch that has never run.
# - `--skip ArchitectureTests`: these tests read sources and run the compiler, but do not run the library.
# - `swift test` would replace LLVM_PROFILE_FILE if it had `--enable-code-coverage`.

set -eu
cd "$(dirname "$0")/.."

folder=.build-coverage
export SWIFT_BACKTRACE=enable=no

# Another toolchain's LLVM may be first on the PATH, and cannot read the profiles of this one.
tools=$(swift -print-target-info | python3 -c '
import json, pathlib, sys
print(pathlib.Path(json.load(sys.stdin)["paths"]["runtimeResourcePath"]).parent.parent / "bin")')
for tool in llvm-profdata llvm-cov; do
  if [ ! -x "$tools/$tool" ]; then
    echo "coverage: the Swift toolchain has no $tool in $tools" >&2
    exit 1
  fi
done

mkdir -p "$folder"
echo "coverage: building the tests; log: $folder/build.log"
if ! swift build --build-tests --enable-code-coverage --scratch-path "$folder" \
  -Xswiftc -Xllvm -Xswiftc -runtime-counter-relocation \
  -Xswiftc -Xllvm -Xswiftc -instrprof-atomic-counter-update-all >"$folder/build.log" 2>&1; then
  echo "coverage: the build failed"
  grep -m 40 -E '(error|fatal): |^error' "$folder/build.log" || tail -n 20 "$folder/build.log"
  exit 1
fi

if [ "${COVERAGE_ADD:-}" != 1 ]; then rm -rf "$folder/profiles"; fi
mkdir -p "$folder/profiles"

status=0
LLVM_PROFILE_FILE="$PWD/$folder/profiles/%m%c.profraw" LOG="$folder/test.log" \
  Scripts/test.sh --skip-build --scratch-path "$folder" --skip '^ArchitectureTests\.' "$@" || status=$?

"$tools/llvm-profdata" merge -sparse -o "$folder/tests.profdata" "$folder"/profiles/*.profraw
"$tools/llvm-cov" export -format=text -skip-expansions -instr-profile "$folder/tests.profdata" \
  "$folder/debug/TidemarkPackageTests.xctest" Sources >"$folder/export.json"

modules=()
for module in ${COVERAGE_MODULES:-}; do modules+=(--module "$module"); done
python3 Scripts/coverage.py "$folder/export.json" ${modules[@]+"${modules[@]}"} >"$folder/report.txt" || status=1
cat "$folder/report.txt"
exit "$status"
