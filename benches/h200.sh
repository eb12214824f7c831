#!/bin/bash
# The peers and crosslane in one run on a card, for `cargo xtask results --merge`. One process for a part of the rows: the third
# or fourth variant of a process has been slow through Vulkan.
#
# benches/h200.sh CROSSLANE OUT [FILTER ...]: parts of rows' names; without, all rows
#     CROSSLANE: the program, built with `cuda,cli`. benches/peers/README.md says what the peers need.
#     Leaves OUT/peers.jsonl and OUT/ours.json.
set -u
crosslane=$1 out=$2
shift 2
# Every row has one of these in its name: a test of xtask looks.
[ $# -gt 0 ] || set -- copy mul_f32 add_f32 triad expression dot sum mat transpose softmax first_use load launch evaluate \
    result seed select histogram nth reduce_by_key run_lengths searchsorted sort take topk unique random fft conv depthwise \
    gaussian heat stream
peers=$(dirname "$0")/peers
parts=$(mktemp -d)
mkdir -p "$out"
nvcc -O3 -arch=native -std=c++17 --extended-lambda "$peers/cub_peers.cu" -o "$parts/cub_peers" &
{ python3 "$peers/python_peers.py"; python3 "$peers/warm_products.py"; python3 "$peers/more_peers.py"; } > "$out/peers.jsonl"
wait
"$parts/cub_peers" >> "$out/peers.jsonl"
for filter in "$@"; do
    "$crosslane" bench --compare --filter "$filter" --json "$parts/$filter.json" | grep '^| [a-z]'
    # After each, for the case that time ends. A row that several filters name counts once.
    python3 - "$parts" > "$out/ours.json" <<'PY'
import glob, json, sys
rows = {}
for part in sorted(glob.glob(sys.argv[1] + "/*.json")):
    rows.update({(r["op"], r["n"], r["engine"]): r for r in json.load(open(part))})
print(json.dumps(list(rows.values())))
PY
done
rm -r "$parts"
