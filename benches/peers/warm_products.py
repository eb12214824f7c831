"""PyTorch's products, as `crosslane bench` measures its own: warmed up for 400 ms, by which time a card is at its power limit,
then the median of 20. `python_peers.py` warms up for five runs. Also what that does not measure: 4096 times 64 x 64. Prints
lines as that does, with `warm_ms`. Small products are not measured: the time between their launches would count."""
import json
import time

import torch

WARM_MS = 400
MEASURED_MS = 4
torch.backends.cuda.matmul.allow_tf32 = False


def measure(op, n, amount, work, unit="TFLOP/s"):
    begin, runs = time.perf_counter(), 0
    while time.perf_counter() - begin < WARM_MS / 1e3:
        work()
        torch.cuda.synchronize()
        runs += 1
    # So many at a time that what a launch costs the host does not count.
    together = max(1, runs * MEASURED_MS // WARM_MS)
    times = []
    for _ in range(20):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(together):
            work()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / 1e3 / together)
    value = float(f"{amount / sorted(times)[10]:.4g}")
    print(json.dumps({"peer": "cublas", "op": op, "n": n, "value": value, "unit": unit, "warm_ms": WARM_MS}), flush=True)


for name, dtype in (("f32", torch.float32), ("f16", torch.float16)):
    for n in (4096, 8192):
        a, b = (torch.randn(n, n, device="cuda", dtype=dtype) for _ in range(2))
        measure(f"matmul_{name}", n, 2 * n**3 / 1e12, lambda: a @ b)
a, b = (torch.randn(4096, 64, 64, device="cuda") for _ in range(2))
measure("matmul_batched_f32_64", 4096, 2 * 4096 * 64**3 / 1e12, lambda: torch.bmm(a, b))
for n in (4096, 16384):
    a, v = torch.randn(n, n, device="cuda"), torch.randn(n, device="cuda")
    measure("matvec_f32", n, 4 * n * n / 1e9, lambda: a @ v, "GB/s")
