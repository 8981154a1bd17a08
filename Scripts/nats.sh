#!/bin/sh
# Installs a NATS server and the NATS client for C, for TidemarkClusterNATS and its tests, if they are missing.
#
# Only Debian's packages `nats-server` and `libnats-dev` are installed, and only by root. Without the client, the script
# fails, because the target cannot be built. Without the server, it prints why, and succeeds: the tests that require one
# are skipped. All output goes to standard error.

set -eu
exec 1>&2
. "$(dirname "$0")/debian.sh"

has_client() { [ -f /usr/include/nats/nats.h ] || [ -f /usr/local/include/nats/nats.h ]; }
has_server() { [ -x /usr/sbin/nats-server ] || [ -x /usr/bin/nats-server ] || [ -x /usr/local/bin/nats-server ]; }

if has_client && has_server; then exit 0; fi

if install_packages nats-server libnats-dev; then exit 0; fi
if ! has_client; then
  echo "nats: $reason; TidemarkClusterNATS requires the NATS client for C, libnats-dev"
  exit 1
fi
echo "nats: $reason; the tests that require a NATS server are skipped"
