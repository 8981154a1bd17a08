#!/bin/sh
# Runs the tests under a sanitizer.
#
#   Scripts/sanitize.sh thread|address [flags of `swift test`]
#
# A clean report means something only if the sanitizer works on this machine, so two programs come first: one with a
# planted fault, which must be found, and its mended twin, which must pass.
#
# Three settings deserve their reasons:
#
# - `--disable-xctest`. `swift test` runs two processes: one for XCTest, of which there is none here, one for Swift
#   Testing. XCTest's own library leaves two objects behind at exit, which the leak sanitizer rightly reports.
# - `--skip ArchitectureTests`. They read the sources and run the compiler: nothing of the library runs in them.
# - `exitcode`. A sanitizer's report must fail the run even though every test passed. `swift test` turns it into its
#   own status 1. The process of an exit test has the same options: a trap there is a signal, before any leak report,
#   and a process expected to succeed fails when it races or leaks. Nothing has to be turned off for them.
# - Only the options of the sanitizer at work are set: by them, tests know which one it is.

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

# Compiles the program of the planted fault, with the fault or mended, and runs it.
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
