"""A small program over the array API as it is drawn: its steps, and their values in NumPy."""
import math

import numpy as np
from inputs import NAMES, NUMBERS, TYPES, below_zero, draw
from meaning import Near, Skip
from reference import apply

ALL = list(TYPES)
# Most arrays are small; some lie around the sizes of workgroups, tiles and blocks.
EDGES = [31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513]


class Program:
    """Steps and their values so far."""

    def __init__(self, rng):
        self.rng, self.steps, self.values = rng, [], []

    def pick(self, some):
        return some[int(self.rng.integers(len(some)))]

    def chance(self, part):
        return self.rng.random() < part

    def whole(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def keep(self, step, value):
        self.steps.append(step)
        self.values.append(value)
        return len(self.steps) - 1

    def input(self, type_, shape, kind):
        seed = self.whole(0, 2**31)
        value = draw(type_, math.prod(shape), kind, seed).reshape(shape)
        return self.keep(["input", [], type_, list(shape), kind, seed], value)

    def op(self, name, args=(), *params):
        value = apply(name, [self.values[i] for i in args], list(params))
        if isinstance(value, np.ndarray) and value.size > 70000:
            raise Skip
        return self.keep([name, list(args), *params], value if isinstance(value, Near) else np.asarray(value))

    def shape(self, i):
        return list(self.values[i].shape)

    def dtype(self, i):
        return NAMES[self.values[i].dtype]

    def extents(self, rank, most=3000, empty=0.04):
        """A shape: small, or with one extent at an edge."""
        shape = [self.whole(1, {0: 1, 1: 40, 2: 12, 3: 6, 4: 4}[rank]) for _ in range(rank)]
        if rank and self.chance(0.3):
            shape[self.whole(0, rank - 1)] = self.pick(EDGES)
        if rank and self.chance(empty):
            shape[self.whole(0, rank - 1)] = 0
        while math.prod(shape) > most:
            shape[shape.index(max(shape))] //= 2
        return shape

    def axis(self, i):
        rank = self.values[i].ndim
        return self.whole(-rank, rank - 1)

    def axes(self, i):
        rank = self.values[i].ndim
        some = [a for a in range(rank) if self.chance(0.5)] or [self.whole(0, rank - 1)] if rank else []
        return [a - rank if self.chance(0.3) else a for a in some]

    def part(self, extent):
        """A range of an axis with a step."""
        start = self.whole(0, extent)
        end = self.whole(start, extent)
        if self.chance(0.5):
            start, end = 0, extent
        return [start, end, self.pick([1, 1, 2, 3, -1, -1, -2])]

    def view(self, i):
        """A view of a step's value."""
        shape, rank = self.shape(i), self.values[i].ndim
        kind = self.pick(["slice", "flip", "permute", "transpose", "reshape", "broadcast_to", "expand_dims", "squeeze", "copy"])
        if kind == "slice" and rank:
            # Whole axes mostly, so that something is left.
            return self.op("slice", [i], [self.part(e) if self.chance(0.7) else [0, e, 1] for e in shape])
        if kind == "flip" and rank:
            return self.op("flip", [i], self.axis(i))
        if kind == "permute":
            return self.op("permute", [i], [int(a) for a in self.rng.permutation(rank)])
        if kind == "reshape":
            return self.op("reshape", [i], self.reshaped(shape))
        if kind == "broadcast_to" and math.prod(shape) < 1000:
            wider = [self.whole(1, 4) if e == 1 else e for e in shape]
            return self.op("broadcast_to", [i], ([self.whole(1, 3)] if rank < 4 else []) + wider)
        if kind == "expand_dims" and rank < 4:
            return self.op("expand_dims", [i], self.whole(-rank - 1, rank))
        if kind in ("squeeze", "copy"):
            return self.op(kind, [i])
        return self.op("transpose", [i])

    def reshaped(self, shape):
        size = math.prod(shape)
        if size == 0 or self.chance(0.3):
            return [size]
        small = next((d for d in (2, 3, 5, 7) if size % d == 0), 1)
        return [small, size // small] if self.chance(0.5) else [size // small, small]

    def work(self, i):
        """Exact elementwise work on a value: small numbers stay small."""
        type_ = self.dtype(i)
        choices = ["max_scalar", "cast"]
        if type_ in NUMBERS:
            choices += ["abs", "add_scalar", "mul_scalar"] + (["neg", "neg"] if below_zero(type_) else [])
        kind = self.pick(choices)
        if kind == "cast" or type_ not in NUMBERS:
            to = self.pick(ALL)
            try:
                changed = apply("cast", [self.values[i]], [to])
            except Exception:
                raise Skip
            if type_ in NUMBERS or self.chance(0.5):
                return i
            return self.keep(["cast", [i], to], changed)
        if kind.endswith("_scalar"):
            if self.values[i].dtype.kind == "f" and not small(self.values[i]):
                return i
            return self.op(kind, [i], str(self.whole(1, 3)))
        return self.op(kind, [i])

    def prologue(self, i, most=3, views=True):
        """Work and views before an operation, which become part of its kernel."""
        for _ in range(self.whole(0, most)):
            i = self.view(i) if views and self.chance(0.6) else self.work(i)
        return i

    def lazy(self, type_, rank, kind, **how):
        return self.prologue(self.input(type_, self.extents(rank, **how), kind))

    def rank(self, low=1):
        return self.pick([r for r in (0, 1, 1, 2, 2, 2, 3, 3, 4) if r >= low])


def small(x):
    """Whether sums and products of a few such floats are exact in any type."""
    return bool(np.all(np.isfinite(x)) and np.all(np.abs(x) <= 40) and np.all(x == np.rint(x)))


