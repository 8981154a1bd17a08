#!/usr/bin/env bash
# Builds and runs the tests, and prints a summary.
#
#   Scripts/test.sh [flags of `swift test`]
#
# Without `--filter`, the tests of some targets run in a second process at the same time: `second_targets`. Inside of a
# process, tests run one at a time: see the Makefile.
#
# Prints the failures with their messages, and then the last line of each test runner. All output goes to log files: LOG,
# or .build/test.log, and the same with the suffix .2. Exits with the status of the first `swift test` that failed, or 130
# after Ctrl-C.
#
# If the logs have not grown for TIDEMARK_HANG_SECONDS (900), the run hangs: the script prints the tests that are still
# running, and stops the run. Waits in tests time out earlier, with a message: see Tests/TestSupport/WaitLimit.swift.

set -u
cd "$(dirname "$0")/.."

# These targets take about as long as all others together.
second_targets='^(StressTests|FaultTests|DemoTests|ArchitectureTests)\.'

log=${LOG:-.build/test.log}
logs=("$log")
runs=()
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

# Prints each issue in a log with its details.
issues() {
  awk '
    function starts_with_mark() { return /^(◇|✔|✘|➜|↳ Test|􀟈|􁁛|􀢄|􀙟)/ || /^stress: / }
    /^(✘|􀢄) Test .* recorded an issue/ { taken = 1; count = 0; print ""; print; next }
    taken && /^(↳|􀄵)/ { print "  " $0; next }
    starts_with_mark() { taken = 0 }
    taken && count < 30 { print "  " $0; count++ }
  ' "$1"
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
  ' "${logs[@]}"
}

closing_line() { grep -E '^[^ ]+ Test run with [0-9]+ tests?' "$1" | tail -n 1; }

# Prints where the threads of the hanging run wait, if a debugger is installed.
stacks() {
  command -v gdb >/dev/null || return 0
  local process
  for process in $(pgrep -g "$(IFS=, && echo "${runs[*]}")"); do
    case $(readlink "/proc/$process/exe") in *.xctest | *swiftpm-testing-helper) ;; *) continue ;; esac
    echo "test: the threads of process $process:"
    timeout 60 gdb -p "$process" -batch -nx -ex 'thread apply all backtrace 25' 2>/dev/null |
      grep -E '^(Thread|#)' | cut -c 1-200
  done
}

# Starts `swift test` in its own process group, which job control gives it. Without it, the run would ignore SIGINT, and
# its child processes could not be stopped together.
start_run() {
  local log=$1
  shift
  set -m
  swift test "$@" >"$log" 2>&1 </dev/null &
  runs+=($!)
  set +m
}

stop_runs() {
  local groups=("${runs[@]/#/-}")
  kill -TERM -- "${groups[@]}" 2>/dev/null
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 -- "${groups[@]}" 2>/dev/null || return 0
    sleep 0.2
  done
  kill -KILL -- "${groups[@]}" 2>/dev/null
}

# Starts the second process if the first one has built the tests; fails if there is nothing to start.
start_second_run() {
  if [ "$second" != pending ] || ! grep -qE '^[^ ]+ Test run started' "$log"; then return 1; fi
  second=started
  : >"$log.2"
  logs+=("$log.2")
  # The first one holds the lock of the build folder.
  start_run "$log.2" "${flags[@]}" --skip-build --ignore-lock --filter "$second_targets"
}

is_running() {
  local run
  for run in "${runs[@]}"; do
    if kill -0 "$run" 2>/dev/null; then return 0; fi
  done
  return 1
}

interrupted() {
  trap '' INT TERM HUP
  stop_runs
  clear_progress
  echo "test: interrupted; tests in progress:"
  tests_in_progress
  exit 130
}

# On a terminal, progress overwrites a single line.
show_progress() {
  [ -t 1 ] || return 0
  local done_count
  done_count=$(cat "${logs[@]}" | grep -cE '^[^ ]+ Test .* (passed|failed) after')
  if [ "$done_count" -gt 0 ]; then
    printf '\r\033[Ktest: %s tests done, %s s' "$done_count" "$SECONDS"
  else
    printf '\r\033[Ktest: %.60s' "$(tail -n 1 "$log")"
  fi
}
clear_progress() { if [ -t 1 ]; then printf '\r\033[K'; fi; }

# Prints why a run has failed, without the last line of its test runner.
report_failure() {
  local log=$1 status=$2
  if [ -n "$(closing_line "$log")" ]; then
    issues "$log"
    # A failure without an issue: an exit status of the runner, or a sanitizer report.
    if ! grep -qE '^[^ ]+ Test .* recorded an issue' "$log"; then tail -n 20 "$log"; fi
  elif grep -qE '^[^ ]+ Test run started' "$log"; then
    issues "$log"
    printf '\ntest: the run ended early, with status %s. Tests in progress:\n' "$status"
    tests_in_progress
    grep -E 'Fatal error|unexpected signal|Sanitizer' "$log" | tail -n 10
  else
    echo "test: the build failed"
    # The compiler repeats an error for each affected file.
    grep -E '(error|fatal): |^error' "$log" | awk '!seen[$0]++' | head -n 40
    if ! grep -qE '(error|fatal): |^error' "$log"; then tail -n 20 "$log"; fi
  fi
  printf '\nThe whole log: %s\n' "$log"
}

say_what_is_done "$@"
flags=("$@")
second=pending
case " $* " in *' --filter '* | *' --filter='*) second=none ;; esac

: >"$log"
if [ "$second" = pending ]; then
  start_run "$log" "$@" --skip "$second_targets"
else
  start_run "$log" "$@"
fi
trap interrupted INT TERM HUP

size=0
quiet_since=$SECONDS
while is_running || start_second_run; do
  sleep 0.5
  start_second_run
  new_size=$(cat "${logs[@]}" | wc -c)
  if [ "$new_size" -ne "$size" ]; then
    size=$new_size
    quiet_since=$SECONDS
  elif [ $((SECONDS - quiet_since)) -ge "$hang" ]; then
    trap '' INT TERM HUP
    clear_progress
    stacks
    echo "test: no output for $hang s: the run hangs. Tests in progress:"
    tests_in_progress
    stop_runs
    exit 1
  fi
  show_progress
done
clear_progress

status=0
for index in "${!runs[@]}"; do
  wait "${runs[$index]}"
  run_status=$?
  if [ "$run_status" -ne 0 ]; then
    if [ "$status" -eq 0 ]; then status=$run_status; fi
    report_failure "${logs[$index]}" "$run_status"
  fi
done
if [ "$status" -eq 0 ]; then echo "$SECONDS flags: $*" >>"$times"; fi
for log in "${logs[@]}"; do closing_line "$log"; done
exit "$status"
