"""The peers that python_peers.py has not: searches, gathers, order statistics, sorts of 64 bits and in rows, a Gaussian filter,
steps of the heat equation, small results, and streams through pinned memory by hand. PyTorch, CuPy and NumPy on an NVIDIA GPU.

    python3 more_peers.py [--rows PART] [--list] [--jsonl FILE]

Prints one JSON object a line as python_peers.py does, to FILE if one is named, and a table last. A row that fails says why and the
others go on. Data are random and new in each run. Each result is checked before it is timed. Medians after 400 ms of
warm-up: CUDA events for kernels, the host's clock where the host waits. Some three minutes.
"""
import argparse
import gc
import json
import secrets
import sys
import time

WARM = 0.4  # seconds
RUNS, LONG = 20, 2.0  # runs, and the seconds after which there are no more
ROWS = []


def row(op, sizes, unit, amount, clock="device"):
    """Registers a peer. `amount` of n is what a rate counts: bytes or keys; of a time nothing. The function sets up and gives
    the work, and what checks its result."""

    def add(make):
        ROWS.extend((make.__name__.split("__")[0], op, n, unit, amount, clock, make) for n in sizes)
        return make

    return add


def need(holds, what):
    if not holds:
        raise AssertionError(f"wrong result: {what}")


def floats(n):
    """Multiples of 2^-24 in 0..1, as crosslane's benchmark has them."""
    return torch.randint(0, 1 << 24, (n,), device="cuda", dtype=torch.int32).to(torch.float32).mul_(2.0**-24)


def words(n, dtype="int32"):
    """Random integers of all bits."""
    bits = torch.randint(-(1 << 31), (1 << 31) - 1, (n,), device="cuda", dtype=torch.int64)
    if dtype == "int64":
        bits = (bits << 32) ^ torch.randint(0, (1 << 32) - 1, (n,), device="cuda", dtype=torch.int64)
        return bits
    return bits.to(torch.int32)


def ascends(a):
    """Whether the last axis ascends; in parts, since a comparison takes memory."""
    flat = a.reshape(-1, a.shape[-1]) if a.dim() > 1 else a.reshape(1, -1)
    step = 1 << 24
    return all(
        bool((flat[:, i : i + step + 1][:, 1:] >= flat[:, i : i + step + 1][:, :-1]).all())
        for i in range(0, flat.shape[1], step)
    )


N = [1 << 28]
KEYS = [1 << 20, 1 << 24, 1 << 26, 1 << 28]


@row("mul_f32", N, "GB/s", lambda n: 8 * n)
def torch__mul(n):
    x, z = floats(n), torch.empty(n, device="cuda")
    return lambda: torch.mul(x, 0.4, out=z), lambda: need(torch.allclose(z[:1000], 0.4 * x[:1000]), "mul")


@row("add_f32", N, "GB/s", lambda n: 12 * n)
def torch__add(n):
    x, y, z = floats(n), floats(n), torch.empty(n, device="cuda")
    return lambda: torch.add(x, y, out=z), lambda: need(torch.equal(z[-1000:], x[-1000:] + y[-1000:]), "add")


@row("dot_f32", N, "GB/s", lambda n: 8 * n)
def torch__dot(n):
    x, y = floats(n), floats(n)
    exact = sum(float((a.double() * b.double()).sum()) for a, b in zip(x.split(1 << 24), y.split(1 << 24)))
    return lambda: torch.dot(x, y), lambda: need(abs(float(torch.dot(x, y)) / exact - 1) < 1e-4, "dot")


def taken(n, dtype, how):
    x = floats(n)
    at = torch.randint(0, n, (n,), device="cuda", dtype=dtype)
    out = torch.empty(n, device="cuda")

    def check():
        places = torch.randint(0, n, (1000,), device="cuda")
        need(torch.equal(out[places].cpu(), x.cpu()[at[places].long().cpu()]), how.__name__)

    return lambda: how(x, at, out), check


def by_take(x, at, out):
    torch.take(x, at, out=out)


def by_index_select(x, at, out):
    torch.index_select(x, 0, at, out=out)


@row("take_f32_random", N, "GB/s", lambda n: 12 * n)
def torch__take(n):
    return taken(n, torch.int64, by_take)


