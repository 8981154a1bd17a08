#!/bin/sh
# Runs the tests again and again, and stops at the first round that fails, whose output it shows.
#
#   Scripts/stress.sh ROUNDS [flags of `swift test`]
#
# Each round is a process of its own, so that randomised tests start from another seed. TIDEMARK_STRESS is set, for
# the tests that want to be longer here than in a daily run. At the end there is a table of what the stress and fault
# tests have run: they tell it in lines that begin with `stress: end`, and what they count there is summed up by
# scenario. A planted fault that is not found, a commit that is lost, half a write: each is a problem, and fails.
#
# `--skip ArchitectureTests`. They read the sources, which are the same in each round.
# The million of transactions under live queries is a program of its own, since it takes minutes only with optimization.
# Each round runs the stress, oracle and storm tests in a release build, too: see `make test-release`.
# FaultTests and SimulationTests are run once, before the rounds: the former go through all cases, which are the same in
# each round, the latter through more schedules than a few rounds would need.

set -eu
cd "$(dirname "$0")/.."

rounds=$1
shift
export TIDEMARK_STRESS=1
export SWIFT_BACKTRACE=enable=no

# The package of the release build has no other tests: see Package.swift.
release='-c release --scratch-path .build-release -Xswiftc -enable-testing'

swift build --build-tests
# shellcheck disable=SC2086
TIDEMARK_RELEASE_TESTS=1 swift build $release --build-tests
log=$(mktemp)
lines=$(mktemp)
# Of tests, and of `swift test`, which leaves folders behind.
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$log" "$lines" "$TMPDIR"' EXIT

# One line for each scenario: how many runs, and the sums of what they count.
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

# Runs tests, and keeps what they have counted. A crash, and whatever else fails, ends the run.
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
run 'faults' --filter FaultTests --filter SimulationTests "$@"
round=1
while [ "$round" -le "$rounds" ]; do
  run "round $round of $rounds" --skip FaultTests --skip SimulationTests "$@"
  export TIDEMARK_RELEASE_TESTS=1
  # shellcheck disable=SC2086
  run "round $round of $rounds, release build" $release --skip SimulationTests "$@"
  unset TIDEMARK_RELEASE_TESTS
  round=$((round + 1))
done
table
