"""Writes arrays and how NumPy prints them to printed.json, for tests/conformance/printing.rs."""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(1)
CASES = []


def case(x):
    x = np.asarray(x)
    bits = x.reshape(-1).view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[x.dtype.itemsize])
    name = {"bool": "bool", "float16": "f16", "float32": "f32", "float64": "f64"}.get(x.dtype.name)
    name = name or x.dtype.name.replace("uint", "u").replace("int", "i")
    CASES.append({"dtype": name, "shape": x.shape, "bits": [str(b) for b in bits], "text": str(x)})


case(np.array([], np.float32))
case(np.zeros((3, 0, 2), np.int32))
for dtype in [np.float16, np.float32, np.float64]:
    for value in [0, -0.0, 1, 0.1, -2.5, 1e-5, 1 / 3, 100, 999, 1000, np.nan, np.inf, -np.inf]:
        case(np.array(value, dtype))
    for values in [
        [1, 2, 3], [0.1, 0.25, -3], [1e-5, 1], [1, 1000.5], [1, 999], [np.nan, 1.5], [np.inf, -np.inf, 2],
        [-np.inf, 1e-7], [np.nan, np.inf], [0, 0], [-0.0, 0.5], [1e-4, 0.05], [1 / 3, 2 / 3, 1], [65504, 1], [3e-5] * 20,
    ]:
        case(np.array(values, dtype))
    case(rng.normal(size=(3, 4)).astype(dtype))
    case(rng.normal(size=(2, 3, 4)).astype(dtype))
    case((rng.normal(size=(4, 30)) * 10.0 ** rng.integers(-3, 3, (4, 30))).astype(dtype))
for value in [1e16, 999999, 1e6, 1.5e20, 123456789.0, 1e15, 1e-10, 3.4e38]:
    case(np.array(value, np.float32))
    case(np.array(value, np.float64))
case(np.array([1e8, 1], np.float32))
case(np.array([1e-300, 1e300]))
case(np.array([1e10, 2.5e-10, 0], np.float32))
for dtype in [np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]:
    info = np.iinfo(dtype)
    case(np.array(info.max, dtype))
    case(np.array([info.min, 0, 7, info.max], dtype))
    case(rng.integers(0, 100, (5, 7)).astype(dtype))
case(np.array(True))
case(np.array([True, True]))
case(np.array([[True, False], [False, False]]))
for shape in [(1000,), (1001,), (7, 150), (6, 170), (150, 7), (2, 3, 170), (11, 10, 10), (2, 2, 2, 2, 70)]:
    case(rng.integers(0, 100, shape).astype(np.uint8))
case(rng.normal(size=1001).astype(np.float32))

folder = pathlib.Path(__file__).parent
(folder / "printed.json").write_text("[\n" + ",\n".join(json.dumps(c) for c in CASES) + "\n]\n")
