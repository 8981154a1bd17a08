#!/bin/sh
# Runs a command with a libsqlite3 that lacks the optional interfaces: pre-update hook, encodings of values, snapshots,
# sessions.
#
#   Scripts/with-bare-sqlite.sh command [arguments]
#
# The library is a copy of the system's library in which these functions are renamed. Each new name has the same length,
# so that offsets do not change, and the same hash, so that the library still finds its own functions in its symbol table.
# The hash of a GNU symbol table is h * 33 + c: adding 1 to a character and subtracting 33 from the next one does not
# change it ("te" becomes "uD"). Linux (ELF) only.

set -eu

give_up() {
  echo "with-bare-sqlite: $*" >&2
  exit 2
}

[ "$(uname -s)" = Linux ] || give_up "altering the symbols of a library is written for Linux only"
[ $# -gt 0 ] || give_up "which command?"

# SQLITE_LIBRARY is the path of the library to copy. By default, it is the first one that the loader finds.
PATH=$PATH:/usr/sbin:/sbin
library=${SQLITE_LIBRARY:-$(ldconfig -p | awk '/libsqlite3\.so\.0 / { print $NF; exit }')}
[ -f "$library" ] || give_up "no libsqlite3.so.0 among the loader's libraries; set SQLITE_LIBRARY"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

LC_ALL=C sed \
  -e 's/sqlite3_preupdate_/sqlite3_preupdauD_/g' \
  -e 's/sqlite3_value_encoding/sqlite3_value_encodioF/g' \
  -e 's/sqlite3_snapshot_/sqlite3_snapshpS_/g' \
  -e 's/sqlite3session_/sqlite3sessipM_/g' \
  -e 's/sqlite3changeset_/sqlite3changesfS_/g' \
  -e 's/sqlite3changegroup_/sqlite3changegrovO_/g' \
  -e 's/sqlite3rebaser_/sqlite3rebasfQ_/g' \
  "$library" >"$folder/libsqlite3.so.0"

[ "$(wc -c <"$library")" -eq "$(wc -c <"$folder/libsqlite3.so.0")" ] ||
  give_up "sed changed the length of the library: it does not read binary files here"
if grep -qaE 'sqlite3(_preupdate_|_value_encoding|_snapshot_|session_|changeset_)' "$folder/libsqlite3.so.0"; then
  give_up "the copy of the library still has optional interfaces"
fi

status=0
LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$@" || status=$?
exit $status
