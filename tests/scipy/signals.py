"""Filters in time of scipy.signal: recurrences, their designs, other rates, smoothing, peaks, convolutions."""
import warnings

import numpy as np
from draw import UNITS, row
from filters import largest
from scipy import signal

BANDS = {"low": "lowpass", "high": "highpass", "band": "bandpass", "stop": "bandstop"}


def values(d, type_, shape):
    """Real ones; some are complex."""
    x = d.values(type_, shape)
    return (x + 1j * d.values(type_, shape), True) if d.chance(0.25) else (x, False)


def along(d, least):
    """A shape and one of its axes, which has so many values at least."""
    shape = d.shape(d.pick([1, 1, 2, 3]))
    axis = d.whole(-len(shape), len(shape) - 1)
    shape[axis] = max(shape[axis], least)
    return d.hollow(shape, [axis]), axis


def polynomial(d, order, within):
    """The coefficients of a polynomial of roots in a circle."""
    roots = []
    while len(roots) < order:
        size = d.number(0, within)
        if order - len(roots) > 1 and d.chance(0.6):
            root = size * np.exp(1j * d.number(0, np.pi))
            roots += [root, root.conjugate()]
        else:
            roots.append(size * d.pick([1, -1]))
    return np.real(np.poly(roots)) if order else np.ones(1)


def recurrence(d, most):
    b, a = d.values("f32", [d.whole(1, most + 1)]), polynomial(d, d.whole(0, most), 0.9)
    if not b.any():
        b[0] = 1
    scale = d.pick([1.0, 1.0, 2.0, -0.5])
    return b.astype(float), a * scale


def gain(b, a):
    """How far an error of one step goes, and how large states are."""
    one = np.zeros(400)
    one[0] = 1
    ring = float(np.abs(signal.lfilter([1], np.asarray(a) / a[0], one)).sum())
    return ring * (1 + float(np.abs(np.asarray(b) / a[0]).sum()) * ring * float(np.abs(np.asarray(a) / a[0]).max()))


def lfilter(d):
    type_ = d.floating()
    b, a = recurrence(d, 5)
    shape, axis = along(d, 1)
    x, complex_ = values(d, type_, shape)
    bound = UNITS[type_] * largest(x) * gain(b, a) * 16
    states = max(len(a), len(b)) - 1
    if states and d.chance(0.4):
        of = list(x.shape)
        of[axis] = states
        zi = d.values(type_, of) + (1j * d.values(type_, of) if complex_ else 0)
        y, zf = signal.lfilter(b, a, x, axis, zi)
        return row("lfilter_from", type_, x, [y, zf], 8 * bound * largest(x, zi) / largest(x), complex=complex_, view=d.view(), axis=axis, b=b, a=a, states=zi)
    return row("lfilter", type_, x, [signal.lfilter(b, a, x, axis)], bound, complex=complex_, view=d.view(), axis=axis, b=b, a=a)


def filtfilt(d):
    type_ = d.floating()
    b, a = recurrence(d, 3)
    shape, axis = along(d, 3 * max(len(a), len(b)) + 1)
    x, complex_ = values(d, type_, shape)
    bound = UNITS[type_] * 3 * largest(x) * gain(b, a) ** 2 * 16
    return row("filtfilt", type_, x, [signal.filtfilt(b, a, x, axis)], bound, complex=complex_, view=d.view(), axis=axis, b=b, a=a)


def sections(d):
    rows = []
    for _ in range(d.whole(1, 3)):
        b, a = d.values("f32", [3]), np.resize(np.append(polynomial(d, d.whole(0, 2), 0.85), [0, 0]), 3)
        a[2] = a[2] if len(a) == 3 else 0
        rows.append(np.concatenate([b, a]))
    return np.array(rows)


