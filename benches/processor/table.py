"""The rows of `crosslane bench --device cpu --json OURS.json` beside peers on the same machine.

    python3 benches/processor/table.py OURS.json FLOOR.txt      # an idle machine, right after the bench

Prints row, n, unit, crosslane, and the ratios to NumPy, to PyTorch if it is installed, and to loops in C++ as `floor.cpp`
prints them: above 1, crosslane is faster. Then the geometric means. Best of several runs, into arrays that exist where a
peer takes `out`. `benches/processor/table.sh` runs all of it.
"""
import json
import sys

import numpy as np

from timing import best

rng = np.random.default_rng(1)


def vectors(n):
    return [rng.random(n, dtype=np.float32) - np.float32(0.5) for _ in range(2)] + [np.empty(n, np.float32)]


def square(n):
    return rng.random((n, n), dtype=np.float32) - np.float32(0.5)


def triad(x, y, z):
    np.multiply(y, np.float32(0.4), out=z)
    np.add(x, z, out=z)


def softmax(a):
    e = np.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def elementwise(f, arrays):
    def seconds(n):
        x, y, z = vectors(n)
        return best(lambda: f(x, y, z)), 4e-9 * arrays * n
    return seconds


def matrix(f, arrays):
    def seconds(n):
        a = square(n)
        return best(lambda: f(a)), 4e-9 * arrays * n * n
    return seconds


def keys(f):
    def seconds(n):
        k = rng.integers(0, 2**32, n, dtype=np.uint32)
        return best(lambda: f(k)), n * 1e-9
    return seconds


def product(n):
    a, b, c = square(n), square(n), np.empty((n, n), np.float32)
    return best(lambda: np.matmul(a, b, out=c)), 2e-12 * n**3


