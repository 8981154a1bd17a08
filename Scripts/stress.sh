#!/bin/sh
# Runs the tests repeatedly. Stops at the first round that fails, and prints its output.
#
#   Scripts/stress.sh ROUNDS [flags of `swift test`]
#
# Each round is a separate process, so that randomized tests use a new seed. TIDEMARK_STRESS is set, for tests that run
# longer here than in a daily run. At the end, the script prints a table of the runs and counters of the stress and fault
# tests by scenario, from their output lines that begin with `stress: end`. A planted fault that is not detected, a lost
# commit and a partial write are failures.
#
# `--skip ArchitectureTests`: they read the sources, which are the same in each round.
# A million transactions under live queries run in a separate program, which takes minutes only if it is optimized.
# Each round runs the stress, oracle and storm tests in a release build, too: see `make test-release`.
# FaultTests and SimulationTests run once, before the rounds: FaultTests run all cases, which are the same in each round,
# and SimulationTests run more schedules than a few rounds need. So do a million transactions of several processes,
# 100 histories of a cluster of processes, and 10,000,000 damaged values of each kind. All of them run in a release build:
# in a debug build, the faults alone take hours. The rounds run fewer transactions, in both builds.

set -eu
cd "$(dirname "$0")/.."

rounds=$1
shift
export TIDEMARK_STRESS=1
export SWIFT_BACKTRACE=enable=no

# The release build contains no other tests: see Package.swift.
release='-c release --scratch-path .build-release -Xswiftc -enable-testing'

Scripts/etcd.sh
swift build --build-tests
# shellcheck disable=SC2086
TIDEMARK_RELEASE_TESTS=1 swift build $release --build-tests
log=$(mktemp)
lines=$(mktemp)
# For tests, and for `swift test`, which does not remove its temporary folders.
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$log" "$lines" "$TMPDIR"' EXIT

# Prints a line for each scenario: the number of runs, and the sums of their counters.
table() {
  awk -v seconds="$(($(date +%s) - begin))" '
    BEGIN {
      names = "cases faults stops images kills histories transactions reads cancelled lost planted problems"
      count = split(names, columns, " ")
    }
    /^stress: end / {
      name = $3; runs[name]++; runs["all"]++
      for (i = 5; i <= NF; i++) {
        split($i, pair, "=")
        sum[name, pair[1]] += pair[2]
        sum["all", pair[1]] += pair[2]
      }
    }
    function row(name,   line, i) {
      line = sprintf("%-20s %5d", name, runs[name])
      for (i = 1; i <= count; i++) line = line sprintf(" %12d", sum[name, columns[i]])
      return line sprintf(" %9.1f", sum[name, "ms"] / 1000)
    }
    END {
      line = sprintf("%-20s %5s", "scenario", "runs")
      for (i = 1; i <= count; i++) line = line sprintf(" %12s", columns[i])
      print line sprintf(" %9s", "seconds")
      fflush()
      for (name in runs) if (name != "all") print row(name) | "sort"
      close("sort")
      if (runs["all"] > 0) print row("all")
      printf "\n%d cases with %d faults, %d power failures, %d kills, %d histories; ", sum["all", "cases"],
        sum["all", "faults"], sum["all", "images"], sum["all", "kills"], sum["all", "histories"]
      printf "%d acknowledged commits lost, %d problems, no crash; ", sum["all", "lost"], sum["all", "problems"]
      printf "all %d planted faults found; %d seconds\n", sum["all", "planted"], seconds
    }
  ' "$lines"
}

# Runs tests, and collects their counters. A crash or any other failure ends the run.
run() {
  title=$1
  shift
  if ! swift test --skip-build --skip ArchitectureTests "$@" >"$log" 2>&1; then
    cat "$log"
    echo "stress: $title failed; its output is above" >&2
    exit 1
  fi
  grep '^stress: end ' "$log" >>"$lines" || true
  echo "$title: $(tail -n 1 "$log")"
}

begin=$(date +%s)
swift build -c release --product StressLive >"$log" 2>&1 || { cat "$log"; exit 1; }
if ! .build/release/StressLive >"$log" 2>&1; then
  cat "$log"
  echo "stress: live queries failed; their output is above" >&2
  exit 1
fi
grep '^stress: end ' "$log" >>"$lines"
echo "live queries: $(tail -n 1 "$log")"
export TIDEMARK_RELEASE_TESTS=1
# shellcheck disable=SC2086
run 'faults' $release --filter FaultTests --filter SimulationTests "$@"
# shellcheck disable=SC2086
run 'processes' $release --filter ProcessStressTests --filter ClusterProcessTests "$@"
# shellcheck disable=SC2086
run 'damaged values' $release --filter DamagedChangesTests "$@"
unset TIDEMARK_RELEASE_TESTS
round=1
while [ "$round" -le "$rounds" ]; do
  run "round $round of $rounds" --skip FaultTests --skip SimulationTests --skip ClusterProcessTests \
    --skip DamagedChangesTests "$@"
  export TIDEMARK_RELEASE_TESTS=1
  # shellcheck disable=SC2086
  run "round $round of $rounds, release build" $release --skip FaultTests --skip SimulationTests \
    --skip ProcessStressTests --skip ClusterProcessTests --skip DamagedChangesTests "$@"
  unset TIDEMARK_RELEASE_TESTS
  round=$((round + 1))
done
table
