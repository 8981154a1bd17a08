#!/bin/sh
# Installs an etcd server for the tests of TidemarkCluster, if there is none.
#
# Only Debian's package `etcd-server` is installed, and only by root. Otherwise, the script prints why there is no server,
# and succeeds: the tests that require one are skipped. All output goes to standard error.

set -eu
exec 1>&2
. "$(dirname "$0")/debian.sh"

if [ -x /usr/bin/etcd ] || [ -x /usr/local/bin/etcd ]; then exit 0; fi

install_packages etcd-server || echo "etcd: $reason; the tests that require an etcd server are skipped"