def spectra(f):
    """Batches of as many values as `bench --quick` has; of f32 since NumPy 2."""
    def seconds(n):
        shape = (n, n) if f.__code__.co_names[-1] == "fft2" else (max(1, 2**18 // n), n)
        c = (rng.random(shape) + 1j * rng.random(shape)).astype(np.complex64)
        return best(lambda: f(c)), 16e-9 * c.size
    return seconds


def select(n):
    x = vectors(n)[0]
    seconds = best(lambda: x[x > 0.25])
    return seconds, 4e-9 * (n + (x > 0.25).sum())


def matvec(n):
    a, x = square(n), rng.random(n, dtype=np.float32)
    return best(lambda: a @ x), 4e-9 * n * n


def take(n):
    x, at = vectors(n)[0], rng.integers(0, n, n, dtype=np.uint32)
    return best(lambda: x[at]), 12e-9 * n


# Seconds, and the work in the row's unit times seconds.
ROWS = {
    "copy_f32": elementwise(lambda x, y, z: np.copyto(z, x), 2),
    "mul_f32": elementwise(lambda x, y, z: np.multiply(x, np.float32(0.4), out=z), 2),
    "add_f32": elementwise(lambda x, y, z: np.add(x, y, out=z), 3),
    "triad_f32": elementwise(triad, 3),
    "expression_2x_plus_1": elementwise(lambda x, y, z: np.add(np.multiply(x, np.float32(2), out=z), np.float32(1), out=z), 2),
    "expression_sqrt": elementwise(lambda x, y, z: np.sqrt(np.abs(x, out=z), out=z), 2),
    "expression_gelu": elementwise(
        lambda x, y, z: 0.5 * x * (1 + np.tanh(np.float32(0.7978846) * (x + np.float32(0.044715) * x * x * x))), 2),
    "dot_f32": elementwise(lambda x, y, z: np.dot(x, y), 2),
    "sum_f32": elementwise(lambda x, y, z: x.sum(), 1),
    "exclusive_sum_f32": elementwise(lambda x, y, z: np.cumsum(x, out=z), 2),
    "select_if_f32_25pct": select,
    "histogram_even_f32_256": elementwise(lambda x, y, z: np.histogram(x, 256, (-0.5, 0.5)), 1),
    "take_f32_random": take,
    "sum_rows_f32": matrix(lambda a: a.sum(axis=1), 1),
    "sum_columns_f32": matrix(lambda a: a.sum(axis=0), 1),
    "transpose_f32": matrix(lambda a: np.ascontiguousarray(a.T), 2),
    "softmax_rows_f32": matrix(softmax, 2),
    "matvec_f32": matvec,
    "matmul_f32": product,
    "sort_keys_u32": keys(np.sort),
    "argsort_i32": keys(lambda k: np.argsort(k, kind="stable")),
    "sort_rows_u32_1024": keys(lambda k: np.sort(k.reshape(-1, 1024), axis=1)),
    "unique_u32": keys(np.unique),
    "random_uniform_f32": elementwise(lambda x, y, z: rng.random(dtype=np.float32, out=z), 1),
    "random_normal_f32": elementwise(lambda x, y, z: rng.standard_normal(dtype=np.float32, out=z), 1),
    "random_permutation_u32": elementwise(lambda x, y, z: rng.permutation(len(z)), 1),
    "fft_c64": spectra(lambda c: np.fft.fft(c)),
    "fft2_c64": spectra(lambda c: np.fft.fft2(c)),
}
UNITS = ["GB/s", "Gkeys/s", "TFLOP/s"]


def torch_rows():
    """As ROWS, of those that PyTorch has."""
    try:
        import torch
    except ImportError:
        return {}
    vector = lambda n: torch.rand(n) - 0.5
    square = lambda n: torch.rand(n, n) - 0.5
    keys = lambda n: torch.randint(-(2**31), 2**31, (n,), dtype=torch.int32)

    def of(f, make, arrays):
        def seconds(n):
            x, y = make(n), make(n)
            z = torch.empty_like(x)
            return best(lambda: f(x, y, z)), 4e-9 * arrays * x.numel()
        return seconds

    def sorted_keys(f):
        def seconds(n):
            k = keys(n)
            return best(lambda: f(k)), n * 1e-9
        return seconds

    def product(n):
        a, b, c = square(n), square(n), torch.empty(n, n)
        return best(lambda: torch.matmul(a, b, out=c)), 2e-12 * n**3

    gelu = lambda x, y, z: torch.nn.functional.gelu(x, approximate="tanh")
    return {
        "copy_f32": of(lambda x, y, z: z.copy_(x), vector, 2),
        "mul_f32": of(lambda x, y, z: torch.mul(x, 0.4, out=z), vector, 2),
        "add_f32": of(lambda x, y, z: torch.add(x, y, out=z), vector, 3),
        "triad_f32": of(lambda x, y, z: torch.add(x, y, alpha=0.4, out=z), vector, 3),
        "expression_gelu": of(gelu, vector, 2),
        "dot_f32": of(lambda x, y, z: torch.dot(x, y), vector, 2),
        "sum_f32": of(lambda x, y, z: x.sum(), vector, 1),
        "exclusive_sum_f32": of(lambda x, y, z: torch.cumsum(x, 0, out=z), vector, 2),
        "sum_rows_f32": of(lambda x, y, z: x.sum(1), square, 1),
        "sum_columns_f32": of(lambda x, y, z: x.sum(0), square, 1),
        "transpose_f32": of(lambda x, y, z: z.copy_(x.t()), square, 2),
        "softmax_rows_f32": of(lambda x, y, z: torch.softmax(x, 1), square, 2),
        "matvec_f32": of(lambda x, y, z: torch.mv(x, y[0]), square, 1),
        "matmul_f32": product,
        "argsort_i32": sorted_keys(lambda k: torch.argsort(k, stable=True)),
        "random_uniform_f32": of(lambda x, y, z: z.uniform_(), vector, 1),
        "random_normal_f32": of(lambda x, y, z: z.normal_(), vector, 1),
    }


def ratio(row, peers):
    """What a row's figure is of a peer's, or None."""
    if row["op"] not in peers:
        return None
    seconds, work = peers[row["op"]](row["n"])
    return row["value"] * seconds / work


def mean(ratios):
    known = [ratio for ratio in ratios if ratio]
    return np.exp(np.mean(np.log(known))) if known else None


def shown(ratio):
    return "" if ratio is None else f"{ratio:.2f}"


floor = {(op, int(n)): float(value) for op, n, value in (line.split() for line in open(sys.argv[2]))}
ours = [row for row in json.load(open(sys.argv[1])) if row["op"] in ROWS and row["unit"] in UNITS]
print(f"| row | n | crosslane | unit | NumPy {np.__version__} | PyTorch | C++ |\n|---|---|---|---|---|---|---|")
torch, table = torch_rows(), []
for row in ours:
    of_floor = floor.get((row["op"], row["n"]))
    table.append([ratio(row, ROWS), ratio(row, torch), row["value"] / of_floor if of_floor else None])
    columns = " | ".join(map(shown, table[-1]))
    print(f"| {row['op']} | {row['n']} | {row['value']:.4g} | {row['unit']} | {columns} |", flush=True)
print(f"| geometric mean | | | | {' | '.join(shown(mean(of)) for of in zip(*table))} |")
