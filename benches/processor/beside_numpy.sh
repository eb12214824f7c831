#!/usr/bin/env bash
# The processor's rows beside NumPy in one go: `bash benches/processor/beside_numpy.sh CROSSLANE OUT`. On an idle machine.
set -euo pipefail
crosslane=$1 out=$2
mkdir -p "$out"
if ! python3 -c 'import numpy' 2>/dev/null; then
    [ -x "$out/python/bin/python3" ] || python3 -m venv "$out/python"
    "$out/python/bin/pip" install --quiet --disable-pip-version-check numpy
    export PATH="$out/python/bin:$PATH"
fi
"$crosslane" bench --quick --device "${DEVICE:-cpu}" --json "$out/ours.json"
python3 "$(dirname "$0")/beside_numpy.py" "$out/ours.json" | tee "$out/beside_numpy.md"
