#!/usr/bin/env bash
# The processor's rows beside its peers in one go: `bash benches/processor/table.sh CROSSLANE OUT`. On an idle machine. NumPy
# is installed if it is not there, PyTorch is measured if it is, and the C++ floor is built here.
set -euo pipefail
crosslane=$1 out=$2
here=$(dirname "$0")
mkdir -p "$out"
if ! python3 -c 'import numpy' 2>/dev/null; then
    [ -x "$out/python/bin/python3" ] || python3 -m venv "$out/python"
    "$out/python/bin/pip" install --quiet --disable-pip-version-check numpy
    export PATH="$PWD/$out/python/bin:$out/python/bin:$PATH"
fi
g++ -O3 -march=native -fopenmp "$here/floor.cpp" -o "$out/floor"
"$crosslane" bench --quick --device "${DEVICE:-cpu}" --json "$out/ours.json" ${ONLY:+--filter "$ONLY"}
"$out/floor" > "$out/floor.txt"
python3 "$here/table.py" "$out/ours.json" "$out/floor.txt" | tee "$out/table.md"
