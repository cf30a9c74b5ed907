"""What noise and medians of diffprivlib take, one at a time, as they are used: a line of JSON for each, in nanoseconds of the processor."""

import json
import time

VALUES = 20_000


def report(row, peer, make, values=VALUES):
    """Prints the least time for a value of a few runs, or why there is none."""
    try:
        draw, best = make(), float("inf")
        for _ in range(5):
            start = time.process_time()
            for _ in range(values):
                draw()
            best = min(best, time.process_time() - start)
        print(json.dumps({"row": row, "peer": peer, "ns": best / values * 1e9}), flush=True)
    except Exception as error:
        print(json.dumps({"peer": peer, "missing": f"{type(error).__name__}: {error}"[:200]}), flush=True)


def laplace():
    from diffprivlib.mechanisms import Laplace
    mechanism = Laplace(epsilon=1.0, sensitivity=1.0)
    return lambda: mechanism.randomise(0.5)


def gaussian():
    from diffprivlib.mechanisms import GaussianAnalytic
    mechanism = GaussianAnalytic(epsilon=1.0, delta=1e-6, sensitivity=1.0)
    return lambda: mechanism.randomise(0.5)


def median():
    import numpy
    from diffprivlib.tools import median as private_median
    data = 2000.0 * ((numpy.arange(1_000_000) * 0.6180339887498949) % 1.0 - 0.5)
    return lambda: private_median(data, epsilon=1.0, bounds=(-1000.0, 1000.0))


report(row="Laplace, one by one", peer="diffprivlib", make=laplace)
report(row="Gaussian, one by one", peer="diffprivlib", make=gaussian)
report(row="private median of 10⁶", peer="diffprivlib", make=median, values=1)
