"""The example 42_convolution_2d in OpenCL, on its first device: python3 convolution_opencl.py

Needs pyopencl and a driver of OpenCL: pocl is one for the processor (Debian: pocl-opencl-icd). Every result is checked against
NumPy's sums of whole numbers, exactly. Medians of 21 runs after 0.2 s of warm-up, by the host's clock with the wait.
"""
import time

import numpy as np
import pyopencl as cl

ROWS, COLUMNS = 240, 320
TEXT = """
__kernel void plane(__global const float *values, __global const float *weights, __global float *results, const int side) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= COLUMNS || y >= ROWS) return;
    float sum = 0.0f;
    for (int v = 0; v < side; v++) {
        for (int u = 0; u < side; u++) {
            int row = y + side / 2 - v, column = x + side / 2 - u;
            if (row >= 0 && row < ROWS && column >= 0 && column < COLUMNS)
                sum += weights[v * side + u] * values[row * COLUMNS + column];
        }
    }
    results[y * COLUMNS + x] = sum;
}
"""


def wanted(values, weights, side):
    padded = np.pad(values.astype(np.int64), side // 2)
    sums = np.zeros((ROWS, COLUMNS), np.int64)
    for v in range(side):
        for u in range(side):
            row, column = side - 1 - v, side - 1 - u
            sums += weights[v, u].astype(np.int64) * padded[row : row + ROWS, column : column + COLUMNS]
    return sums


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


device = cl.get_platforms()[0].get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context)
print(f"{device.platform.name} {device.platform.version}: {device.name}, {device.max_compute_units} units")
program = cl.Program(context, TEXT).build([f"-DROWS={ROWS}", f"-DCOLUMNS={COLUMNS}"])
kernel = cl.Kernel(program, "plane")
values = (np.arange(ROWS * COLUMNS) * 7 % 251).astype(np.float32).reshape(ROWS, COLUMNS)
read = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
image = cl.Buffer(context, read, hostbuf=values)
results = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, values.nbytes)
for side in (3, 5, 15):
    weights = ((np.arange(side * side) * 5 % 9) - 4).astype(np.float32).reshape(side, side)
    # OpenCL keeps no argument alive.
    there = cl.Buffer(context, read, hostbuf=weights)
    kernel.set_args(image, there, results, np.int32(side))

    def work():
        cl.enqueue_nd_range_kernel(queue, kernel, (COLUMNS, ROWS), (16, 16))
        queue.finish()

    taken = microseconds(work)
    got = np.empty_like(values)
    cl.enqueue_copy(queue, got, results)
    assert (got == wanted(values, weights, side)).all(), side
    print(f"{side:>2} x {side:<2} weights {taken:9.1f} us {ROWS * COLUMNS / taken:7.1f} Mpx/s")
print(f"checked: {3 * ROWS * COLUMNS} results are NumPy's sums")