@row("take_f32_random", N, "GB/s", lambda n: 12 * n)
def torch__index_select(n):
    return taken(n, torch.int32, by_index_select)


@row("take_f32_random", N, "GB/s", lambda n: 12 * n)
def cupy__take(n):
    x = cp.random.random(n, dtype=cp.float32)
    at = cp.random.randint(0, n, n, dtype=cp.uint32)
    out = cp.empty(n, cp.float32)
    return lambda: cp.take(x, at, out=out), lambda: need(bool((out[:1000] == x[at[:1000]]).all()), "take")


@row("searchsorted_f32", N, "GB/s", lambda n: 8 * n)
def torch__searchsorted(n):
    x, among = floats(n), torch.arange(1 << 20, device="cuda", dtype=torch.float32) / (1 << 20)
    out = torch.empty(n, device="cuda", dtype=torch.int32)
    check = lambda: need(torch.equal(out, torch.ceil(x * (1 << 20)).to(torch.int32)), "searchsorted")
    return lambda: torch.searchsorted(among, x, out_int32=True, out=out), check


def counted(n, bins, high, counts):
    x = floats(n)

    def check():
        wanted = torch.zeros(bins, dtype=torch.int64, device="cuda")
        for part in x.split(1 << 26):
            wanted += torch.bincount((part * (bins / high)).to(torch.int64), minlength=bins)
        got = torch.as_tensor(counts(x)).to("cuda").to(torch.int64)
        need(int(got.sum()) == n and int((got - wanted).abs().sum()) < 4 * bins, "counts")

    return lambda: counts(x), check


@row("histogram_even_f32_65536", N, "GB/s", lambda n: 4 * n)
def torch__histc(n):
    return counted(n, 65536, 1.0, lambda x: torch.histc(x, 65536, 0.0, 1.0))


@row("histogram_even_f32_65536", N, "GB/s", lambda n: 4 * n)
def cupy__histogram(n):
    edges = {}

    def counts(x):
        kept = edges.setdefault("x", cp.asarray(x))
        return cp.histogram(kept, 65536, (0.0, 1.0))[0]

    return counted(n, 65536, 1.0, counts)


@row("histogram_one_bin_f32_256", N, "GB/s", lambda n: 4 * n)
def torch__histc_one(n):
    return counted(n, 256, 256.0, lambda x: torch.histc(x, 256, 0.0, 256.0))


@row("histogram_one_bin_f32_256", N, "GB/s", lambda n: 4 * n)
def cupy__histogram_one(n):
    edges = {}

    def counts(x):
        kept = edges.setdefault("x", cp.asarray(x))
        return cp.histogram(kept, 256, (0.0, 256.0))[0]

    return counted(n, 256, 256.0, counts)


