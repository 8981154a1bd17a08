#!/bin/sh
# Runs the tests under a sanitizer.
#
#   Scripts/sanitize.sh thread|address [flags of `swift test`]
#
# To verify that the sanitizer works on this machine, the script first runs two programs: one with a planted fault, which
# must be reported, and the same program without the fault, which must pass.
#
# Reasons for the settings:
#
# - `--disable-xctest`: `swift test` runs one process for XCTest and one for Swift Testing. The package has no XCTest
#   tests, and XCTest itself leaks two objects at exit, which the leak sanitizer reports.
# - `--skip ArchitectureTests`: these tests read sources and run the compiler, but do not run the library.
# - `exitcode`: a report must fail the run even if every test has passed. `swift test` converts it to its own status 1.
#   The processes of exit tests have the same options: a trap raises a signal before any leak report, and a process that
#   is expected to succeed fails if it has a race or a leak.
# - Only the options of the active sanitizer are set: tests use them to determine which sanitizer it is.

set -eu
cd "$(dirname "$0")/.."

sanitizer=$1
shift
case $sanitizer in
  thread)
    scratch=.build-tsan
    planted=race
    export TSAN_OPTIONS="exitcode=66 halt_on_error=0 second_deadlock_stack=1${TSAN_OPTIONS:+ $TSAN_OPTIONS}"
    ;;
  address)
    scratch=.build-asan
    planted=leak
    export ASAN_OPTIONS="exitcode=66 detect_leaks=1${ASAN_OPTIONS:+ $ASAN_OPTIONS}"
    ;;
  *)
    echo "sanitize: '$sanitizer' is neither thread nor address" >&2
    exit 2
    ;;
esac

export SWIFT_BACKTRACE=enable=no

programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT

# Compiles the program with or without the planted fault, and runs it.
run_control() {
  swiftc -swift-version 5 -sanitize="$sanitizer" $2 "Scripts/Sanitizers/$planted.swift" -o "$programs/$1"
  "$programs/$1" >"$programs/$1.log" 2>&1
}

if run_control faulty '-D FAULTY'; then
  echo "sanitize: the $sanitizer sanitizer does not find a planted $planted, so its answers are worth nothing here" >&2
  exit 1
fi
if ! grep -q 'Sanitizer' "$programs/faulty.log"; then
  cat "$programs/faulty.log" >&2
  echo "sanitize: the program with a planted $planted failed without a report of the $sanitizer sanitizer" >&2
  exit 1
fi
if ! run_control mended ''; then
  cat "$programs/mended.log" >&2
  echo "sanitize: the $sanitizer sanitizer reports a $planted in a program without one" >&2
  exit 1
fi

swift test --sanitize="$sanitizer" --scratch-path "$scratch" --disable-xctest --skip ArchitectureTests "$@"
