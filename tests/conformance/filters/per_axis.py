#!/usr/bin/env python3
"""Makes per_axis.json: filters with a boundary, a size and an origin for each axis, and derivatives of bells, by SciPy.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 scipy==1.17.1
    venv/bin/python tests/conformance/filters/per_axis.py

Where SciPy takes one boundary for all axes only, the array is padded along one axis after the other, and cut.
"""
import json
import pathlib

import numpy as np
from scipy import ndimage

TABLE = pathlib.Path(__file__).parent / "per_axis.json"
# SciPy's name and that of NumPy's pad.
MODES = {"constant": "constant", "nearest": "edge", "mirror": "reflect", "reflect": "symmetric", "wrap": "wrap"}
random = np.random.default_rng(51)


def numbers(shape):
    # Multiples of 1 / 16, which f32 holds.
    return random.integers(-64, 65, shape) / 16


def kept(values):
    values = np.asarray(values, dtype=float)
    return {"shape": list(values.shape), "values": [round(value, 12) for value in values.ravel().tolist()]}


def modes(axes):
    return [str(mode) for mode in random.choice(list(MODES), axes)]


def value():
    return int(random.integers(-8, 9)) / 4


def row(what, x, result, **given):
    return {"what": what, "x": kept(x), **given, "result": kept(result)}


def gaussians():
    for shape, sigma, order, given in [
        ((40,), [1.5], [0], {}), ((40,), [1.5], [1], {}), ((40,), [2.0], [2], {}), ((40,), [1.25], [3], {}),
        ((40,), [0.75], [5], {}), ((9, 13), [1.0, 2.0], [0, 1], {}), ((9, 13), [0.5, 1.5], [2, 3], {"truncate": [3.0, 2.5]}),
        ((9, 13), [2.0, 2.0], [1, 0], {"radius": [2, 5]}), ((3, 4), [3.0, 1.0], [0, 0], {}),
        ((3, 4), [1.0, 1.0], [1, 1], {"radius": [20, 1]}), ((4, 5, 6), [0.5, 1.0, 0.75], [0, 2, 1], {}),
        ((1,), [2.0], [0], {}), ((1, 7), [1.0, 1.0], [1, 0], {"radius": [0, 3]}), ((5, 6), [1.0, 1.0], [0, 0], {"truncate": [0.0, 6.0]}),
    ]:
        x, by, cval = numbers(shape), modes(len(shape)), value()
        result = x
        for axis in range(x.ndim):
            own = {name: values[axis] for name, values in given.items()}
            result = ndimage.gaussian_filter1d(result, sigma[axis], axis, order[axis], mode=by[axis], cval=cval, **own)
        yield row("gaussian", x, result, sigma=sigma, order=order, modes=by, value=cval, **given)


def boxes():
    for shape, size, origin in [
        ((30,), [3], [1]), ((30,), [4], [1]), ((30,), [4], [-2]), ((30,), [5], [-2]), ((9, 13), [3, 5], [0, 0]),
        ((9, 13), [4, 1], [-1, 0]), ((9, 13), [2, 6], [0, 2]), ((3, 4), [7, 9], [3, -4]), ((5, 6, 7), [2, 3, 4], [-1, 1, -2]),
        ((20, 30), [1, 40], [0, 7]), ((1,), [3], [1]),
    ]:
        for what in ("uniform", "minimum", "maximum"):
            x, by, cval = numbers(shape), modes(len(shape)), value()
            result = getattr(ndimage, what + "_filter")(x, size, mode=by, cval=cval, origin=origin)
            yield row(what, x, result, size=size, origin=origin, modes=by, value=cval)


def slopes():
    for shape in [(7, 9), (4, 5, 6), (1, 8)]:
        for what in ("sobel", "prewitt"):
            for axis in range(len(shape)):
                x, by, cval = numbers(shape), modes(len(shape)), value()
                yield row(what, x, getattr(ndimage, what)(x, axis, mode=by, cval=cval), axis=axis, modes=by, value=cval)
        x, by, cval = numbers(shape), modes(len(shape)), value()
        yield row("laplace", x, ndimage.laplace(x, mode=by, cval=cval), modes=by, value=cval)


def padded(x, by, cval, margin, filtered):
    """The filter of an array whose ends are continued along one axis after the other."""
    whole = x
    for axis, mode in enumerate(by):
        widths = [(margin, margin) if other == axis else (0, 0) for other in range(x.ndim)]
        more = {"constant_values": cval} if mode == "constant" else {}
        whole = np.pad(whole, widths, MODES[mode], **more)
    return filtered(whole)[tuple(slice(margin, margin + extent) for extent in x.shape)]


