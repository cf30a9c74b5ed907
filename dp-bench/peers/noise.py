"""What noise of diffprivlib takes, one value at a time, as it is used: a line of JSON for each, in nanoseconds of the processor."""

import json
import time

VALUES = 20_000


def report(row, peer, make):
    """Prints the least time for a value of a few runs, or why there is none."""
    try:
        mechanism, best = make(), float("inf")
        for _ in range(5):
            start = time.process_time()
            for _ in range(VALUES):
                mechanism.randomise(0.5)
            best = min(best, time.process_time() - start)
        print(json.dumps({"row": row, "peer": peer, "ns": best / VALUES * 1e9}), flush=True)
    except Exception as error:
        print(json.dumps({"peer": peer, "missing": f"{type(error).__name__}: {error}"[:200]}), flush=True)


def laplace():
    from diffprivlib.mechanisms import Laplace
    return Laplace(epsilon=1.0, sensitivity=1.0)


def gaussian():
    from diffprivlib.mechanisms import GaussianAnalytic
    return GaussianAnalytic(epsilon=1.0, delta=1e-6, sensitivity=1.0)


report(row="Laplace, one by one", peer="diffprivlib", make=laplace)
report(row="Gaussian, one by one", peer="diffprivlib", make=gaussian)
