#!/bin/sh
# Checks that long query interface expressions compile quickly.
#
#   Tests/TypeChecking/run.sh [folder of build products]
#
# LongExpressions.swift, LongTypedExpressions.swift and GenericTypedExpressions.swift are checked against the built modules,
# with the compiler's warning for slow expressions. The limit is 100 ms on a machine where Baseline.swift takes 125 ms, and
# proportionally more on a slower or busy machine. An expression fails if it is too slow sixteen times in a row.
#
# Swift6Program.swift, Swift5Program.swift and the first program of README.md (FirstProgram/main.swift) must compile, the
# last one without warnings.

set -u
cd "$(dirname "$0")/../.."
folder=Tests/TypeChecking
files="$folder/LongExpressions.swift $folder/LongTypedExpressions.swift $folder/GenericTypedExpressions.swift"
products=${1:-.build/debug}

# Prints the compile time of the baseline in milliseconds, the minimum of three runs.
baseline() {
  for attempt in 1 2 3; do
    swiftc -typecheck -parse-as-library -Xfrontend -warn-long-expression-type-checking=1 \
      Tests/TypeChecking/Baseline.swift 2>&1 | sed -n 's/.*Baseline.*expression took \([0-9]*\)ms.*/\1/p' | head -n 1
  done | sort -n | head -n 1
}

limit=${LIMIT:-$(($(baseline) * 100 / 125))}
[ "$limit" -ge 100 ] || [ -n "${LIMIT:-}" ] || limit=100

modules=$(Tests/Support/modules.sh "$products") || exit 2

# Prints the diagnostics of the compiler for a file, in a language mode.
diagnose() {
  swiftc -typecheck -parse-as-library -swift-version "$1" -I "$modules" \
    -Xcc -fmodule-map-file=Sources/CSQLite/module.modulemap \
    -Xfrontend -warn-long-expression-type-checking=$limit "$2" 2>&1
}

status=0

# Checks that a file compiles, in a language mode, with additional flags.
compile() {
  version=$1
  file=$2
  shift 2
  if said=$(swiftc -typecheck -swift-version "$version" -I "$modules" \
    -Xcc -fmodule-map-file=Sources/CSQLite/module.modulemap "$@" "$file" 2>&1); then
    echo "compiles  Swift $version: ${file#Tests/TypeChecking/}"
  else
    printf 'REFUSED   Swift %s\n%s\n' "$version" "$said"
    status=1
  fi
}

compile 5 Tests/TypeChecking/Swift5Program.swift -parse-as-library
for version in 5 6; do
  compile $version Tests/TypeChecking/Swift6Program.swift -parse-as-library
  compile $version Tests/TypeChecking/FirstProgram/main.swift -warnings-as-errors
done

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
