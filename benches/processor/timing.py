"""How long a function takes."""
import time


def best(f, least=0.3):
    """Seconds: the least of five runs or more, after one that does not count."""
    f()
    times, start = [], time.perf_counter()
    while len(times) < 5 or time.perf_counter() - start < least:
        t = time.perf_counter()
        f()
        times.append(time.perf_counter() - t)
    return min(times)
