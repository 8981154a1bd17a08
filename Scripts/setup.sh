#!/bin/sh
# Makes sure that this machine can build the package: a Swift toolchain, and the header and library of SQLite.
#
# If everything is installed, it does and prints nothing. Otherwise it installs the distribution's SQLite development
# package. If this is not possible, it prints what is missing and what to do.
# All output goes to standard error, to keep it apart from the output of the make target.

set -eu
exec 1>&2

give_up() {
  echo "setup: $*"
  exit 1
}

# True if a C program that calls SQLite compiles and links. Without a C compiler, true if the header exists.
has_sqlite() {
  for compiler in clang cc gcc; do
    command -v "$compiler" >/dev/null 2>&1 || continue
    probe=$(mktemp -d)
    # pkg-config prints a list of options, which must be split into words.
    # shellcheck disable=SC2046
    if printf '#include <sqlite3.h>\nint main(void) { return sqlite3_libversion_number() == 0; }\n' |
      "$compiler" -x c - -o "$probe/program" $(pkg-config --cflags --libs sqlite3 2>/dev/null) -lsqlite3 \
        >/dev/null 2>&1; then
      found=0
    else
      found=1
    fi
    rm -rf "$probe"
    return $found
  done
  [ -f /usr/include/sqlite3.h ] || [ -f /usr/local/include/sqlite3.h ]
}

# Runs a command as root: directly, or through sudo. Without a terminal sudo must not ask for a password.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    if [ -t 0 ]; then sudo "$@"; else sudo -n "$@"; fi
  else
    give_up "installing $package takes root, and there is no sudo here. As root, run: $*"
  fi
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get \
    -o Acquire::Retries=1 -o Acquire::http::Timeout=30 -o DPkg::Lock::Timeout=120 "$@"
}

install_sqlite() {
  echo "setup: no usable SQLite development files; installing $package"
  case $manager in
    # The package lists of a new machine or container are empty: update them, and try again.
    apt-get)
      apt install -y --no-install-recommends "$package" ||
        { apt update && apt install -y --no-install-recommends "$package"; }
      ;;
    dnf | yum) as_root "$manager" install -y "$package" ;;
    apk) as_root apk add --no-cache "$package" ;;
    brew) brew install "$package" ;;
  esac
}

command -v swift >/dev/null 2>&1 ||
  give_up "there is no 'swift' on the PATH. Install a Swift 6.2 toolchain or later: https://www.swift.org/install"

has_sqlite && exit 0

manager=none
for candidate in apt-get dnf yum apk brew; do
  if command -v "$candidate" >/dev/null 2>&1; then
    manager=$candidate
    break
  fi
done
case $manager in
  apt-get) package=libsqlite3-dev ;;
  dnf | yum) package=sqlite-devel ;;
  apk) package=sqlite-dev ;;
  brew) package=sqlite ;;
  none) give_up "SQLite's header and library are missing, and so is a package manager this script knows" \
    "(apt-get, dnf, yum, apk, brew). Install sqlite3.h and libsqlite3, then try again." ;;
esac

install_sqlite ||
  give_up "$manager could not install $package; its own words are above. Without network or without the right to" \
    "install packages, have somebody install $package, then try again."
has_sqlite ||
  give_up "$package is installed, but a C program that includes <sqlite3.h> and links with -lsqlite3 still does not" \
    "build. Check where sqlite3.h and libsqlite3 are, and set PKG_CONFIG_PATH when they are not in the system's place."
