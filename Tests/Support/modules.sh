#!/bin/sh
# Prints the folder of the built modules, which depends on how they were built.
#
#   Tests/Support/modules.sh [folder of built products]

products=$1
for modules in "$products/Modules" "$products"; do
  if [ -e "$modules/Tidemark.swiftmodule" ]; then
    echo "$modules"
    exit
  fi
done
echo "$products has no module Tidemark; build first, or name the folder of products" >&2
exit 2
