# Installs Debian packages of servers for the tests. Read by other scripts: . Scripts/debian.sh

apt() {
  DEBIAN_FRONTEND=noninteractive apt-get \
    -o Acquire::Retries=1 -o Acquire::http::Timeout=30 -o DPkg::Lock::Timeout=120 "$@"
}

# install_packages PACKAGE...: installs the packages, and starts none of their servers. If it fails, $reason says why.
install_packages() {
  if ! command -v apt-get >/dev/null 2>&1; then
    reason="$* cannot be installed, because there is no apt-get"
    return 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    reason="$* cannot be installed; as root, run $0 to install them"
    return 1
  fi
  # The tests start servers of their own: the packages must not start one.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    trap 'rm -f "$policy"' EXIT
  fi
  echo "installing $* for the tests of TidemarkCluster"
  # The package lists of a new machine or container are empty: update them, and try again.
  if apt install -y --no-install-recommends "$@"; then return 0; fi
  if apt update && apt install -y --no-install-recommends "$@"; then return 0; fi
  reason="apt-get could not install $*"
  return 1
}
