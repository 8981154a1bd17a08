#!/bin/sh
# Shows that the compiler is quick with long expressions of the query interface.
#
#   Tests/TypeChecking/run.sh [folder of built products]
#
# LongExpressions.swift and LongTypedExpressions.swift are checked against the built modules, with the compiler's warning
# for expressions that take more than 100 ms. The compiler measures its own work, and not the clock on the wall; on a
# busy machine that is not quite the same: what is slow sixteen times in a row is slow.

set -u
cd "$(dirname "$0")/../.."
files="Tests/TypeChecking/LongExpressions.swift Tests/TypeChecking/LongTypedExpressions.swift"
products=${1:-.build/debug}
limit=${LIMIT:-100}

modules=$(Tests/Support/modules.sh "$products") || exit 2

# What the compiler has to say of a file, in a language mode.
diagnose() {
  swiftc -typecheck -parse-as-library -swift-version "$1" -I "$modules" \
    -Xcc -fmodule-map-file=Sources/CSQLite/module.modulemap \
    -Xfrontend -warn-long-expression-type-checking=$limit "$2" 2>&1
}

status=0
for file in $files; do
  for version in 5 6; do
    for attempt in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
      if said=$(diagnose $version "$file"); then
        slow=$(printf '%s\n' "$said" | grep -E "^$file:.*(warning|error): ")
        [ -z "$slow" ] && break
      else
        slow=$said
        break
      fi
    done
    if [ -z "$slow" ]; then
      echo "quick     Swift $version: every expression of ${file##*/} in less than $limit ms"
    else
      printf 'SLOW      Swift %s\n%s\n' "$version" "$slow"
      status=1
    fi
  done
done
exit $status
