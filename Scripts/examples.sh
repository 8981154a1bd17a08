#!/usr/bin/env bash
# Builds the packages in Examples, and runs each of them once.
#
#   Scripts/examples.sh [build folder]
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
scratch=$root/${1:-.build-examples}
mkdir -p "$scratch"

for example in Notes JobServer; do
  swift build --package-path "Examples/$example" --scratch-path "$scratch" -Xswiftc -warnings-as-errors \
    >"$scratch/$example.log" 2>&1 || {
    echo "examples: $example does not build"
    grep -E 'error:' "$scratch/$example.log" || tail -n 20 "$scratch/$example.log"
    exit 1
  }
done

folder=$(mktemp -d)
server=
# Stop the server before its folder is removed, however the script ends.
cleanup() {
  if [ -n "$server" ]; then kill -KILL "$server" 2>/dev/null || true; fi
  rm -rf "$folder"
}
trap cleanup EXIT

fail() {
  echo "examples: $1"
  exit 1
}

# Notes: finds a note that was added.
export NOTES_FILE=$folder/notes.sqlite
"$scratch/debug/Notes" add Buy milk >/dev/null
"$scratch/debug/Notes" list | grep -q 'Buy milk' || fail "Notes does not list the note that was added"

# JobServer: runs a job added by another process, and shuts down on request.
jobs=$folder/jobs.sqlite
"$scratch/debug/JobServer" run "$jobs" >"$folder/server.log" 2>&1 &
server=$!
until grep -q 'pending 0' "$folder/server.log"; do
  kill -0 "$server" 2>/dev/null || fail "JobServer ended: $(cat "$folder/server.log")"
  sleep 0.1
done
"$scratch/debug/JobServer" add "$jobs" 1 >/dev/null
until grep -q 'finished 1' "$folder/server.log"; do
  kill -0 "$server" 2>/dev/null || fail "JobServer ended: $(cat "$folder/server.log")"
  sleep 0.1
done
kill -TERM "$server"
wait "$server" || fail "JobServer failed: $(cat "$folder/server.log")"
server=
grep -q 'stopped' "$folder/server.log" || fail "JobServer did not shut down: $(cat "$folder/server.log")"
echo 'examples: built and used'
