"""NumPy's products of matrices, of the shapes in the examples 10_matmul and 29_crossover: python3 matmul_numpy.py

Medians of 21 runs after 0.2 s of warm-up, by the host's clock. The first line says which BLAS, with which kernels, and how many threads.
"""
import ctypes
import glob
import os
import time

import numpy as np


def blas():
    """OpenBLAS's own words, where NumPy brings it."""
    folder = os.path.join(os.path.dirname(np.__file__), "..", "numpy.libs")
    for path in glob.glob(os.path.join(folder, "*openblas*")):
        library = ctypes.CDLL(path)
        for prefix in ("scipy_openblas_get_config64_", "openblas_get_config64_", "openblas_get_config"):
            if hasattr(library, prefix):
                config = getattr(library, prefix)
                config.restype = ctypes.c_char_p
                return config().decode()
    return "a BLAS that does not tell"


def microseconds(work):
    begin = time.perf_counter()
    while time.perf_counter() - begin < 0.2:
        work()
    times = []
    for _ in range(21):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return sorted(times)[10] * 1e6


print(f"NumPy {np.__version__}, {blas()}")
rng = np.random.default_rng()
for rows, inner, columns in [(100, 100, 100), (256, 512, 256), (250, 511, 1), (17, 33, 65), (384, 384, 384)]:
    a, b = rng.random((rows, inner), dtype=np.float32), rng.random((inner, columns), dtype=np.float32)
    time_ = microseconds(lambda: a @ b)
    print(f"{rows:4} x {inner} x {columns}: {time_:8.1f} us {2 * rows * inner * columns / time_ / 1e3:7.2f} GFLOP/s")
