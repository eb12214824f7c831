"""Pairs figures of `crosslane bench --json` with those of the peers, taken in the same run on the same GPU.

python3 benches/h200.py OURS.json PEERS.jsonl COMMIT DATE     (benches/h200.sh makes the first two)
    writes benches/h200.json and the table between README.md's markers. Rows that OURS does not have stay as they were:
    each says of what commit it is.

PEERS.jsonl: the lines that cub_peers, python_peers.py and peers.py print, {"peer", "op", "n", "value", "unit"}.
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What each of our operations is compared with, by the peers' names; the best figure of them counts.
# A fused expression moves as many bytes a second as the card can, if it is done well: its measure is CUDA's triad.
PEERS = {
    "copy_f32": ["copy_f32", "copy_d2d"],
    "triad_f32": ["triad_f32"],
    "expression_2x_plus_1": ["triad_f32"],
    "expression_sqrt": ["triad_f32"],
    "expression_gelu": ["triad_f32"],
    "sum_f32": ["sum_f32"],
    "sum_rows_f32": ["sum_rows_f32"],
    "sum_columns_f32": ["sum_columns_f32"],
    "transpose_f32": ["transpose_f32"],
    "upload_pageable": ["upload_pageable"],
    "download_pageable": ["download_pageable"],
    "download_pageable_into": ["download_pageable"],
    "download_mapped": ["download_pinned"],
    "launch_sync_empty": ["launch_sync_empty"],
    "launch_sync_empty_each": ["launch_sync_empty"],
    "matmul_wgsl_f32": ["matmul_f32"],
    "matmul_wgsl_checked_f32": ["matmul_f32"],
    "result_4_bytes": ["download_4_bytes"],
    "seed_increment_device": ["seed_increment_device"],
    "seed_increment_host_array": ["seed_increment_host_array"],
    "seed_multiply_1024x1024": ["seed_multiply_1024x1024"],
    "seed_multiply_32x256": ["seed_multiply_32x256"],
    "seed_histogram_150_device": ["seed_histogram_150_device"],
    "seed_matmul_256x512x256": ["seed_matmul_256x512x256"],
    "seed_matmul_256x512x256_checked": ["seed_matmul_256x512x256"],
    "launch_wgsl_each": ["launch_sync_empty"],
    "exclusive_sum_f32": ["exclusive_sum_f32"],
    "select_if_f32_25pct": ["select_if_f32_25pct"],
    "histogram_even_f32_256": ["histogram_even_f32_256"],
    "histogram_even_f32_4096": ["histogram_even_f32_4096"],
    "sort_keys_u32": ["sort_keys_u32"],
    "sort_pairs_u32": ["sort_pairs_u32"],
    "argsort_i32": ["argsort_i32"],
    "topk_100_i32": ["topk_100_i32"],
    "softmax_rows_f32": ["softmax_rows_f32"],
    "matmul_f32": ["matmul_f32"],
    "matmul_f16": ["matmul_f16"],
    "matmul_tensor_f32": ["matmul_tf32"],
    "matmul_batched_f32_64": ["matmul_batched_f32_64"],
    "matmul_256x512x256": ["seed_matmul_256x512x256"],
    "matvec_f32": ["matvec_f32"],
}


def best(op, n, peers):
    rows = [p for p in peers if p["op"] in PEERS.get(op, []) and p["n"] == n]
    # Warmed up as ours are, where somebody measured that.
    rows = [p for p in rows if "warm_ms" in p] or rows
    smaller = rows and rows[0]["unit"] in ("us", "ms")
    return (min if smaller else max)(rows, key=lambda p: p["value"]) if rows else None


def pair(row, peers, commit, date):
    peer = best(row["op"], row["n"], peers)
    ratio = None
    if peer:
        ratio = peer["value"] / row["value"] if row["unit"] in ("us", "ms") else row["value"] / peer["value"]
    return {
        "op": row["op"],
        "n": row["n"],
        # A bench of one device calls it by its name.
        "engine": {"cuda": "cuda-best"}.get(row["engine"], row["engine"]),
        "value": float(f"{row['value']:.4g}"),
        "unit": row["unit"],
        "peer": f"{peer['peer']} {peer['op']}" if peer else None,
        "peer_value": peer["value"] if peer else None,
        "ratio": float(f"{ratio:.3g}") if ratio else None,
        "date": date,
        "commit": commit,
    }


def merged(old, new):
    """The rows of before with the new ones in their places, by engine, and those of other operations behind."""
    key = lambda row: (row["op"], row["n"], row["engine"])
    fresh = {key(row): row for row in new}
    kept = [fresh.pop(key(row), row) for row in old]
    engines = list(dict.fromkeys(row["engine"] for row in kept + new))
    return sorted(kept + list(fresh.values()), key=lambda row: engines.index(row["engine"]))


def markdown(rows):
    lines = ["| operation | n | engine | measured | peer, same run | ratio | commit |", "|---|---|---|---|---|---|---|"]
    for r in rows:
        peer = f"{r['peer']} {r['peer_value']:g}" if r["peer"] else ""
        ratio = f"{r['ratio']:g}" if r["ratio"] else ""
        lines.append(f"| {r['op']} | {r['n']} | {r['engine']} | {r['value']:g} {r['unit']} | {peer} | {ratio} | {r['commit']} |")
    return "\n".join(lines)


def main(ours, theirs, commit, date):
    peers = [json.loads(line) for line in open(theirs) if line.startswith("{")]
    new = [pair(row, peers, commit, date) for row in json.load(open(ours))]
    rows = merged(json.loads((ROOT / "benches/h200.json").read_text()), new)
    text = ",\n".join("  " + json.dumps(row) for row in rows)
    (ROOT / "benches/h200.json").write_text(f"[\n{text}\n]\n")
    readme = (ROOT / "README.md").read_text()
    head, rest = readme.split("<!-- table -->", 1)
    tail = rest.split("<!-- /table -->", 1)[1]
    note = "One NVIDIA H200; benches/h200.json has the dates. Ratio above 1: crosslane is better.\n\n"
    (ROOT / "README.md").write_text(f"{head}<!-- table -->\n{note}{markdown(rows)}\n<!-- /table -->{tail}")


if __name__ == "__main__":
    main(*sys.argv[1:])
