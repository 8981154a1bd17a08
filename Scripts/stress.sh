#!/bin/sh
# Runs the tests again and again, and stops at the first round that fails, whose output it shows.
#
#   Scripts/stress.sh ROUNDS [flags of `swift test`]
#
# Each round is a process of its own, so that randomised tests start from another seed. TIDEMARK_STRESS is set, for
# the tests that want to be longer here than in a daily run. At the end there is a table of what the stress tests have
# run: they tell it in lines that begin with `stress: end`.
#
# `--skip HouseTests`. They read the sources, which are the same in each round.

set -eu
cd "$(dirname "$0")/.."

rounds=$1
shift
export TIDEMARK_STRESS=1
export SWIFT_BACKTRACE=enable=no

swift build --build-tests
log=$(mktemp)
lines=$(mktemp)
trap 'rm -f "$log" "$lines"' EXIT

# One line for each scenario: how many seeds, and the sums of what they count.
table() {
  awk '
    /^stress: end / {
      name = $3; seeds[name]++
      for (i = 5; i <= NF; i++) {
        split($i, pair, "=")
        sum[name, pair[1]] += pair[2]
        sum["all", pair[1]] += pair[2]
      }
      seeds["all"]++
    }
    function row(name) {
      return sprintf("%-16s %7d %13d %13d %10d %8d %8d %9d %9.1f", name, seeds[name], sum[name, "transactions"],
        sum[name, "reads"], sum[name, "cancelled"], sum[name, "kills"], sum[name, "planted"], sum[name, "problems"],
        sum[name, "ms"] / 1000)
    }
    END {
      printf "%-16s %7s %13s %13s %10s %8s %8s %9s %9s\n", "scenario", "seeds", "transactions", "reads", "cancelled",
        "kills", "planted", "problems", "seconds"
      fflush()
      for (name in seeds) if (name != "all") print row(name) | "sort"
      close("sort")
      if (seeds["all"] > 0) print row("all")
    }
  ' "$lines"
}

round=1
while [ "$round" -le "$rounds" ]; do
  if ! swift test --skip-build --skip HouseTests "$@" >"$log" 2>&1; then
    cat "$log"
    echo "stress: round $round of $rounds failed; its output is above" >&2
    exit 1
  fi
  grep '^stress: end ' "$log" >>"$lines" || true
  echo "round $round of $rounds: $(tail -n 1 "$log")"
  round=$((round + 1))
done
table
