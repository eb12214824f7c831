#!/bin/bash
# Two builds of crosslane on one card, row by row in turns, and the ratio of the new one to the old one.
#
# benches/beside.sh OLD NEW OUT [FILTER ...]: parts of rows' names; without, a row of each family
#     OLD, NEW: the program, built with `cuda,cli`. Leaves OUT/old.json, OUT/new.json and OUT/beside.txt.
set -u
old=$1 new=$2 out=$3
shift 3
[ $# -gt 0 ] || set -- copy_f32 expression_gelu sum_f32 sum_rows sum_columns exclusive_sum select_if histogram_even sort_keys \
    sort_pairs softmax matmul_f32 matmul_f16 reduce_by_key run_lengths unique topk nth searchsorted transpose launch evaluate
parts=$(mktemp -d)
mkdir -p "$out"
for filter in "$@"; do
    for turn in 1 2; do
        "$old" bench --compare --filter "$filter" --json "$parts/old.$filter.$turn.json" >/dev/null
        "$new" bench --compare --filter "$filter" --json "$parts/new.$filter.$turn.json" >/dev/null
    done
    # After each, for the case that time ends: the better figure of two turns.
    python3 - "$parts" "$out" > "$out/beside.txt" <<'PY'
import glob, json, sys
def rows(which):
    best = {}
    for part in glob.glob(f"{sys.argv[1]}/{which}.*.json"):
        for row in json.load(open(part)):
            key, less = (row["op"], row["n"], row["engine"]), row["unit"] in ("us", "ms", "s")
            if key not in best or (row["value"] < best[key]["value"]) == less:
                best[key] = row
    json.dump(list(best.values()), open(f"{sys.argv[2]}/{which}.json", "w"))
    return best
old, new = rows("old"), rows("new")
for key in sorted(new):
    if key in old:
        a, b = old[key], new[key]
        ratio = a["value"] / b["value"] if b["unit"] in ("us", "ms", "s") else b["value"] / a["value"]
        print(f"{key[0]:32} {key[1]:>10} {key[2]:12} {a['value']:10.4g} {b['value']:10.4g} {b['unit']:8} {ratio:.3f}")
PY
done
rm -r "$parts"
