#!/usr/bin/env bash
# Builds and runs the tests, and prints a summary.
#
#   Scripts/test.sh [flags of `swift test`]
#
# Prints the failures with their messages, and then the last line of the test runner. All output goes to a log file: LOG,
# or .build/test.log. Exits with the status of `swift test`, or 130 after Ctrl-C.
#
# If the log has not grown for TIDEMARK_HANG_SECONDS (900), the run hangs: the script prints the tests that are still
# running, and stops the run. Waits in tests time out earlier, with a message: see Tests/TestSupport/WaitLimit.swift.

set -u
cd "$(dirname "$0")/.."

log=${LOG:-.build/test.log}
# The duration of the last run of the same command, in seconds, is stored next to the log.
times=$log.times
hang=${TIDEMARK_HANG_SECONDS:-900}
mkdir -p "$(dirname "$log")"

# A fixed locale: awk compares the runner's marks, which are not ASCII.
export LC_ALL=C.UTF-8

say_what_is_done() {
  local last
  last=$(sed -n "s/^\([0-9]*\) flags: $(printf '%s' "$*" | sed 's/[][\\.*^$/]/\\&/g')$/\1/p" "$times" 2>/dev/null | tail -n 1)
  if [ -n "$last" ]; then
    echo "test: building and running the tests; last time it took $((last / 60)) min $((last % 60)) s; log: $log"
  else
    echo "test: building and running the tests; a first build takes 5 to 15 minutes, all tests 3 to 5; log: $log"
  fi
}

# Prints each issue with its details.
issues() {
  awk '
    function starts_with_mark() { return /^(◇|✔|✘|➜|↳ Test|􀟈|􁁛|􀢄|􀙟)/ || /^stress: / }
    /^(✘|􀢄) Test .* recorded an issue/ { taken = 1; count = 0; print ""; print; next }
    taken && /^(↳|􀄵)/ { print "  " $0; next }
    starts_with_mark() { taken = 0 }
    taken && count < 30 { print "  " $0; count++ }
  ' "$log"
}

# Prints the tests that have started and not ended. The line that ends a test with arguments contains their number.
tests_in_progress() {
  awk '
    { line = $0 }
    line ~ /^[^ ]+ Test (run|case) / { next }
    line ~ /^(◇|􀟈) Test .* started\.$/ {
      sub(/^[^ ]+ Test /, "", line); sub(/ started\.$/, "", line); open[line] = ++number; next
    }
    line ~ /^[^ ]+ Test .* (passed|failed|skipped)( after|\.|:)/ {
      sub(/^[^ ]+ Test /, "", line); sub(/( with [0-9]+ test cases?)? (passed|failed|skipped)( after|\.|:).*$/, "", line)
      delete open[line]
    }
    END { for (name in open) print "  " name }
  ' "$log"
}

closing_line() { grep -E '^[^ ]+ Test run with [0-9]+ tests?' "$log" | tail -n 1; }

# Prints where the threads of the hanging run wait, if a debugger is installed.
stacks() {
  command -v gdb >/dev/null || return 0
  local process
  for process in $(pgrep -g "$run"); do
    case $(readlink "/proc/$process/exe") in *.xctest | *swiftpm-testing-helper) ;; *) continue ;; esac
    echo "test: the threads of process $process:"
    timeout 60 gdb -p "$process" -batch -nx -ex 'thread apply all backtrace 25' 2>/dev/null |
      grep -E '^(Thread|#)' | cut -c 1-200
  done
}

stop_run() {
  # The run has its own process group.
  kill -TERM -- "-$run" 2>/dev/null
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 -- "-$run" 2>/dev/null || return 0
    sleep 0.2
  done
  kill -KILL -- "-$run" 2>/dev/null
}

interrupted() {
  trap '' INT TERM HUP
  stop_run
  clear_progress
  echo "test: interrupted; tests in progress:"
  tests_in_progress
  exit 130
}

# On a terminal, progress overwrites a single line.
show_progress() {
  [ -t 1 ] || return 0
  local done_count
  done_count=$(grep -cE '^[^ ]+ Test .* (passed|failed) after' "$log")
  if [ "$done_count" -gt 0 ]; then
    printf '\r\033[Ktest: %s tests done, %s s' "$done_count" "$SECONDS"
  else
    printf '\r\033[Ktest: %.60s' "$(tail -n 1 "$log")"
  fi
}
clear_progress() { if [ -t 1 ]; then printf '\r\033[K'; fi; }

say_what_is_done "$@"
: >"$log"
# Job control gives the run its own process group. Without it, the run would ignore SIGINT, and its child processes could
# not be stopped together.
set -m
swift test "$@" >"$log" 2>&1 </dev/null &
run=$!
set +m
trap interrupted INT TERM HUP

size=0
quiet_since=$SECONDS
while kill -0 "$run" 2>/dev/null; do
  sleep 0.5
  new_size=$(wc -c <"$log")
  if [ "$new_size" -ne "$size" ]; then
    size=$new_size
    quiet_since=$SECONDS
  elif [ $((SECONDS - quiet_since)) -ge "$hang" ]; then
    trap '' INT TERM HUP
    clear_progress
    stacks
    echo "test: no output for $hang s: the run hangs. Tests in progress:"
    tests_in_progress
    stop_run
    exit 1
  fi
  show_progress
done
wait "$run"
status=$?
clear_progress

if [ "$status" -eq 0 ]; then
  echo "$SECONDS flags: $*" >>"$times"
  closing_line
  exit 0
fi

closing=$(closing_line)
if [ -n "$closing" ]; then
  issues
  # A failure without an issue: an exit status of the runner, or a sanitizer report.
  if ! grep -qE '^[^ ]+ Test .* recorded an issue' "$log"; then tail -n 20 "$log"; fi
  printf '\nThe whole log: %s\n%s\n' "$log" "$closing"
elif grep -qE '^[^ ]+ Test run started' "$log"; then
  issues
  printf '\ntest: the run ended early, with status %s. Tests in progress:\n' "$status"
  tests_in_progress
  grep -E 'Fatal error|unexpected signal|Sanitizer' "$log" | tail -n 10
  printf '\nThe whole log: %s\n' "$log"
else
  echo "test: the build failed"
  # The compiler repeats an error for each affected file.
  grep -E '(error|fatal): |^error' "$log" | awk '!seen[$0]++' | head -n 40
  if ! grep -qE '(error|fatal): |^error' "$log"; then tail -n 20 "$log"; fi
  printf '\nThe whole log: %s\n' "$log"
fi
exit "$status"
