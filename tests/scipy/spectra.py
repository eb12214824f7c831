"""Transforms of scipy.fft, and spectra of pieces and the analytic signal of scipy.signal."""
import math

import numpy as np
from draw import UNITS, row
from filters import largest
from scipy import fft, signal

NORMS = ["backward", "ortho", "forward"]


def within(type_, result, lengths):
    """Three times the documented bound, of the largest value for the root mean square, and twice that for primes."""
    return 3 * (3e-7 if type_ == "f32" else 6e-16) * math.log2(2 * max(lengths, default=1) + 2) * largest(result)


def transform(d):
    type_ = d.floating()
    what = d.pick(["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
    shape = d.shape(d.pick([1, 2, 3]))
    many = d.chance(0.5) and what[0] != "h" and what != "ihfft"
    axes = d.axes(len(shape)) if many else [-1]
    lengths = [d.whole(1, 2 * shape[axis] + 2) for axis in axes] if what in ("irfft", "hfft") or (d.chance(0.4) and what != "ihfft") else None
    norm = d.pick(NORMS) if many else "backward"
    is_complex = what in ("irfft", "hfft") or (what in ("fft", "ifft") and d.chance(0.6))
    d.hollow(shape, axes)
    x = d.values(type_, shape) + (1j * d.values(type_, shape) if is_complex else 0)
    if many:
        result = getattr(fft, what + "n")(x, lengths, axes, norm)
    else:
        result = getattr(fft, what)(x, lengths[0] if lengths else None)
    return row(what, type_, x, [result], within(type_, result, result.shape), complex=is_complex, view=d.view(), axes=axes if many else None,
               lengths=lengths, norm=norm)


def cosine(d):
    what, kind = d.pick(["dct", "dst"]), d.whole(1, 4)
    norm = "backward" if kind == 1 else d.pick(NORMS)
    shape = d.shape(d.pick([1, 2, 3]))
    if what == "dct" and kind == 1:
        shape[-1] = max(2, shape[-1])
    x = d.values("f32", d.hollow(shape, [-1]))
    result = getattr(fft, what)(x, kind, norm=norm)
    return row(what, "f32", x, [result], within("f32", result, shape[-1:]), view=d.view(), at=kind, norm=norm)


def moved(d):
    what, shape = d.pick(["fftshift", "ifftshift"]), d.shape(d.pick([1, 2, 3]))
    type_ = d.pick(["f32", "f64", "i32", "u8"])
    x, axes = d.values(type_, shape), d.axes(len(shape))
    return row(what, type_, x, [getattr(fft, what)(x, axes)], 0, view=d.view(), axes=axes)


def frequencies(d):
    what, length, spacing = d.pick(["fftfreq", "rfftfreq"]), d.whole(1, 70), d.number(0.01, 20)
    result = getattr(fft, what)(length, spacing)
    return row(what, "f32", np.zeros(0), [result], UNITS["f32"] * largest(result) * 2, at=length, spacing=spacing)


def window(d, length):
    name, beta = d.pick(["rectangular", "hann", "hamming", "blackman", "kaiser"]), d.number(0, 14)
    by = {"rectangular": "boxcar", "kaiser": ("kaiser", beta)}.get(name, name)
    return name, beta, signal.get_window(by, length)


def pieces(d):
    what = d.pick(["stft", "power_spectrum", "window"])
    shape, length = d.shape(d.pick([1, 2, 3])), d.whole(1, 40)
    shape[-1] = max(shape[-1], length)
    step, rate = d.whole(1, length), d.pick([1.0, d.number(0.1, 1000)])
    name, beta, weights = window(d, length)
    given = {"length": length, "step": step, "window": name, "beta": beta}
    if what == "window":
        return row(what, "f32", np.zeros(0), [weights], 2 * UNITS["f32"], **given)
    x = d.values("f32", d.hollow(shape, [-1]) if what == "stft" else shape)
    if what == "stft":
        parts = np.lib.stride_tricks.sliding_window_view(x, length, -1)[..., ::step, :]
        result = fft.rfft(parts * weights)
        return row(what, "f32", x, [result], within("f32", result, [length]), view=d.view(), **given)
    if not weights.any():
        return None
    _, result = signal.welch(x, rate, weights, length, length - step, detrend=False)
    return row(what, "f32", x, [result], 4 * within("f32", result, [length]), view=d.view(), rate=rate, **given)


def analytic(d):
    type_, shape = d.floating(), d.shape(d.pick([1, 2, 3]))
    x = d.values(type_, d.hollow(shape, [-1]))
    result = signal.hilbert(x)
    return row("analytic_signal", type_, x, [result], 2 * within(type_, result, shape[-1:]), view=d.view())


FAMILIES = [transform, transform, cosine, moved, frequencies, pieces, analytic]