def sosfilt(d):
    type_, sos = d.floating(), sections(d)
    what = d.pick(["sosfilt", "sosfilt", "sosfilt_from", "sosfiltfilt"])
    if what == "sosfiltfilt" and not sos[:, :3].any(1).all():
        return None
    shape, axis = along(d, 3 * (2 * len(sos) + 1) + 1 if what == "sosfiltfilt" else 1)
    x, complex_ = values(d, type_, shape)
    size = np.prod([1 + gain(s[:3], s[3:]) for s in sos])
    bound = UNITS[type_] * largest(x) * size * 16
    given = {"complex": complex_, "view": d.view(), "axis": axis, "sos": sos}
    if what == "sosfilt_from":
        of = [len(sos), *x.shape]
        of[1 + axis % x.ndim] = 2
        zi = d.values(type_, of) + (1j * d.values(type_, of) if complex_ else 0)
        y, zf = signal.sosfilt(sos, x, axis, zi)
        return row(what, type_, x, [y, zf], 8 * bound * largest(x, zi) / largest(x), states=zi, **given)
    if what == "sosfiltfilt":
        return row(what, type_, x, [signal.sosfiltfilt(sos, x, axis)], bound * 3 * size, **given)
    return row(what, type_, x, [signal.sosfilt(sos, x, axis)], bound, **given)


def settled(d):
    if d.chance(0.5):
        b, a = recurrence(d, 5)
        result = signal.lfilter_zi(b, a)
        return row("lfilter_zi", "f64", np.zeros(0), [result], 1e-12 * largest(result), b=b, a=a) if len(result) else None
    sos = sections(d)
    result = signal.sosfilt_zi(sos)
    return row("sosfilt_zi", "f64", np.zeros(0), [result], 1e-12 * largest(result), sos=sos)


def band(d, rate):
    name = d.pick(list(BANDS))
    bounds = sorted(d.number(0.02, 0.48) * rate for _ in range(1 if name in ("low", "high") else 2))
    return (name, bounds) if len(bounds) == 1 or bounds[1] - bounds[0] > 0.03 * rate else band(d, rate)


def design(d):
    what, rate = d.pick(["butterworth", "chebyshev1", "firwin"]), d.pick([2.0, 1000.0, d.number(0.1, 5e4)])
    name, bounds = band(d, rate)
    critical = bounds if len(bounds) > 1 else bounds[0]
    given = {"band": name, "bounds": bounds, "rate": rate}
    nothing = np.zeros(0)
    if what == "firwin":
        taps = d.whole(1, 60) | (name in ("high", "stop"))
        window = d.pick(["rectangular", "hann", "hamming", "blackman", "kaiser"])
        beta = d.number(0, 14)
        by = {"rectangular": "boxcar", "kaiser": ("kaiser", beta)}.get(window, window)
        with np.errstate(all="ignore"):
            weights = signal.firwin(taps, critical, window=by, pass_zero=BANDS[name], fs=rate)
        if not np.isfinite(weights).all():
            return None
        return row(what, "f64", nothing, [weights], 1e-11 * largest(weights), order=taps, window=window, beta=beta, **given)
    order, how = d.whole(1, 7), {"btype": BANDS[name], "output": "sos", "fs": rate}
    ripple = d.number(0.05, 4)
    sos = signal.butter(order, critical, **how) if what == "butterworth" else signal.cheby1(order, ripple, critical, **how)
    # Sections of equal poles may come in another order; their answers are what counts.
    frequencies = np.linspace(0, np.pi, 65)
    response = signal.freqz_sos(sos, worN=frequencies)[1]
    return row(what, "f64", nothing, [response, np.array(len(sos))], 1e-8, order=order, ripple=ripple, **given)


