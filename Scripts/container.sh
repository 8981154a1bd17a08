#!/usr/bin/env bash
# Links the program in Examples/Container statically with Swift's libraries, and runs it in a folder that contains only
# libc and libsqlite3, as in a minimal container image.
#
#   Scripts/container.sh [debug | release]
set -euo pipefail
cd "$(dirname "$0")/.."
configuration=${1:-debug}
scratch=$PWD/.build-examples/static
log=$scratch/container.log
mkdir -p "$scratch/lib"

fail() {
  echo "container: $1"
  exit 1
}

# The linker takes the C++ library from this folder, which has only the static one.
ln -sf "$(clang -print-file-name=libstdc++.a)" "$scratch/lib/"
swift build -c "$configuration" --package-path Examples/Container --scratch-path "$scratch" --static-swift-stdlib \
  -Xlinker --gc-sections -Xlinker "-L$scratch/lib" -Xswiftc -Xclang-linker -Xswiftc -static-libgcc >"$log" 2>&1 || {
  grep -E 'error:' "$log" || tail -n 20 "$log"
  fail 'the program does not build'
}

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir "$root/bin" "$root/data" "$root/dev" "$root/proc"
touch "$root/dev/urandom"
cp "$scratch/$configuration/Visits" "$root/bin/visits"
strip "$root/bin/visits"

# Everything that the program loads, libsqlite3's own dependencies included, where the program looks for it.
libraries=$(ldd "$root/bin/visits" | grep -o '/[^ ]*')
for library in $libraries; do
  case $(basename "$library") in
  libc.so.6 | libm.so.6 | ld-linux-*) ;; # libc
  libsqlite3.so.0) ;;
  # Parts of libc in older systems, and what some builds of libsqlite3 use.
  libpthread.so.0 | libdl.so.2 | libz.so.1) ;;
  *) fail "the program needs $library" ;;
  esac
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done

# Every container has /proc, from which Swift reads the arguments of a program, and /dev/urandom, from which it makes a
# UUID. The namespaces, of a user who need not be root, end with the program.
# shellcheck disable=SC2016
enter='root=$1; shift; mount -t proc proc "$root/proc"; mount --bind /dev/urandom "$root/dev/urandom"
  exec chroot "$root" /bin/visits /data/visits.sqlite "$@"'
visit() {
  timeout 60 unshare --map-root-user --mount --pid --fork sh -ec "$enter" sh "$root" "$@"
}

visit /home /about /home >"$scratch/first" || fail 'the program fails'
grep -qx $'/home\t2' "$scratch/first" || fail "the live query has not counted the visits: $(cat "$scratch/first")"
visit /about >"$scratch/second" || fail 'the program fails with an existing file'
grep -qx $'/about\t2' "$scratch/second" || fail "the visits were not kept: $(cat "$scratch/second")"
grep -q '^last visit: /about, 20.*Z, \["new"\]$' "$scratch/second" || fail "unexpected: $(cat "$scratch/second")"
echo "container: passed; the $configuration build has $(($(stat -c %s "$root/bin/visits") / 1000)) kB"
