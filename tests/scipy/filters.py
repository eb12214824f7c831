"""Filters of scipy.ndimage: means, bells, slopes, ranks, morphology, correlations, labels, distances."""
import math

import numpy as np
from draw import TYPES, UNITS, inner, padded, row
from scipy import ndimage

ORDERED = ["f32", "f64", "i32", "i64", "u8", "u16", "u32"]


def largest(*some):
    return max([1.0] + [float(np.max(np.abs(x))) for x in map(np.asarray, some) if x.size])


def windows(d, type_):
    """An array, axes of windows, and their sizes, origins and boundaries."""
    shape = d.shape(d.pick([1, 2, 2, 3, 4]))
    axes = d.axes(len(shape))
    d.hollow(shape, axes)
    size = [d.size(shape[axis]) for axis in axes]
    return d.values(type_, shape), axes, size, [d.origin(s) for s in size], d.modes(len(axes)), d.cval(type_)


def uniform(d):
    type_ = d.floating()
    x, axes, size, origin, modes, cval = windows(d, type_)
    result = ndimage.uniform_filter(x, size, mode=modes, cval=cval, origin=origin, axes=axes)
    bound = UNITS[type_] * largest(x, cval) * (8 + 2 * sum(size))
    return row("uniform", type_, x, [result], bound, view=d.view(), axes=axes, size=size, origin=origin, modes=modes, value=cval)


def extreme(d):
    type_, what = d.pick(ORDERED), d.pick(["minimum", "maximum"])
    x, axes, size, origin, modes, cval = windows(d, type_)
    call = getattr(ndimage, what + "_filter")
    result = call(x, size, mode=modes, cval=cval, origin=origin, axes=axes)
    return row(what, type_, x, [result], 0, view=d.view(), axes=axes, size=size, origin=origin, modes=modes, value=cval)