@row("nth_i32", KEYS, "GB/s", lambda n: 4 * n)
def torch__kthvalue(n):
    k = words(n)

    def check():
        got = torch.kthvalue(k, n // 2 + 1).values
        below, up_to = int((k < got).sum()), int((k <= got).sum())
        need(below <= n // 2 < up_to, "kthvalue")

    return lambda: torch.kthvalue(k, n // 2 + 1), check


@row("topk_100_i32", [1 << 28], "GB/s", lambda n: 4 * n)
def torch__topk(n):
    k = words(n)

    def check():
        got = torch.topk(k, 100).values
        need(ascends(got.flip(0)) and int((k > got[-1]).sum()) < 100, "topk")

    return lambda: torch.topk(k, 100), check


@row("argsort_i32", [1 << 28], "Gkeys/s", lambda n: n)
def torch__sort(n):
    k = words(n)
    return lambda: torch.sort(k), lambda: need(ascends(torch.sort(k).values), "sort")


@row("sort_keys_u64", [1 << 20, 1 << 24, 1 << 26], "Gkeys/s", lambda n: n)
def cupy__sort_u64(n):
    k = cp.random.randint(0, 1 << 32, n, dtype=cp.uint64) << cp.uint64(32)
    k ^= cp.random.randint(0, 1 << 32, n, dtype=cp.uint64)

    def check():
        got = cp.sort(k)
        need(bool((got[1:] >= got[:-1]).all()) and int(got.sum()) == int(k.sum()), "sort")

    return lambda: cp.sort(k), check


@row("sort_keys_u64", [1 << 20, 1 << 24, 1 << 26], "Gkeys/s", lambda n: n)
def torch__sort_i64(n):
    k = words(n, "int64")
    return lambda: torch.sort(k), lambda: need(ascends(torch.sort(k).values), "sort")


@row("sort_rows_u32_1024", KEYS, "Gkeys/s", lambda n: n)
def torch__sort_rows(n):
    k = words(n).reshape(-1, 1024)
    return lambda: torch.sort(k, dim=1), lambda: need(ascends(torch.sort(k, dim=1).values), "rows")


@row("sort_rows_u32_1024", KEYS, "Gkeys/s", lambda n: n)
def cupy__sort_rows(n):
    k = cp.random.randint(0, 1 << 32, n, dtype=cp.uint32).reshape(-1, 1024)

    def check():
        got = cp.sort(k, axis=1)
        need(bool((got[:, 1:] >= got[:, :-1]).all()), "rows")

    return lambda: cp.sort(k, axis=1), check


@row("select_sort_sum_u32", KEYS, "Gkeys/s", lambda n: n)
def cupy__select_sort_sum(n):
    k = cp.random.randint(0, 1 << 32, n, dtype=cp.uint32)
    work = lambda: cp.sort(k[k < (1 << 30)]).sum()
    return work, lambda: need(int(work()) == int(cp.where(k < (1 << 30), k, 0).sum(dtype=cp.uint64)), "sum")


@row("gaussian_15_f32", [8192], "GB/s", lambda n: 16 * n * n)
def cupy__gaussian_filter(n):
    from cupyx.scipy.ndimage import gaussian_filter

    image, out = cp.random.random((n, n), dtype=cp.float32), cp.empty((n, n), cp.float32)

    def check():
        t = np.arange(-7, 8)
        bell = np.exp(-0.5 * (t / 1.75) ** 2)
        bell /= bell.sum()
        part = cp.asnumpy(image[100:115, 200:215]).astype(np.float64)
        need(abs(float(out[107, 207]) - bell @ part @ bell) < 1e-5, "gaussian_filter")

    return lambda: gaussian_filter(image, 1.75, output=out, mode="reflect"), check


# Steps of the heat equation as a program has them by hand: a thread a cell, and two plates in turns.
HEAT = r"""
extern "C" __global__ void heat(const float* in, float* out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= n) return;
    size_t at = (size_t)y * n + x;
    float own = in[at], left = x > 0 ? in[at - 1] : 0.0f, right = x < n - 1 ? in[at + 1] : 0.0f;
    float up = y > 0 ? in[at - n] : 0.0f, down = y < n - 1 ? in[at + n] : 0.0f;
    out[at] = own + 0.2f * (left + right + up + down - 4.0f * own);
}
"""
STEPS = 100


@row("heat_2d_step_f32", [8192], "GB/s", lambda n: 8 * n * n * STEPS)
def cupy__heat(n):
    step = cp.RawKernel(HEAT, "heat")
    start, plates = cp.random.random((n, n), dtype=cp.float32), [cp.empty((n, n), cp.float32) for _ in range(2)]

    def work(steps=STEPS):
        before = start
        for i in range(steps):
            step((-(-n // 256), n), (256,), (before, plates[i % 2], cp.int32(n)))
            before = plates[i % 2]
        return before

    def check():
        wanted = np.pad(cp.asnumpy(start[:40, -40:]).astype(np.float64), ((1, 0), (0, 1)))
        for _ in range(5):
            near = wanted[:-2, 1:-1] + wanted[2:, 1:-1] + wanted[1:-1, :-2] + wanted[1:-1, 2:]
            wanted[1:-1, 1:-1] += 0.2 * (near - 4.0 * wanted[1:-1, 1:-1])
        error = np.abs(cp.asnumpy(work(5)[:30, -30:]) - wanted[1:31, -31:-1]).max()
        need(error < 1e-5, "heat")

    return work, check


def synchronised(work):
    def run():
        work()
        torch.cuda.synchronize()

    return run


@row("evaluate_sync", [1], "us", None, "host")
def torch__evaluate(n):
    x = torch.full((1,), 7.0, device="cuda")
    return synchronised(lambda: x + 1.0), lambda: need(float(x + 1.0) == 8.0, "x + 1")


@row("evaluate_sync_independent", [1000], "us", None, "host")
def torch__independent(n):
    x = torch.full((1,), 7.0, device="cuda")
    work = lambda: [x + float(i) for i in range(n)]
    return synchronised(work), lambda: need(float(work()[-1]) == 6.0 + n, "x + i")


def chained(x, n):
    for _ in range(n):
        x = x.clone()
    return x


@row("evaluate_sync_dependent", [1000], "us", None, "host")
def torch__dependent(n):
    x = torch.full((1,), 7.0, device="cuda")
    return synchronised(lambda: chained(x, n)), lambda: need(float(chained(x, n)) == 7.0, "clone")


def graphed(work):
    """A CUDA graph of the work."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        work()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = work()
    return graph, result


@row("launch_sync_independent", [1000], "us", None, "host")
def torch__graph_independent(n):
    x = torch.full((1,), 7.0, device="cuda")
    graph, result = graphed(lambda: [x + float(i) for i in range(n)])
    return synchronised(graph.replay), lambda: need(float(result[-1]) == 6.0 + n, "x + i")


@row("launch_sync_dependent", [1000], "us", None, "host")
def torch__graph_dependent(n):
    x = torch.full((1,), 7.0, device="cuda")
    graph, result = graphed(lambda: chained(x, n))
    return synchronised(graph.replay), lambda: need(float(result) == 7.0, "clone")


@row("result_4_bytes_of_sum", [1], "us", None, "host")
def torch__sum_item(n):
    x = torch.full((1000,), 0.5, device="cuda")
    return lambda: x.sum().item(), lambda: need(x.sum().item() == 500.0, "sum")


@row("result_of_sort_u32", [64, 4000], "us", None, "host")
def torch__small_sort(n):
    k = words(n)
    return lambda: torch.sort(k).values.cpu(), lambda: need(ascends(torch.sort(k).values), "sort")


@row("result_of_sort_u32", [64, 4000], "us", None, "host")
def cupy__small_sort(n):
    k = cp.random.randint(0, 1 << 32, n, dtype=cp.uint32)
    return lambda: cp.sort(k).get(), lambda: need(bool((np.diff(cp.sort(k).get().astype(np.int64)) >= 0).all()), "sort")


@row("matmul_batched_f32_2", [10_000], "us", None, "host")
def torch__bmm(n):
    a, b = torch.randn(n, 2, 2, device="cuda"), torch.randn(n, 2, 2, device="cuda")
    wanted = (a.unsqueeze(3) * b.unsqueeze(1)).sum(2)
    return synchronised(lambda: torch.bmm(a, b)), lambda: need(torch.allclose(torch.bmm(a, b), wanted, atol=1e-5), "bmm")


PIECE = 2 << 20  # elements


def on_host(n):
    return np.random.default_rng(secrets.randbits(63)).random(n, dtype=np.float32)


@row("host_copy", N, "GB/s", lambda n: 4 * n, "host")
def numpy__copyto(n):
    host, piece = on_host(n), np.empty(min(PIECE, n), np.float32)

    def work():
        for start in range(0, n, PIECE):
            part = host[start : start + PIECE]
            np.copyto(piece[: len(part)], part)

    return work, lambda: need((piece[: n - (n - 1) // PIECE * PIECE] == host[(n - 1) // PIECE * PIECE :]).all(), "copy")


def stream(n, step, back):
    """Pieces of the host's memory by way of two pinned buffers, each with a stream: a copy up, `step`, and a copy back if wanted.
    The host copies the next piece meanwhile. Gives the work."""
    host = torch.from_numpy(on_host(n))
    lanes = [
        (
            torch.cuda.Stream(),
            torch.empty(PIECE, pin_memory=True),
            torch.empty(PIECE, device="cuda"),
            torch.empty(PIECE, pin_memory=True),
        )
        for _ in range(2)
    ]

    def work(take=None):
        for nth, start in enumerate(range(0, n, PIECE)):
            lane, up, there, down = lanes[nth % 2]
            lane.synchronize()
            if take and nth > 1:
                take(start - 2 * PIECE, down)
            part = host[start : start + PIECE]
            up[: len(part)].copy_(part)
            with torch.cuda.stream(lane):
                there.copy_(up, non_blocking=True)
                step(there, nth % 2)
                if back:
                    down.copy_(there, non_blocking=True)
        torch.cuda.synchronize()

    return host, work


@row("streamed_map", N, "GB/s", lambda n: 4 * n, "host")
def torch__pinned_map(n):
    host, work = stream(n, lambda x, _: x.mul_(2.0), True)

    def check():
        wrong = []
        work(lambda at, got: wrong.append(at) if not torch.equal(got, 2.0 * host[at : at + PIECE]) else None)
        need(not wrong, f"piece at {wrong[:1]}")

    return work, check


@row("streamed_sum", N, "GB/s", lambda n: 4 * n, "host")
def torch__pinned_sum(n):
    # One for each stream: nothing orders one's additions and the other's.
    totals = torch.zeros(2, device="cuda", dtype=torch.float64)
    host, work = stream(n, lambda x, lane: totals[lane].add_(x.sum(dtype=torch.float64)), False)

    def run():
        totals.zero_()
        torch.cuda.synchronize()
        work()
        return totals.sum().item()

    return run, lambda: need(abs(run() / float(host.double().sum()) - 1) < 1e-6, "sum")


def event_seconds(work):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    work()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / 1e3


def host_seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def median(work, clock):
    once = event_seconds if clock == "device" else host_seconds
    begin = time.perf_counter()
    once(work)
    while time.perf_counter() - begin < WARM:
        once(work)
    times, begin = [], time.perf_counter()
    runs = RUNS if clock == "device" else 10 * RUNS
    while len(times) < runs and (len(times) < 3 or time.perf_counter() - begin < LONG):
        times.append(once(work))
    return sorted(times)[len(times) // 2]


def measured(peer, op, n, unit, amount, clock, make):
    work, check = make(n)
    work()
    check()
    seconds = median(work, clock)
    value = seconds * 1e6 if unit == "us" else amount(n) / seconds / 1e9
    return {"peer": peer, "op": op, "n": n, "value": float(f"{value:.4g}"), "unit": unit, "warm_ms": int(WARM * 1e3)}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", default="", help="only rows whose name contains this")
    options.add_argument("--list", action="store_true", help="prints the rows' names and measures nothing")
    options.add_argument("--jsonl", help="a file for the lines; else they are printed")
    options = options.parse_args()
    wanted = [row for row in ROWS if options.rows in row[1]]
    if options.list:
        for peer, op, n, unit, _, _, make in wanted:
            print(f"{op:28} {n:>10}  {peer:6} {make.__name__.split('__')[1]} ({unit})")
        return
    global cp, np, torch
    import numpy as np

    if not hasattr(np, "row_stack"):  # NumPy 2.5 dropped a name that other libraries still ask for
        np.row_stack = np.vstack
    missing = {}
    cp = torch = None
    for name in ("torch", "cupy"):
        try:
            globals()["cp" if name == "cupy" else name] = __import__(name)
        except Exception as error:  # whatever a library says while it is loaded
            missing[name] = f"{name} cannot be loaded: {error}"
    if torch:
        torch.manual_seed(secrets.randbits(62))
    if cp:
        cp.random.seed(secrets.randbits(31))
    out = open(options.jsonl, "w") if options.jsonl else sys.stdout
    table = []
    for peer, op, n, unit, amount, clock, make in wanted:
        how = make.__name__.split("__")[1]
        try:
            # Rows of NumPy need nothing else, those of CuPy also PyTorch's events.
            for name in {"numpy": [], "cupy": ["cupy", "torch"]}.get(peer, ["torch"]):
                if name in missing:
                    raise ImportError(missing[name])
            line = measured(peer, op, n, unit, amount, clock, make)
            print(json.dumps(line), file=out, flush=True)
            said = f"{line['value']:>9} {unit}"
        except Exception as error:  # whatever a library throws: the next row is measured all the same
            said = "failed: " + (str(error).strip().split("\n") or [""])[0][:90]
        table.append(f"{op:28} {n:>10}  {peer:6} {how:20} {said}")
        # What the row held.
        gc.collect()
        if torch and "torch" not in missing and torch.cuda.is_available():
            torch.cuda.empty_cache()
        if cp:
            cp.get_default_memory_pool().free_all_blocks()
    print("\n".join(table), file=sys.stderr if out is sys.stdout else sys.stdout)


if __name__ == "__main__":
    main()
