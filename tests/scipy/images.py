"""Images read elsewhere: scipy.ndimage's map_coordinates, affine_transform and rotate, of order 0 and 1."""
import numpy as np
from draw import UNITS, row
from filters import largest
from scipy import ndimage, special

MODES = ["constant", "grid-constant", "nearest", "mirror", "reflect", "grid-wrap"]


def image(d):
    type_ = d.pick(["f32", "f32", "f64", "u8"])
    shape = d.shape(d.pick([2, 2, 3]))
    return type_, d.values(type_, d.hollow(shape, [-2, -1])).astype(float), d.pick(MODES), d.cval(type_)


def bound(type_, x, cval, far):
    """Of a sum of four products, and of coordinates that are as large as `far`."""
    rounding = 0.5001 if type_ == "u8" else 0
    return rounding + UNITS[type_ if type_ == "f64" else "f32"] * largest(x, cval) * (16 + 8 * far)


def decided(x, bound, mode, turn, shift, size):
    """The bound of each result: none where rounding decides whether it lies outside of the image."""
    at = np.tensordot(turn, np.indices(size), 1) + np.reshape(shift, (2, 1, 1))
    near = np.zeros(size, bool)
    for own, extent in zip(at, x.shape[-2:]):
        near |= np.minimum(np.abs(own), np.abs(own - (extent - 1))) < 1e-3
    bounds = np.where(near & (mode == "constant"), np.inf, bound)
    return {"bounds": np.broadcast_to(bounds, x.shape[:-2] + tuple(size))}


def remap(d):
    type_, x, mode, cval = image(d)
    order, size = d.whole(0, 1), [d.whole(1, 9), d.whole(1, 9)]
    # Multiples of 1 / 8, and past the edges by more than the image.
    ends = [2 * extent + 3 if d.chance(0.4) else extent - 1 for extent in x.shape[-2:]]
    rows, columns = (d.rng.integers(-8 * (end if end >= extent else 0), 8 * end + 1, size) / 8 for end, extent in zip(ends, x.shape[-2:]))
    # SciPy rounds halves up after it has mirrored them, as the page says.
    if order == 0 and mode in ("mirror", "reflect"):
        rows, columns = (at + np.where((at % 1 == 0.5) & ((at < 0) | (at > extent - 1)), 0.125, 0) for at, extent in zip((rows, columns), x.shape[-2:]))
    planes = x.reshape((-1,) + x.shape[-2:])
    result = np.stack([ndimage.map_coordinates(plane, [rows, columns], order=order, mode=mode, cval=cval) for plane in planes])
    result = result.reshape(x.shape[:-2] + tuple(size))
    return row("remap", type_, x, [result], bound(type_, x, cval, max(ends)), view=d.view(), spline=order, rows=rows, columns=columns,
               modes=[mode], value=cval)


def affine(d):
    type_, x, mode, cval = image(d)
    size = [d.whole(1, 12), d.whole(1, 12)]
    turn = np.eye(2) * d.number(0.3, 3) + d.rng.uniform(-0.7, 0.7, (2, 2))
    if abs(np.linalg.det(turn)) < 0.2:
        return None
    # Rows and columns of the image by those of results.
    shift = d.rng.uniform(-4, 4, 2)
    whole = np.vstack([np.column_stack([turn, shift]), [0, 0, 1]])
    forward = np.linalg.inv(whole)[[1, 0]][:, [1, 0, 2]]
    planes = x.reshape((-1,) + x.shape[-2:])
    result = np.stack([ndimage.affine_transform(plane, turn, shift, tuple(size), order=1, mode=mode, cval=cval) for plane in planes])
    result = result.reshape(x.shape[:-2] + tuple(size))
    return row("warp_affine", type_, x, [result], 0, view=d.view(), spline=1, map=forward, size=size, modes=[mode], value=cval,
               **decided(x, bound(type_, x, cval, 60), mode, turn, shift, size))


def rotate(d):
    type_, x, mode, cval = image(d)
    angle, grown = d.pick([d.number(-400, 400), 90 * d.whole(-5, 5), 45]), d.chance(0.5)
    result = ndimage.rotate(x, angle, (x.ndim - 1, x.ndim - 2), grown, order=1, mode=mode, cval=cval)
    cos, sin = special.cosdg(angle), special.sindg(angle)
    size, turn = result.shape[-2:], np.array([[cos, sin], [-sin, cos]])
    shift = (np.array(x.shape[-2:]) - 1) / 2 - turn @ ((np.array(size) - 1) / 2)
    # Quarters of a turn are exact.
    by = "exact" if angle % 90 == 0 else mode
    return row("rotate_grown" if grown else "rotate", type_, x, [result], 0, view=d.view(), spline=1, at=angle, modes=[mode], value=cval,
               **decided(x, bound(type_, x, cval, 70), by, turn, shift, size))


FAMILIES = [remap, affine, rotate]
