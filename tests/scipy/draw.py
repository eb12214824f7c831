"""What cases are drawn of: types, shapes, boundaries, values; and how values are written."""
import math

import numpy as np

# SciPy's names of boundaries, and those of NumPy's pad.
MODES = {"constant": "constant", "nearest": "edge", "mirror": "reflect", "reflect": "symmetric", "wrap": "wrap"}
TYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
         "u32": np.uint32, "bool": np.bool_}
UNITS = {"f32": 2.0**-24, "f64": 2.0**-53}


def text(value, digits):
    """The shortest text that reads back as the value, to so many digits."""
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if not isinstance(value, (float, np.floating)):
        return str(value)
    exact = repr(float(value)).removesuffix(".0")
    return min(exact, f"{value:.{digits}g}", key=len)


def kept(values, digits=17):
    """An array as text, with so many digits."""
    values = np.asarray(values)
    flat = values.ravel()
    if values.dtype.kind == "c":
        flat = np.stack([flat.real, flat.imag], -1).ravel()
    return {"shape": list(values.shape), "values": " ".join(text(value, digits) for value in flat)}


def padded(x, modes, cval, width):
    """Continued along one axis after the other, the last axes of the array, so far on both sides."""
    for axis, mode, margin in zip(range(x.ndim - len(modes), x.ndim), modes, width):
        how = {"constant_values": cval} if mode == "constant" else {}
        widths = [(margin, margin) if own == axis else (0, 0) for own in range(x.ndim)]
        x = np.pad(x, widths, MODES[mode], **how)
    return x


def inner(x, width):
    """The array without those margins of its last axes."""
    first = x.ndim - len(width)
    return x[(slice(None),) * first + tuple(slice(margin, x.shape[first + nth] - margin) for nth, margin in enumerate(width))]


class Draw:
    def __init__(self, rng):
        self.rng = rng

    def pick(self, some):
        return some[int(self.rng.integers(len(some)))]

    def chance(self, part):
        return self.rng.random() < part

    def whole(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def number(self, low, high):
        return float(self.rng.uniform(low, high))

    def shape(self, rank, longest=None):
        """Small extents, some of them 1; one may be long."""
        most = {1: 40, 2: 12, 3: 7, 4: 4}[rank]
        shape = [1 if self.chance(0.12) else self.whole(1, most) for _ in range(rank)]
        if self.chance(0.15):
            shape[self.whole(0, rank - 1)] = self.pick([31, 32, 33, 64, 65] + ([127, 128, 129, 257] if rank == 1 else []))
        return shape

    def values(self, type_, shape):
        """Multiples of 1 / 16, which f32 holds; small integers; masks."""
        count = math.prod(shape)
        if type_ == "bool":
            return (self.rng.random(count) < self.pick([0.1, 0.5, 0.8])).reshape(shape)
        if type_[0] == "f":
            few = 16 if self.chance(0.8) else 1
            # Seldom far larger or smaller.
            unit = 2.0 ** self.whole(-30, 30) if self.chance(0.05) else 1
            return (self.rng.integers(-4 * few, 4 * few + 1, count) / few * unit).reshape(shape)
        low = 0 if type_[0] == "u" else -100
        return self.rng.integers(low, 101, count).reshape(shape)

    def hollow(self, shape, axes):
        """The shape, seldom with no element along one that is none of these axes."""
        free = [axis for axis in range(len(shape)) if axis not in [a % len(shape) for a in axes]]
        if free and self.chance(0.08):
            shape[self.pick(free)] = 0
        return shape

    def floating(self):
        return self.pick(["f32", "f32", "f64"])

    def cval(self, type_):
        return self.values(type_, [1]).tolist()[0]

    def modes(self, axes):
        """A boundary for each axis, half the time the same."""
        modes = [self.pick(list(MODES)) for _ in range(axes)]
        return modes[:1] * axes if self.chance(0.5) else modes

    def view(self):
        """How the array lies in memory."""
        return self.pick(["", "", "", "flipped", "turned", "apart"])

    def size(self, extent):
        """A window's: short, or longer than the axis."""
        return self.whole(1, 5) if self.chance(0.75) else self.whole(1, 2 * min(extent, 20) + 3)

    def origin(self, size, mirrored=False):
        """Within the window."""
        if self.chance(0.5):
            return 0
        low, high = -(size // 2), (size - 1) // 2
        return self.whole(-high, -low) if mirrored else self.whole(low, high)

    def axes(self, rank):
        """Some axes in any order, negative ones too."""
        axes = [int(axis) for axis in self.rng.permutation(rank)][: self.whole(1, rank)]
        return [axis - rank if self.chance(0.3) else axis for axis in axes]


def row(what, type_, x, results, bound, **given):
    given = {name: value for name, value in given.items() if value is not None}
    return {"what": what, "type": type_, **given, "x": x, "results": results, "bound": float(bound)}
