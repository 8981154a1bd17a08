#!/bin/sh
# Installs a NATS server and the NATS client for C, for TidemarkClusterNATS and its tests, if they are missing.
#
# Only Debian's packages `nats-server` and `libnats-dev` are installed, and only by root. Without the client, the script
# fails, because the target cannot be built. Without the server, it prints why, and succeeds: the tests that require one
# are skipped. All output goes to standard error.

set -eu
exec 1>&2

has_client() { [ -f /usr/include/nats/nats.h ] || [ -f /usr/local/include/nats/nats.h ]; }
has_server() { [ -x /usr/sbin/nats-server ] || [ -x /usr/bin/nats-server ] || [ -x /usr/local/bin/nats-server ]; }

give_up() {
  if has_client; then
    echo "nats: $*; the tests that require a NATS server are skipped"
    exit 0
  fi
  echo "nats: $*; TidemarkClusterNATS requires the NATS client for C, libnats-dev"
  exit 1
}

if has_client && has_server; then exit 0; fi

command -v apt-get >/dev/null 2>&1 || give_up "something is missing, and there is no apt-get to install it"
[ "$(id -u)" -eq 0 ] || give_up "something is missing; as root, run Scripts/nats.sh to install it"

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

echo "nats: installing nats-server and libnats-dev"
# The package lists of a new machine or container are empty: update them, and try again.
apt install -y --no-install-recommends nats-server libnats-dev ||
  { apt update && apt install -y --no-install-recommends nats-server libnats-dev; } ||
  give_up "apt-get could not install nats-server and libnats-dev"
