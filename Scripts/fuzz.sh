#!/usr/bin/env bash
# Runs the fuzz targets in Tests/FuzzTests/Targets with libFuzzer, which is part of the toolchain.
#
#   Scripts/fuzz.sh
#
# It is controlled by variables, which `make fuzz` passes on:
#
#   MINUTES=30      the time for all targets together
#   FILTER=tokens   a regular expression: only the targets with matching names
#   REPRODUCE=file  checks one input, in a folder or a file name that begins with the name of its target
#   MERGE=1         does not fuzz, but replaces the corpora in the repository by smaller ones with the same coverage
#   JOBS=2          the number of targets at the same time; by default, the number of processors
#
# Inputs that reach new code are kept in .build-fuzz/corpus, where the next run continues. Inputs that fail are kept in
# .build-fuzz/failures. The repository has a corpus for each target: a file with an input in each line, in Base64.
#
# At first, two planted faults must be found. So a build without instrumentation is not mistaken for a clean result.
#
# Reasons for the settings:
#
# - The library is optimized, with assertions, and instrumented by the address sanitizer and for coverage. The system's
#   libsqlite3 is not instrumented.
# - `-timeout=1`: no input may take a second. On a busy machine, a process may wait that long: the input counts if it
#   takes as long when it is checked again, alone.
# - `-detect_leaks=0`: the tests run under the leak sanitizer (`make asan`). Here, the memory of the process is limited,
#   so a leak in a loop is found.

set -euo pipefail
cd "$(dirname "$0")/.."

minutes=${MINUTES:-30}
jobs=${JOBS:-$(nproc)}
scratch=.build-fuzz
stored=Tests/FuzzTests/Corpus
corpora=$scratch/corpus
failures=$scratch/failures
fuzz=$scratch/release/Fuzz
limits=(-timeout=1 -rss_limit_mb=1024 -malloc_limit_mb=256 -detect_leaks=0)

export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

build() {
  local toolchain runtime
  toolchain=$(dirname "$(readlink -f "$(command -v swift)")")/..
  runtime=$(find -L "$toolchain/lib" -name "libclang_rt.fuzzer_no_main-$(uname -m).a" -print -quit 2>/dev/null)
  [ -n "$runtime" ] || runtime=$(find -L "$toolchain/lib" -name 'libclang_rt.fuzzer_no_main*.a' -print -quit)
  if [ -z "$runtime" ]; then
    echo "fuzz: the toolchain in $toolchain has no libFuzzer (libclang_rt.fuzzer_no_main)" >&2
    exit 1
  fi
  mkdir -p "$scratch"
  echo "fuzz: building; the first build takes 10 minutes; log: $scratch/build.log"
  if ! TIDEMARK_FUZZING=1 swift build -c release --scratch-path "$scratch" --product Fuzz \
    -Xswiftc -enable-testing -Xswiftc -sanitize=address \
    -Xswiftc -sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp -Xswiftc -assert-config -Xswiftc Debug \
    -Xlinker "$runtime" -Xlinker -lstdc++ >"$scratch/build.log" 2>&1; then
    tail -n 40 "$scratch/build.log" >&2
    exit 1
  fi
}

# Runs the program for a target, with arguments of libFuzzer.
run() {
  local target=$1
  shift
  TIDEMARK_FUZZ_TARGET=$target "$fuzz" "$@"
}

# Writes the inputs of the stored corpus of a target into a folder.
unpack() {
  local target=$1 folder=$2 line number=0
  mkdir -p "$folder"
  [ -e "$stored/$target.txt" ] || return 0
  while read -r line; do
    number=$((number + 1))
    printf '%s' "$line" | base64 -d >"$folder/stored-$number"
  done <"$stored/$target.txt"
}

# Planted faults must be found within a minute.
check_instrumentation() {
  local target folder
  for target in planted-failure planted-memory-error; do
    folder=$scratch/$target
    rm -rf "$folder"
    mkdir -p "$folder"
    if run "$target" "${limits[@]}" -max_len=16 -max_total_time=60 -artifact_prefix="$folder/" >"$folder/log" 2>&1; then
      echo "fuzz: libFuzzer does not find the fault of $target: $folder/log" >&2
      exit 1
    fi
  done
  grep -q 'fuzz: planted-failure: ' "$scratch/planted-failure/log"
  grep -q 'ERROR: AddressSanitizer' "$scratch/planted-memory-error/log"
}

