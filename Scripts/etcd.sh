#!/bin/sh
# Installs an etcd server for the tests of TidemarkCluster, if there is none.
#
# Only Debian's package `etcd-server` is installed, and only by root. Otherwise, the script prints why there is no server,
# and succeeds: the tests that require one are skipped. All output goes to standard error.

set -eu
exec 1>&2

if [ -x /usr/bin/etcd ] || [ -x /usr/local/bin/etcd ]; then exit 0; fi

skip() {
  echo "etcd: $*; the tests that require an etcd server are skipped"
  exit 0
}

command -v apt-get >/dev/null 2>&1 || skip "no etcd server is installed, and there is no apt-get to install one"
[ "$(id -u)" -eq 0 ] || skip "no etcd server is installed; as root, run Scripts/etcd.sh to install it"

apt() {
  DEBIAN_FRONTEND=noninteractive apt-get \
    -o Acquire::Retries=1 -o Acquire::http::Timeout=30 -o DPkg::Lock::Timeout=120 "$@"
}

# The tests start servers of their own: the package must not start one.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
  trap 'rm -f "$policy"' EXIT
fi

echo "etcd: installing etcd-server for the tests of TidemarkCluster"
# The package lists of a new machine or container are empty: update them, and try again.
apt install -y --no-install-recommends etcd-server ||
  { apt update && apt install -y --no-install-recommends etcd-server; } ||
  skip "apt-get could not install etcd-server"
