#!/usr/bin/env python3
"""Makes complex_signals.json: filters in time of complex signals, by SciPy.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 scipy==1.17.1
    venv/bin/python tests/conformance/complex_signals.py
"""
import json
import pathlib

import numpy as np
from scipy import signal

TABLE = pathlib.Path(__file__).parent / "complex_signals.json"
SHAPES = [((41,), 0), ((2, 33), 1), ((30, 2), 0), ((1,), 0), ((2, 31, 2), -2)]
random = np.random.default_rng(51)


def numbers(shape):
    # Multiples of 1 / 16, which f32 holds.
    return (random.integers(-64, 65, shape) + 1j * random.integers(-64, 65, shape)) / 16


def kept(values):
    values = np.asarray(values, dtype=complex)
    pairs = [[round(value.real, 9), round(value.imag, 9)] for value in values.ravel().tolist()]
    return {"shape": list(values.shape), "values": pairs}


def rows(signals):
    sos = signal.butter(5, 0.3, output="sos")
    b, a = signal.butter(2, 0.25)
    for nth, (shape, axis) in enumerate(SHAPES):
        own = {"axis": axis}

        def row(what, *results, **given):
            return {"what": what, "x": nth, **own, **given, "results": [kept(result) for result in results]}

        x = signals[nth]
        yield row("lfilter", signal.lfilter(b, a, x, axis), b=b.tolist(), a=a.tolist())
        yield row("lfilter", signal.lfilter([0.5, -1.0, 0.25], [2.0], x, axis), b=[0.5, -1.0, 0.25], a=[2.0])
        yield row("sosfilt", signal.sosfilt(sos, x, axis), sos=sos.tolist())
        along = list(shape)
        along[axis] = 2
        states = numbers(along)
        yield row("lfilter_from", *signal.lfilter(b, a, x, axis, zi=states), b=b.tolist(), a=a.tolist(), states=kept(states))
        states = numbers([len(sos), *along])
        yield row("sosfilt_from", *signal.sosfilt(sos, x, axis, zi=states), sos=sos.tolist(), states=kept(states))
        for up, down in [(3, 2), (1, 4), (5, 1), (2, 7)]:
            yield row("resample_poly", signal.resample_poly(x, up, down, axis), up=up, down=down)
        for factor in (2, 5):
            yield row("decimate", signal.decimate(x, factor, ftype="fir", axis=axis), factor=factor)
        count = shape[axis]
        for other in {max(count // 2, 1), count + 1, 2 * count}:
            yield row("resample", signal.resample(x, other, axis=axis), count=other)
        if count > 28:
            yield row("filtfilt", signal.filtfilt(b, a, x, axis), b=b.tolist(), a=a.tolist())
            yield row("sosfiltfilt", signal.sosfiltfilt(sos, x, axis), sos=sos.tolist())
            yield row("decimate_iir", signal.decimate(x, 3, axis=axis), factor=3)


def main():
    signals = [numbers(shape) for shape, _ in SHAPES]
    table = {"by": "numpy 2.4.6, scipy 1.17.1", "signals": [kept(x) for x in signals], "rows": [*rows(signals)]}
    TABLE.write_text(json.dumps(table, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
