#!/bin/sh
# Checks that invalid programs do not compile, for the expected reason.
#
#   Tests/Negative/run.sh [folder of build products] [case …]
#
# Each file in Cases is compiled with Prelude.swift against the built module. Its line "// refused: …" is an extended
# regular expression that must match an error of the compiler. Control.swift, which does the same things correctly, must
# compile: otherwise an error in the prelude would make every case look refused.

set -u
cd "$(dirname "$0")/../.."
here=Tests/Negative
products=${1:-.build/debug}
[ $# -gt 0 ] && shift

modules=$(Tests/Support/modules.sh "$products") || exit 2

# Prints the diagnostics of the compiler for a file, including those of the SIL passes, which check sending between tasks.
diagnose() {
  swiftc -wmo -emit-sil -o /dev/null -swift-version 6 -parse-as-library -module-name Negative -I "$modules" \
    -Xcc -fmodule-map-file=Sources/CSQLite/module.modulemap "$here/Prelude.swift" "$1" 2>&1
}

check() {
  file=$here/Cases/$1.swift
  [ -f "$file" ] || {
    echo "UNKNOWN   $1: there is no $file"
    return 1
  }
  reason=$(sed -n 's|^// refused: ||p' "$file")
  [ -n "$reason" ] || {
    echo "UNCLEAR   $1: the file has no line '// refused: …'"
    return 1
  }
  if said=$(diagnose "$file"); then
    echo "ACCEPTED  $1"
    return 1
  fi
  errors=$(printf '%s\n' "$said" | grep 'error: ')
  if first=$(printf '%s\n' "$errors" | grep -m 1 -E -e "$reason"); then
    echo "refused   $1: ${first##*error: }"
  else
    printf 'MISTAKEN  %s: refused, but no error matches "%s"\n%s\n' "$1" "$reason" "$errors"
    return 1
  fi
}

control() {
  if said=$(diagnose "$here/Control.swift"); then
    echo "accepted  control"
  else
    printf 'REFUSED   control, which must be accepted\n%s\n' "$said"
    return 1
  fi
}

if [ $# -eq 0 ]; then
  for file in "$here"/Cases/*.swift; do
    set -- "$@" "$(basename "$file" .swift)"
  done
  set -- control "$@"
fi

status=0
for name in "$@"; do
  if [ "$name" = control ]; then control || status=1; else check "$name" || status=1; fi
done
exit $status
