#!/bin/sh
# Runs the tests again and again, and stops at the first round that fails, whose output it shows.
#
#   Scripts/stress.sh ROUNDS [flags of `swift test`]
#
# Each round is a process of its own, so that randomised tests start from another seed. TIDEMARK_STRESS is set, for
# the tests that want to be longer here than in a daily run.

set -eu
cd "$(dirname "$0")/.."

rounds=$1
shift
export TIDEMARK_STRESS=1
export SWIFT_BACKTRACE=enable=no

swift build --build-tests
log=$(mktemp)
trap 'rm -f "$log"' EXIT

round=1
while [ "$round" -le "$rounds" ]; do
  if ! swift test --skip-build "$@" >"$log" 2>&1; then
    cat "$log"
    echo "stress: round $round of $rounds failed; its output is above" >&2
    exit 1
  fi
  echo "round $round of $rounds: $(tail -n 1 "$log")"
  round=$((round + 1))
done