# Prints a line about a finished run.
summary() {
  local target=$1 log=$2
  awk -v target="$target" '
    / cov: / { for (i = 1; i < NF; i++) { if ($i == "cov:") cov = $(i + 1); if ($i == "ft:") ft = $(i + 1) } }
    /number_of_executed_units/ { executions = $2 }
    /average_exec_per_sec/ { rate = $2 }
    /peak_rss_mb/ { memory = $2 }
    END { printf "%-20s %12d executions %7d a second %7d edges %7d features %5d MB\n", target, executions, rate, cov, ft, memory }
  ' "$log"
}

# Fuzzes a target for some seconds. Returns 1 if it fails.
fuzz_target() {
  local target=$1 length=$2 seconds=$3 folder=$failures/$1 log=$scratch/$1.log arguments=()
  mkdir -p "$corpora/$target" "$folder"
  unpack "$target" "$corpora/$target"
  case $target in tokens | queries | observations | statements) arguments+=(-dict="$stored/sql.dict") ;; esac
  local end=$((SECONDS + seconds))
  while :; do
    if run "$target" "${limits[@]}" "${arguments[@]}" -max_len="$length" -max_total_time=$((end - SECONDS)) \
      -print_final_stats=1 -artifact_prefix="$folder/" "$corpora/$target" >"$log" 2>&1; then
      summary "$target" "$log"
      return 0
    fi
    local file
    file=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
    case $file in
      */timeout-* | */slow-unit-*)
        if run "$target" "${limits[@]}" "$file" >"$log.again" 2>&1; then
          rm -f "$file"
          [ $((end - SECONDS)) -gt 0 ] || { summary "$target" "$log"; return 0; }
          continue
        fi
        ;;
    esac
    summary "$target" "$log"
    grep -E '^fuzz: |Fatal error|ERROR: |SUMMARY: ' "$log" | head -n 5 | cut -c 1-2000
    echo "fuzz: $target failed; the log is $log; to reproduce it: make fuzz REPRODUCE=$file"
    return 1
  done
}

# Replaces the stored corpus by inputs with the same coverage.
merge_target() {
  local target=$1 length=$2 all=$scratch/merge/$1-all small=$scratch/merge/$1
  rm -rf "$all" "$small"
  mkdir -p "$all" "$small" "$corpora/$target"
  unpack "$target" "$all"
  run "$target" "${limits[@]}" -max_len="$length" -set_cover_merge=1 "$small" "$all" "$corpora/$target" \
    >"$scratch/$target.merge.log" 2>&1
  # The shortest inputs, of 40,000 bytes together.
  find "$small" -type f -printf '%s %p\n' | sort -n | awk '{ sum += $1; if (sum <= 40000) print $2 }' |
    while read -r file; do base64 -w 0 "$file"; echo; done | LC_ALL=C sort -u | grep . >"$stored/$target.txt"
  echo "$target: $(wc -l <"$stored/$target.txt") inputs, $(wc -c <"$stored/$target.txt") bytes"
}

build

if [ -n "${REPRODUCE:-}" ]; then
  # The folder, or the beginning of the file name, is the name of the target.
  target=$(basename "$(dirname "$(readlink -f "$REPRODUCE")")")
  "$fuzz" | grep -q "^$target " || target=$("$fuzz" | while read -r name _; do
    case $(basename "$REPRODUCE") in "$name"*) echo "$name" ;; esac
  done | tail -n 1)
  [ -n "$target" ] || { echo "fuzz: $REPRODUCE does not begin with the name of a target" >&2; exit 2; }
  run "$target" "${limits[@]}" "$REPRODUCE"
  exit
fi

check_instrumentation
mapfile -t targets < <("$fuzz" | grep -E -- "${FILTER:-.}" || true)
if [ ${#targets[@]} -eq 0 ]; then
  echo "fuzz: no target matches FILTER=$FILTER; the targets are" $("$fuzz" | cut -d ' ' -f 1) >&2
  exit 2
fi

if [ -n "${MERGE:-}" ]; then
  for line in "${targets[@]}"; do merge_target $line; done
  exit
fi

seconds=$((minutes * 60 * jobs / ${#targets[@]}))
[ "$seconds" -le $((minutes * 60)) ] || seconds=$((minutes * 60))
echo "fuzz: ${#targets[@]} targets, $seconds seconds each, $jobs at the same time"
status=0
running=0
for line in "${targets[@]}"; do
  if [ "$running" -ge "$jobs" ]; then
    wait -n || status=1
    running=$((running - 1))
  fi
  fuzz_target $line "$seconds" &
  running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
  wait -n || status=1
  running=$((running - 1))
done
exit "$status"
