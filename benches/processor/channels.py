"""The rows of `crosslane bench --device cpu --quick --filter n32_c64 --json OURS.json` beside PyTorch's convolutions on as many threads.

    python3 benches/processor/channels.py OURS.json [OURS.json ...]     # an idle machine, right after the bench

Prints row, crosslane's figure, PyTorch's, and the ratio: above 1, crosslane is faster. `pip install numpy torch` has the peer.
"""
import json
import os
import sys

import torch

from timing import best

torch.set_num_threads(os.cpu_count())
torch.set_grad_enabled(False)

# What a processor gets: a batch of 2, 64 channels of 56 x 56.
BATCH, CHANNELS, SIDE, TAPS = 2, 64, 56, 3
RESULTS = BATCH * CHANNELS * SIDE * SIDE
FLOPS = 2 * RESULTS * CHANNELS * TAPS * TAPS


def convolution(dtype, groups):
    x = torch.rand(BATCH, CHANNELS, SIDE, SIDE, dtype=torch.float32).to(dtype)
    weights = torch.rand(CHANNELS, CHANNELS // groups, TAPS, TAPS, dtype=torch.float32).to(dtype)
    return lambda: torch.nn.functional.conv2d(x, weights, padding=1, groups=groups)


# PyTorch's, and the work in the row's unit times seconds.
ROWS = {
    "conv2d_3x3_n32_c64_112_f32": (convolution(torch.float32, 1), FLOPS * 1e-12),
    "conv2d_3x3_n32_c64_112_f16": (convolution(torch.float16, 1), FLOPS * 1e-12),
    "depthwise_3x3_n32_c64_112_f32": (convolution(torch.float32, CHANNELS), 8e-9 * RESULTS),
}

print("| row | crosslane | PyTorch | unit | ratio |\n|---|---|---|---|---|")
for path in sys.argv[1:]:
    for row in json.load(open(path)):
        if row["op"] in ROWS:
            peer, work = ROWS[row["op"]]
            theirs = work / best(peer)
            print(f"| {row['op']} | {row['value']:.4g} | {theirs:.4g} | {row['unit']} | {row['value'] / theirs:.2f} |", flush=True)
