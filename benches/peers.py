"""What shared/peers does not measure: PyTorch's batched product, 4096 times 64 x 64. Prints lines as those do."""
import json

import torch

torch.backends.cuda.matmul.allow_tf32 = False
a, b = (torch.randn(4096, 64, 64, device="cuda") for _ in range(2))
start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
times = []
for repetition in range(30):
    start.record()
    for _ in range(10):
        c = torch.bmm(a, b)
    end.record()
    torch.cuda.synchronize()
    times.append(start.elapsed_time(end) / 10e3)
times.sort()
flops = 2 * 4096 * 64**3
row = {"peer": "cublas", "op": "matmul_batched_f32_64", "n": 4096, "value": float(f"{flops / times[15] / 1e12:.4g}"), "unit": "TFLOP/s"}
print(json.dumps(row))
