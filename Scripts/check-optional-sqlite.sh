#!/bin/sh
# Checks that programs run with a libsqlite3 that lacks the optional interfaces, and that they detect this.
#
#   Scripts/check-optional-sqlite.sh [folder of build products]
#
# 1. A program that uses the interfaces through Sources/CSQLite refers to them weakly, with and without optimization. It
#    finds them in the system's library, and also runs with a library that has none of them.
# 2. The programs in the folder of build products, if given, also refer to them weakly, and the demo runs with such a
#    library.

set -eu
cd "$(dirname "$0")/.."

products=${1:-}
optional='sqlite3((_preupdate|_snapshot|session|changeset|changegroup|rebaser)_|_value_encoding)'

fail() {
  echo "check-optional-sqlite: $*" >&2
  exit 1
}

if [ "$(uname -s)" != Linux ]; then
  echo "skipped: the check is written for Linux"
  exit 0
fi
for tool in nm sed awk ldd swiftc; do
  command -v "$tool" >/dev/null 2>&1 || fail "'$tool' is not on the PATH"
done

# Fails if a program refers to an optional function by a symbol that is not weak.
expect_weak() {
  strong=$(nm -D "$1" | awk -v names="^$optional" '$NF ~ names && $(NF - 1) !~ /^[wvV]$/ { print $NF }')
  [ -z "$strong" ] || fail "$1 does not start without these functions of SQLite:" $strong
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Prints whether the library exports the function of a feature.
exported() {
  if nm -D --defined-only "$SQLITE_LIBRARY" | grep -qE " $1(@|\$)"; then echo yes; else echo no; fi
}

for optimisation in -Onone -O; do
  program=$folder/features$optimisation
  swiftc -swift-version 6 "$optimisation" -Xcc -fmodule-map-file=Sources/CSQLite/module.modulemap \
    Scripts/Portability/features.swift -o "$program"
  nm -D "$program" | grep -qE " w $optional" || fail "$program refers to no optional function: nothing was shown"
  expect_weak "$program"

  SQLITE_LIBRARY=$(ldd "$program" | awk '/libsqlite3\.so\.0/ { print $3; exit }')
  export SQLITE_LIBRARY
  [ -f "$SQLITE_LIBRARY" ] || fail "$program is not linked with a libsqlite3.so.0"

  preupdate=$(exported sqlite3_preupdate_hook)
  changes=0
  if [ "$preupdate" = yes ]; then changes=1; fi
  printf 'preupdate: %s\nsnapshot: %s\nsession: %s\nchanges seen: %s\n' \
    "$preupdate" "$(exported sqlite3_snapshot_get)" "$(exported sqlite3session_create)" "$changes" \
    >"$folder/expected"
  "$program" >"$folder/answer" || fail "features $optimisation does not run on $SQLITE_LIBRARY"
  diff "$folder/expected" "$folder/answer" ||
    fail "features $optimisation does not see what $SQLITE_LIBRARY has (expected: <, answered: >)"

  printf 'preupdate: no\nsnapshot: no\nsession: no\nchanges seen: 0\n' >"$folder/expected"
  Scripts/with-bare-sqlite.sh "$program" >"$folder/answer" ||
    fail "features $optimisation does not run on a library without the optional interfaces"
  diff "$folder/expected" "$folder/answer" ||
    fail "features $optimisation sees what is not there (expected: <, answered: >)"
  echo "features $optimisation: weak, runs with and without the optional interfaces (pre-update hook here: $preupdate)"
done

if [ -n "$products" ]; then
  count=0
  for program in "$products"/Demo "$products"/*.xctest; do
    [ -f "$program" ] || continue
    expect_weak "$program"
    count=$((count + 1))
  done
  [ "$count" -gt 0 ] || fail "$products has no program to look at"
  echo "programs in $products: $count, weak"

  if [ -x "$products/Demo" ]; then
    Scripts/with-bare-sqlite.sh "$products/Demo" >"$folder/demo" 2>&1 || {
      cat "$folder/demo" >&2
      fail "the demo fails on a library without the optional interfaces"
    }
    echo "demo: runs without the optional interfaces"
  fi
fi
