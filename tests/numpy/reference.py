"""What each operation of the array API means in NumPy."""
import numpy as np
import reference_elements  # noqa: F401, its operations
import reference_orders  # noqa: F401, its operations
from meaning import OPERATIONS, parse
from reference_sums import SCANS, position, scan


def apply(name, args, params):
    """A result as an array, or Near; ValueError where NumPy has none either."""
    if name.endswith("_scalar"):
        other = parse(params[0], args[0].dtype)
        function = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum}[name[:-7]]
        return function(args[0], other)
    if name in SCANS:
        return scan(name, args[0], *params)
    if name in ("arg_min", "arg_max"):
        return position(name, args[0], *params)
    return OPERATIONS[name](*args, *params)