def resampled(d):
    type_, what = d.floating(), d.pick(["resample", "resample", "resample_poly", "decimate", "decimate_iir"])
    shape, axis = along(d, 28 if what == "decimate_iir" else 1)
    x, complex_ = values(d, type_, shape)
    given = {"complex": complex_, "view": d.view(), "axis": axis}
    if what == "resample":
        count = d.pick([d.whole(1, 80), x.shape[axis], 2 * x.shape[axis], max(1, x.shape[axis] // 2)])
        return row(what, type_, x, [signal.resample(x, count, axis=axis)], UNITS[type_] * largest(x) * 64 * max(1, count / x.shape[axis]), at=count, **given)
    if what == "resample_poly":
        up, down = d.whole(1, 9), d.whole(1, 9)
        return row(what, type_, x, [signal.resample_poly(x, up, down, axis)], UNITS[type_] * largest(x) * 64, up=up, down=down, **given)
    factor = d.whole(1, 13)
    kind = "fir" if what == "decimate" else "iir"
    bound = 32 + 4 * factor if kind == "fir" else 16 * max(factor, 5) ** 2 * 3
    return row(what, type_, x, [signal.decimate(x, factor, ftype=kind, axis=axis)], UNITS[type_] * largest(x) * bound, at=factor, **given)


def smoothed(d):
    type_ = d.floating()
    length = 2 * d.whole(0, 8) + 1
    degree, derivative = d.whole(0, min(length - 1, 6)), d.pick([0, 0, 1, 2, 7])
    mode = d.pick(["interp", "interp", "mirror", "constant", "nearest", "wrap"])
    shape, axis = along(d, length)
    if mode != "interp" and d.chance(0.4):
        shape[axis] = d.whole(1, length)
    x, cval = d.values(type_, shape), d.cval(type_)
    if mode == "interp" and x.size == 0:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = signal.savgol_filter(x, length, degree, derivative, axis=axis, mode=mode, cval=cval)
    bound = (UNITS[type_] * 64 + 1e-11) * largest(x, cval) * 4.0 ** degree
    return row("savgol_filter", type_, x, [result], bound, view=d.view(), axis=axis, length=length, degree=degree, derivative=derivative,
               edges=mode, modes=[mode] if mode != "interp" else None, value=cval)


def peaks(d):
    x = d.values(d.pick(["f32", "f64", "i32"]), [d.whole(1, 120)]).astype(float)
    x = np.round(x) if d.chance(0.6) else x
    given = {}
    if d.chance(0.4):
        given["height"] = d.number(-3, 3)
    if d.chance(0.3):
        given["threshold"] = d.pick([0, 0.5, d.number(0, 3)])
    if d.chance(0.4):
        # Of equal peaks that are too near SciPy keeps the one that NumPy's unstable sort has last.
        x = x + d.rng.permutation(len(x)) / 2**14
        given["distance"] = d.pick([1, 2, 3, 4.5, d.number(1, 20)])
    if d.chance(0.4):
        given["prominence"] = d.pick([0, 1, 2, d.number(0, 6)])
    places, found = signal.find_peaks(x, **given)
    results = [places, x[places]] + ([found["prominences"]] if "prominence" in given else [])
    return row("find_peaks", d.floating(), x, results, 0, view=d.view(), **given)


def convolved(d):
    """Of scipy.signal, by sums along one to three axes, and by transforms along the last."""
    type_, mode = d.floating(), d.pick(["full", "same", "valid"])
    what = d.pick(["signal_convolve", "signal_correlate", "fft_convolve", "fft_correlate"])
    shape = d.shape(d.pick([1, 1, 2, 3]))
    axes = 1 if what[0] == "f" else d.whole(1, len(shape))
    # Modes of kernels longer than the array that the pages have as SciPy's.
    longer = mode != ("same" if what[0] == "f" else "valid") and d.chance(0.3)
    extents = [d.whole(1, 50 if longer else extent) for extent in shape[-axes:]]
    while np.prod(extents) > 300:
        extents[int(np.argmax(extents))] //= 2
    x, weights = d.values(type_, shape), d.values(type_, extents)
    whole = weights.reshape((1,) * (len(shape) - axes) + weights.shape)
    call = signal.convolve if what.endswith("convolve") else signal.correlate
    result = call(x, whole, mode, method="direct")
    size = largest(x) * max(1, float(np.abs(weights).sum()))
    bound = UNITS[type_] * size * (8 if what[0] == "s" else 64)
    return row(what, type_, x, [result], bound, view=d.view(), weights=weights, mode=mode)


FAMILIES = [lfilter, filtfilt, sosfilt, settled, design, resampled, smoothed, peaks, convolved]
