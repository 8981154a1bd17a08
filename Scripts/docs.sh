#!/usr/bin/env bash
# Builds the documentation sites of Tidemark, SQLiteDB and TidemarkCluster with the toolchain's DocC, into FOLDER (default: .build/docs).
# Fails on DocC warnings, and if the coverage of a module is below the limits in Scripts/Documentation/symbols.py.
#
#   Scripts/docs.sh [FOLDER] [SCRATCH PATH]
#
# The symbol graphs are extracted from the modules that `swift build` has written to the scratch path (default: .build).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=${1:-.build/docs}
scratch=${2:-.build}
modules=$scratch/debug/Modules
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

target=$(swift -print-target-info | sed -n 's/^ *"unversionedTriple": "\(.*\)",*/\1/p')
mkdir -p "$work/graphs" "$work/merged"
for module in TidemarkEssentials Tidemark SQLiteDB TidemarkCluster; do
  swift-symbolgraph-extract -module-name "$module" -I "$modules" -Xcc -fmodule-map-file=Sources/CSQLite/module.modulemap \
    -target "$target" -minimum-access-level public -skip-inherited-docs -skip-synthesized-members \
    -output-dir "$work/graphs"
done
python3 Scripts/Documentation/symbols.py merge "$work/graphs" "$work/merged"

rm -rf "$folder"
mkdir -p "$folder"
for module in Tidemark SQLiteDB TidemarkCluster; do
  mkdir -p "$work/$module"
  cp "$work/merged/$module"*.json "$work/$module/"
  # The names of the modules of Tidemark begin alike.
  if [ "$module" = Tidemark ]; then rm "$work/$module/TidemarkCluster"*.json; fi
  docc convert "Sources/$module/$module.docc" \
    --fallback-display-name "$module" --fallback-bundle-identifier "org.tidemark.$module" \
    --additional-symbol-graph-dir "$work/$module" --output-path "$folder/$module" \
    --transform-for-static-hosting --hosting-base-path "$module" --warnings-as-errors >"$work/docc.log" 2>&1 ||
    { cat "$work/docc.log" >&2; exit 1; }
done
# Measure all modules before failing.
status=0
for module in Tidemark SQLiteDB TidemarkCluster; do
  python3 Scripts/Documentation/symbols.py coverage "$work/merged" "$module" || status=1
done
echo "docs: run 'python3 -m http.server --directory $folder', and open http://localhost:8000/Tidemark/documentation/tidemark"
exit $status