def median(d):
    type_ = d.floating()
    x, axes, size, origin, modes, cval = windows(d, type_)
    if math.prod(size) > 600 or x.size * math.prod(size) > 200000:
        return None
    last = np.moveaxis(x, axes, range(x.ndim - len(axes), x.ndim))
    wide = padded(last, modes, cval, size)
    count = math.prod(size)
    middle = [ndimage.rank_filter(wide, rank, size=[1] * (x.ndim - len(axes)) + size, origin=[0] * (x.ndim - len(axes)) + origin)
              for rank in {(count - 1) // 2, count // 2}]
    result = inner(sum(middle) / len(middle), size)
    result = np.moveaxis(result, range(x.ndim - len(axes), x.ndim), axes)
    return row("median", type_, x, [result], 0, view=d.view(), axes=axes, size=size, origin=origin, modes=modes, value=cval)


def gaussian(d):
    type_ = d.floating()
    shape = d.shape(d.pick([1, 2, 2, 3]))
    axes = d.axes(len(shape))
    d.hollow(shape, axes)
    each = lambda of: [of() for _ in axes]
    x, modes, cval = d.values(type_, shape), d.modes(len(axes)), d.cval(type_)
    sigma, order = each(lambda: d.number(0.3, 4)), each(lambda: d.pick([0, 0, 0, 1, 2, 3]))
    truncate = each(lambda: d.number(0, 6)) if d.chance(0.3) else None
    radius = each(lambda: d.whole(0, 25)) if d.chance(0.3) else None
    result, size = x, largest(x, cval)
    for nth, axis in enumerate(axes):
        own = {name: given[nth] for name, given in [("truncate", truncate), ("radius", radius)] if given}
        result = ndimage.gaussian_filter1d(result, sigma[nth], axis, order[nth], mode=modes[nth], cval=cval, **own)
        # The sizes of the weights of a derivative sum to about this.
        size *= max(1, (2 / sigma[nth]) ** order[nth] * math.factorial(order[nth]))
    # Weights, which SciPy has in f64 and lays out about the middle as we do, and sums of up to 50 products for each axis.
    return row("gaussian", type_, x, [result], UNITS[type_] * size * 32 * len(axes), view=d.view(), axes=axes, sigma=sigma, order=order,
               truncate=truncate, radius=radius, modes=modes, value=cval)


def slope(d):
    type_, what = d.floating(), d.pick(["sobel", "prewitt"])
    shape = d.shape(d.pick([1, 2, 2, 3]))
    x, modes, cval = d.values(type_, shape), d.modes(len(shape)), d.cval(type_)
    axis = d.whole(-len(shape), len(shape) - 1)
    result = getattr(ndimage, what)(x, axis, mode=modes, cval=cval)
    return row(what, type_, x, [result], UNITS[type_] * largest(x, cval) * 100, view=d.view(), axis=axis, modes=modes, value=cval)


def laplace(d):
    type_ = d.floating()
    shape = d.shape(d.pick([1, 2, 2, 3]))
    axes = d.axes(len(shape))
    x, modes, cval = d.values(type_, d.hollow(shape, axes)), d.modes(len(axes)), d.cval(type_)
    result = ndimage.laplace(x, mode=modes, cval=cval, axes=axes)
    return row("laplace", type_, x, [result], UNITS[type_] * largest(x, cval) * 32, view=d.view(), axes=axes, modes=modes, value=cval)


def footprint(d, shape, most):
    """A box along the last axes, or a mask; its origin."""
    axes = d.whole(1, min(3, len(shape)))
    extents = [d.size(extent) for extent in shape[-axes:]]
    while math.prod(extents) > most:
        extents[extents.index(max(extents))] //= 2
    mask = np.ones(extents, bool) if d.chance(0.5) else d.rng.random(extents) < 0.6
    if not mask.any():
        mask.flat[d.whole(0, mask.size - 1)] = True
    return mask, [d.origin(extent) for extent in extents]


def ranked(d):
    type_, what = d.pick(["f32", "f64", "i32", "i64", "u32"]), d.pick(["rank", "percentile"])
    shape = d.shape(d.pick([1, 2, 2, 3]))
    cval = d.cval(type_)
    mask, origin = footprint(d, shape, 49)
    x = d.values(type_, d.hollow(shape, range(-mask.ndim, 0)))
    modes, first = d.modes(mask.ndim), (1,) * (len(shape) - mask.ndim)
    wide = padded(x, modes, cval, mask.shape)
    # Of one axis SciPy 1.17 takes a mask for all of its box.
    wide, first = wide[None], (1, *first)
    whole = {"footprint": mask.reshape(first + mask.shape), "origin": [0] * len(first) + origin}
    count = int(mask.sum())
    at = d.whole(-count, count - 1) if what == "rank" else d.pick([0, 100, 50, 25, d.number(0, 100)])
    result = inner(getattr(ndimage, what + "_filter")(wide, at, **whole), mask.shape)[0]
    return row(what, type_, x, [result], 0, view=d.view(), at=at, mask=mask, origin=origin, modes=modes, value=cval)


GREY = {"erode": "grey_erosion", "dilate": "grey_dilation", "open": "grey_opening", "close": "grey_closing",
        "morphological_gradient": "morphological_gradient", "top_hat": "white_tophat", "black_hat": "black_tophat"}
BINARY = {"erode": "binary_erosion", "dilate": "binary_dilation", "open": "binary_opening", "close": "binary_closing"}


def grey(d):
    type_, what = d.pick(["f32", "f64", "i32", "u8", "i64"]), d.pick(list(GREY))
    shape = d.shape(d.pick([1, 2, 2, 3]))
    cval = d.cval(type_)
    mask, origin = footprint(d, shape, 400)
    x = d.values(type_, d.hollow(shape, range(-mask.ndim, 0))).astype(TYPES[type_])
    mode, first = d.modes(1)[0], (1,) * (len(shape) - mask.ndim)
    # Of two filters SciPy turns the origin of a box, which is asymmetric here.
    if what not in ("erode", "dilate"):
        origin = [0] * len(origin)
        if any(extent % 2 == 0 for extent in mask.shape):
            return None
    result = getattr(ndimage, GREY[what])(x, footprint=mask.reshape(first + mask.shape), mode=mode, cval=cval,
                                          origin=[0] * len(first) + origin)
    return row(what, type_, x, [result], 0, view=d.view(), mask=mask, origin=origin, modes=[mode] * mask.ndim, value=cval)


def binary(d):
    what = d.pick(list(BINARY))
    shape = d.shape(d.pick([1, 2, 2, 3]))
    x, mode = d.values("bool", shape), "constant"
    mask, origin = footprint(d, shape, 400)
    first = (1,) * (len(shape) - mask.ndim)
    border = int(d.chance(0.5)) if what in ("erode", "dilate") else 0
    if what not in ("erode", "dilate"):
        origin = [0] * len(origin)
        if any(extent % 2 == 0 for extent in mask.shape):
            return None
    how = {"border_value": border} if what in ("erode", "dilate") else {}
    result = getattr(ndimage, BINARY[what])(x, mask.reshape(first + mask.shape), origin=[0] * len(first) + origin, **how)
    return row(what, "bool", x, [result], 0, view=d.view(), mask=mask, origin=origin, modes=[mode] * mask.ndim, value=border)


def weighed(d):
    """Correlations and convolutions of windows about each value."""
    type_, what = d.floating(), d.pick(["correlate", "convolve"])
    shape = d.shape(d.pick([1, 2, 2, 3]))
    axes = d.whole(1, min(3, len(shape)))
    extents = [d.size(extent) for extent in shape[-axes:]]
    while math.prod(extents) > 400:
        extents[extents.index(max(extents))] //= 2
    d.hollow(shape, range(-axes, 0))
    x, weights, modes, cval = d.values(type_, shape), d.values(type_, extents), d.modes(axes), d.cval(type_)
    mirrored = what == "convolve"
    origin = [d.origin(extent) for extent in extents]
    first = (1,) * (len(shape) - axes)
    wide = padded(x, modes, cval, extents)
    result = inner(getattr(ndimage, what)(wide, weights.reshape(first + weights.shape), origin=[0] * len(first) + origin), extents)
    # A convolution's middle of an even number of weights is one place on, as its page says.
    given = [o + (mirrored and extent % 2 == 0) for o, extent in zip(origin, extents)]
    bound = UNITS[type_] * largest(x, cval) * float(np.abs(weights).sum() + 1) * 8
    return row(what, type_, x, [result], bound, view=d.view(), weights=weights, origin=given, modes=modes, value=cval)


def label(d):
    shape = d.shape(d.whole(1, 3))
    x, connectivity = d.values("bool", shape), d.whole(1, len(shape))
    labels, count = ndimage.label(x, ndimage.generate_binary_structure(len(shape), connectivity))
    return row("label", "bool", x, [labels, np.array(count)], 0, view=d.view(), at=connectivity)


def distance(d):
    shape = d.shape(d.whole(1, 4))
    x = d.values("bool", shape)
    if d.chance(0.5):
        x = d.rng.random(shape) < 0.97
    if x.all():
        return None
    what = d.pick(["distance_transform", "distance_transform_taxicab", "distance_transform_chessboard"])
    metric = what.removeprefix("distance_transform_")
    result = ndimage.distance_transform_edt(x) if metric == what else ndimage.distance_transform_cdt(x, metric)
    return row(what, "bool", x, [result], largest(result) * 4 * UNITS["f32"], view=d.view())


FAMILIES = [uniform, extreme, median, gaussian, slope, laplace, ranked, grey, binary, weighed, label, distance]