def weighed():
    for shape, extents, origin in [
        ((30,), (3,), [1]), ((30,), (4,), [-1]), ((9, 13), (3, 4), [1, 1]), ((9, 13), (2, 3), [-1, 0]), ((3, 4), (5, 7), [2, -3]),
        ((4, 5, 6), (3, 2, 3), [0, -1, 1]), ((300,), (150,), [20]), ((3,), (150,), [-75]),
    ]:
        for what in ("correlate", "convolve"):
            if what == "convolve":
                # Of an even number of weights the middle is another: SciPy's origin is one less than ours.
                ours = [o + 1 if extent % 2 == 0 else o for o, extent in zip(origin, extents)]
            else:
                ours = origin
            x, weights, by, cval = numbers(shape), numbers(extents), modes(len(shape)), value()
            result = padded(x, by, cval, max(extents) + 1, lambda x: getattr(ndimage, what)(x, weights, origin=origin))
            yield row(what, x, result, weights=kept(weights), origin=ours, modes=by, value=cval)


def as_plane(call, x, mask, origin):
    """SciPy 1.17.1's ranks of one axis take all of a footprint, whatever its mask says; those of two axes do not."""
    return call(x[None], mask[None], (0, *origin))[0] if x.ndim == 1 else call(x, mask, origin)


def footprints():
    for shape, extents, origin in [
        ((30,), (3,), [1]), ((30,), (4,), [-2]), ((9, 13), (3, 3), [0, 0]), ((9, 13), (3, 4), [1, -2]), ((3, 4), (5, 3), [2, -1]),
        ((4, 5, 6), (2, 2, 3), [-1, 0, 1]),
    ]:
        for full in (True, False):
            mask = np.ones(extents, bool) if full else random.random(extents) < 0.6
            mask.flat[0] = mask.flat[-1] = True
            for what, call in [
                ("erode", lambda x: ndimage.grey_erosion(x, footprint=mask, origin=origin)),
                ("dilate", lambda x: ndimage.grey_dilation(x, footprint=mask, origin=origin)),
                ("rank", lambda x: as_plane(lambda x, m, o: ndimage.rank_filter(x, 1, footprint=m, origin=o), x, mask, origin)),
                ("percentile", lambda x: as_plane(lambda x, m, o: ndimage.percentile_filter(x, 60, footprint=m, origin=o), x, mask, origin)),
            ]:
                x, by, cval = numbers(shape), modes(len(shape)), value()
                result = padded(x, by, cval, max(extents) + 1, call)
                yield row(what, x, result, extents=list(extents), mask=mask.ravel().tolist(), origin=origin, modes=by, value=cval)
            # Those of two steps: the ends of the result of the first are continued, too.
            for what in ("grey_opening", "grey_closing", "morphological_gradient", "white_tophat", "black_tophat"):
                x, mode = numbers(shape), "nearest"
                result = getattr(ndimage, what)(x, footprint=mask, origin=origin, mode=mode)
                by = [mode] * len(shape)
                yield row(what, x, result, extents=list(extents), mask=mask.ravel().tolist(), origin=origin, modes=by, value=0.0)
        for what in ("binary_erosion", "binary_dilation"):
            x = random.random(shape) < 0.6
            structure = np.ones(extents, bool)
            result = getattr(ndimage, what)(x, structure, origin=origin)
            by = ["constant"] * len(shape)
            yield row(what, x, result, extents=list(extents), mask=structure.ravel().tolist(), origin=origin, modes=by, value=0.0)
        if np.prod(extents) % 2:
            x, by, cval = numbers(shape), modes(len(shape)), value()
            result = padded(x, by, cval, max(extents) + 1, lambda x: ndimage.median_filter(x, size=extents, origin=origin))
            yield row("median", x, result, size=list(extents), origin=origin, modes=by, value=cval)
    # More than what one launch ranks.
    x, by, cval = numbers((12, 15)), ["wrap", "constant"], 0.5
    result = padded(x, by, cval, 16, lambda x: ndimage.median_filter(x, size=(5, 11), origin=(-1, 3)))
    yield row("median", x, result, size=[5, 11], origin=[-1, 3], modes=by, value=cval)


def main():
    rows = [*gaussians(), *boxes(), *slopes(), *weighed(), *footprints()]
    TABLE.write_text(json.dumps({"by": "numpy 2.4.6, scipy 1.17.1", "rows": rows}, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
