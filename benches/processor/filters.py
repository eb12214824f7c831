"""The rows of `crosslane bench --device cpu --quick --filter ROW --json OURS.json` for filters beside SciPy and OpenCV.

    python3 benches/processor/filters.py OURS.json [OURS.json ...]     # an idle machine, right after the bench

Prints row, n, crosslane's figure, and the ratios to SciPy and to OpenCV on one thread and on all: above 1, crosslane is faster.
`pip install numpy scipy opencv-python-headless` has the peers.
"""
import json
import os
import sys

import cv2
import numpy as np
import scipy.ndimage as ndimage
import scipy.signal as signal

from timing import best

rng = np.random.default_rng(1)


def image(n):
    return rng.random((n, n), dtype=np.float32)


def weighed(side):
    weights = rng.random((side, side), dtype=np.float32)
    return (
        lambda x: ndimage.correlate(x, weights, mode="constant"),
        lambda x: cv2.filter2D(x, -1, weights, borderType=cv2.BORDER_CONSTANT),
        lambda n: (image(n), 8e-9 * n * n),
    )


def bell():
    return (
        lambda x: ndimage.gaussian_filter(x, 7 / 4, radius=7),
        lambda x: cv2.GaussianBlur(x, (15, 15), 7 / 4, borderType=cv2.BORDER_REFLECT),
        lambda n: (image(n), 16e-9 * n * n),
    )


def line():
    weights = rng.random(31, dtype=np.float32)
    return (
        lambda x: signal.oaconvolve(x, weights, mode="same"),
        lambda x: cv2.filter2D(x.reshape(1, -1), -1, weights.reshape(1, -1), borderType=cv2.BORDER_CONSTANT),
        lambda n: (rng.random(n, dtype=np.float32), 8e-9 * n),
    )


# SciPy's, OpenCV's, and an array with the work in the row's unit times seconds.
ROWS = {
    "conv2d_3x3_1ch_f32": weighed(3),
    "conv2d_5x5_1ch_f32": weighed(5),
    "conv2d_15x15_1ch_f32": weighed(15),
    "gaussian_15_f32": bell(),
    "conv1d_31_f32": line(),
}

print("| row | n | crosslane | unit | SciPy | OpenCV, 1 thread | OpenCV |\n|---|---|---|---|---|---|---|")
for path in sys.argv[1:]:
    for row in json.load(open(path)):
        if row["op"] not in ROWS or row["unit"] != "GB/s":
            continue
        by_scipy, by_opencv, make = ROWS[row["op"]]
        values, work = make(row["n"])
        ratios = [row["value"] * best(lambda: by_scipy(values)) / work]
        for threads in (1, os.cpu_count()):
            cv2.setNumThreads(threads)
            ratios.append(row["value"] * best(lambda: by_opencv(values)) / work)
        print(f"| {row['op']} | {row['n']} | {row['value']:.4g} | GB/s | {' | '.join(f'{r:.2f}' for r in ratios)} |", flush=True)
