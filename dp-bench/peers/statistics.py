"""Mean absolute errors of diffprivlib and OpenDP on real tables, a line of JSON for each.

python statistics.py FOLDER, which holds diamonds.csv and diabetes_raw.csv. Whoever has no way to ask
says why. OpenDP's medians get a thousand even candidates.
"""

import csv
import json
import sys
import warnings

RUNS = 200
COLUMNS = [
    ("diamonds price", "diamonds.csv", "price", (0.0, 20000.0), "cut"),
    ("diamonds carat", "diamonds.csv", "carat", (0.0, 10.0), "cut"),
    ("diabetes bmi", "diabetes_raw.csv", "bmi", (10.0, 60.0), "sex"),
]
EPSILONS = [0.1, 0.5, 1.0]
LEVELS = {"quantile 0.25": 0.25, "median": 0.5, "quantile 0.9": 0.9}


def report(peer, data, statistic, epsilon, truth, draw):
    """Prints the mean distance of releases from the truth, of a group on average."""
    try:
        total = 0.0
        for _ in range(RUNS):
            total += sum(abs(a - b) for a, b in zip(draw(), truth)) / len(truth)
        found = {"error": total / RUNS}
    except Exception as error:
        found = {"missing": f"{type(error).__name__}: {error}"[:160]}
    print(json.dumps({"peer": peer, "data": data, "statistic": statistic, "epsilon": epsilon, **found}), flush=True)


def level(values, p):
    """The smallest record with at least p·n records up to it."""
    ordered = sorted(values)
    return ordered[max(0, -int(-p * len(ordered) // 1) - 1)]


def diffprivlib(data, values, bounds, truth):
    import diffprivlib.tools as tools
    import numpy
    warnings.simplefilter("ignore")
    array = numpy.array(values)
    for epsilon in EPSILONS:
        call = {"epsilon": epsilon, "bounds": bounds}
        report("diffprivlib", data, "mean", epsilon, truth["mean"], lambda: [tools.mean(array, **call)])
        report("diffprivlib", data, "standard deviation", epsilon, truth["standard deviation"], lambda: [tools.std(array, **call)])
        for name, p in LEVELS.items():
            report("diffprivlib", data, name, epsilon, truth[name], lambda: [tools.quantile(array, p, **call)])


def opendp(data, values, bounds, truth, groups):
    import opendp.prelude as dp
    dp.enable_features("contrib")
    low, high = bounds
    size = len(values)
    sized = dp.vector_domain(dp.atom_domain(bounds=bounds, nan=False), size=size), dp.symmetric_distance()
    free = dp.vector_domain(dp.atom_domain(bounds=bounds, nan=False)), dp.symmetric_distance()

    def laplace(query, step, epsilon):
        return dp.binary_search_chain(lambda scale: query >> dp.m.then_laplace(scale), d_in=step, d_out=epsilon)

    for epsilon in EPSILONS:
        mean = laplace(dp.t.make_mean(*sized), 2, epsilon)
        report("opendp", data, "mean", epsilon, truth["mean"], lambda: [mean(values)])
        variance = laplace(dp.t.make_variance(*sized, ddof=0), 2, epsilon)
        report("opendp", data, "standard deviation", epsilon, truth["standard deviation"], lambda: [max(0.0, variance(values)) ** 0.5])
        candidates = [low + (high - low) * k / 1000 for k in range(1001)]
        for name, p in LEVELS.items():
            make = lambda scale: dp.m.make_private_quantile(*free, dp.max_divergence(), candidates, p, scale)
            quantile = dp.binary_search_chain(make, d_in=1, d_out=epsilon)
            report("opendp", data, name, epsilon, truth[name], lambda: [quantile(values)])
        # Each group has a sum and a count, and the groups are disjoint.
        total = laplace(dp.t.make_sum(*free), 1, epsilon / 2)
        count = laplace(dp.t.make_count(dp.vector_domain(dp.atom_domain(bounds=bounds, nan=False)), dp.symmetric_distance()), 1, epsilon / 2)
        share = lambda group: min(max(total(group) / max(1, count(group)), low), high)
        report("opendp", data, "mean by group", epsilon, truth["mean by group"], lambda: [share(group) for group in groups])


for data, file, column, bounds, key in COLUMNS:
    with open(f"{sys.argv[1]}/{file}") as lines:
        rows = list(csv.DictReader(lines))
    values = [float(row[column]) for row in rows]
    keys = sorted({row[key] for row in rows})
    groups = [[float(row[column]) for row in rows if row[key] == k] for k in keys]
    mean = sum(values) / len(values)
    truth = {
        "mean": [mean],
        "standard deviation": [(sum((x - mean) ** 2 for x in values) / len(values)) ** 0.5],
        "mean by group": [sum(group) / len(group) for group in groups],
        **{name: [level(values, p)] for name, p in LEVELS.items()},
    }
    diffprivlib(data, values, bounds, truth)
    opendp(data, values, bounds, truth, groups)
