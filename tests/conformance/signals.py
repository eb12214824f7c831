#!/usr/bin/env python3
"""Rows of signals.json that SciPy computes: Butterworth and Chebyshev designs as sections, and decimation by recursive filters.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 scipy==1.17.1
    venv/bin/python tests/conformance/signals.py

Rows of these kinds are replaced, all others stay as they are: they were made by a script that is not kept.
"""
import json
import pathlib

import numpy as np
from scipy import signal

TABLE = pathlib.Path(__file__).parent / "signals.json"
RATE = 1000.0
# Names and bounds of bands; SciPy's names.
BANDS = [
    ("low", [50.0]), ("low", [317.3]), ("high", [120.0]), ("high", [430.0]),
    ("band", [80.0, 140.0]), ("band", [10.0, 450.0]), ("stop", [60.0, 90.0]), ("stop", [200.5, 330.0]),
]
PASSES = {"low": "lowpass", "high": "highpass", "band": "bandpass", "stop": "bandstop"}
RIPPLES = [0.05, 0.5, 1.0, 3.0]


def kept(values):
    values = np.asarray(values, dtype=float)
    return {"shape": list(values.shape), "values": values.ravel().tolist()}


def designs():
    for nth, (band, bounds) in enumerate(BANDS):
        for order in range(1, 9):
            at = {"order": order, "band": band, "bounds": bounds}
            options = {"btype": PASSES[band], "output": "sos", "fs": RATE}
            critical = bounds if len(bounds) > 1 else bounds[0]
            yield {"what": "butterworth_response", **at, "results": [kept(signal.butter(order, critical, **options))]}
            ripple = RIPPLES[(nth + order) % len(RIPPLES)]
            sos = signal.cheby1(order, ripple, critical, **options)
            yield {"what": "chebyshev1_response", "ripple": ripple, **at, "results": [kept(sos)]}


def decimated():
    random = np.random.default_rng(29)
    few, all_of_them = (2, 13), (1, 2, 3, 5, 8, 13, 100)
    for shape, axis, factors in [((28,), 0, few), ((40, 2), 0, few), ((2, 61), 1, all_of_them), ((200,), 0, (13, 100))]:
        for factor in factors:
            # Multiples of 1 / 16, which f32 holds.
            x = random.integers(-64, 65, shape) / 16
            row = {"what": "decimate_iir", "x": kept(x), "factor": factor, "axis": axis}
            yield {**row, "results": [kept(signal.decimate(x, factor, axis=axis))]}


def main():
    table = json.loads(TABLE.read_text())
    rows = [*designs(), *decimated()]
    made = {row["what"] for row in rows}
    table["rows"] = [row for row in table["rows"] if row["what"] not in made] + rows
    TABLE.write_text(json.dumps(table, separators=(",", ":")))


if __name__ == "__main__":
    main()
