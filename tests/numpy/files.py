"""Writes kept.npz, which tests/files.rs reads: an array of every type, and of every way in which NumPy lays one out."""

import pathlib

import numpy as np

NAMES = {"f16": "f2", "f32": "f4", "f64": "f8", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8"}
a = np.arange(6).reshape(2, 3)
arrays = {name: (a * 1.5 if name[0] == "f" else a * 7).astype(code) for name, code in NAMES.items()}
arrays["bool"] = a % 2 == 1
arrays["fortran"] = np.asfortranarray(a.astype("<i4"))
arrays["deep"] = np.asfortranarray(np.arange(24, dtype=np.uint16).reshape(2, 3, 4))
arrays["big"] = a.astype(">i4")
arrays["scalar"] = np.float32(2.5)
arrays["empty"] = np.zeros((0, 3), np.uint8)
arrays["complex"] = np.zeros(2, np.complex64)
np.savez_compressed(pathlib.Path(__file__).parent / "kept.npz", **arrays)
