"""What private training steps take in Opacus and JAX, on one thread: a line of JSON for each model, in nanoseconds of the processor for each example.

Random data of the shapes of MNIST, batches of 256 that exist beforehand, clipping norm 1, noise multiplier 1.1, floats of 32 bits.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["OMP_NUM_THREADS"] = "1"

import json
import time
import warnings

warnings.filterwarnings("ignore")
BATCH = 256


def report(row, peer, make, steps, judged=False):
    """Prints the least time for an example of a few rounds, or why there is none."""
    try:
        step = make()
        step()
        best = float("inf")
        for _ in range(4):
            start = time.process_time()
            for _ in range(steps):
                step()
            best = min(best, time.process_time() - start)
        print(json.dumps({"row": row, "peer": peer, "ns": best / steps / BATCH * 1e9, "judged": judged}), flush=True)
    except Exception as error:
        print(json.dumps({"peer": f"{peer}, {row}", "missing": f"{type(error).__name__}: {error}"[:200]}), flush=True)


def with_opacus():
    import torch
    from opacus import PrivacyEngine
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    torch.set_num_threads(1)

    def dense(*widths):
        layers = [layer for a, b in zip(widths, widths[1:]) for layer in (nn.Linear(a, b), nn.ReLU())]
        return nn.Sequential(*layers[:-1])

    def convolutional():
        return nn.Sequential(
            nn.Conv2d(1, 16, 8, 2, padding=3), nn.ReLU(), nn.MaxPool2d(2, 1),
            nn.Conv2d(16, 32, 4, 2), nn.ReLU(), nn.MaxPool2d(2, 1),
            nn.Flatten(), nn.Linear(512, 32), nn.ReLU(), nn.Linear(32, 10))

    def make(model, shape, mode):
        x, y = torch.rand((10_000, *shape)), torch.randint(0, 10, (10_000,))
        network, criterion = model(), nn.CrossEntropyLoss()
        optimizer = torch.optim.SGD(network.parameters(), lr=0.05)
        arguments = dict(module=network, optimizer=optimizer, data_loader=DataLoader(TensorDataset(x, y), batch_size=BATCH),
                         noise_multiplier=1.1, max_grad_norm=1.0)
        if mode == "ghost":
            network, optimizer, criterion, _ = PrivacyEngine().make_private(
                **arguments, criterion=criterion, grad_sample_mode="ghost")
        else:
            network, optimizer, _ = PrivacyEngine().make_private(**arguments)
        turn = 0

        def step():
            nonlocal turn
            first = turn % (10_000 // BATCH) * BATCH
            turn += 1
            optimizer.zero_grad()
            criterion(network(x[first:first + BATCH]), y[first:first + BATCH]).backward()
            optimizer.step()

        return step

    flat, image = (784,), (1, 28, 28)
    for mode, judged, slower in [("ghost", True, 1), ("hooks", False, 4)]:
        peer = f"Opacus, {mode}"
        report(row="softmax 784-10", peer=peer, make=lambda: make(lambda: dense(784, 10), flat, mode), steps=100, judged=judged)
        report(row="MLP 784-128-10", peer=peer, make=lambda: make(lambda: dense(784, 128, 10), flat, mode),
               steps=40 // slower, judged=judged)
        report(row="MLP 784-512-256-10", peer=peer, make=lambda: make(lambda: dense(784, 512, 256, 10), flat, mode),
               steps=12 // slower, judged=judged)
        report(row="convolutional", peer=peer, make=lambda: make(convolutional, image, mode), steps=8, judged=judged)


def with_jax():
    import jax
    import jax.numpy as jnp

    def make(*widths):
        keys = iter(jax.random.split(jax.random.PRNGKey(1), 1000))
        layers = [(jax.random.normal(next(keys), (a, b)) / a**0.5, jnp.zeros(b)) for a, b in zip(widths, widths[1:])]
        x, y = jax.random.uniform(next(keys), (BATCH, widths[0])), jax.random.randint(next(keys), (BATCH,), 0, 10)

        def loss(layers, x, y):
            for weights, intercepts in layers[:-1]:
                x = jax.nn.relu(x @ weights + intercepts)
            return -jax.nn.log_softmax(x @ layers[-1][0] + layers[-1][1])[y]

        @jax.jit
        def update(layers, key):
            gradients = jax.vmap(jax.grad(loss), (None, 0, 0))(layers, x, y)
            leaves, tree = jax.tree.flatten(gradients)
            norms = jnp.sqrt(sum(jnp.sum(g.reshape(BATCH, -1) ** 2, axis=1) for g in leaves))
            weights = jnp.minimum(1.0, 1.0 / norms)
            sums = [jnp.tensordot(weights, g, axes=1) for g in leaves]
            noised = [s + 1.1 * jax.random.normal(k, s.shape) for s, k in zip(sums, jax.random.split(key, len(sums)))]
            return jax.tree.map(lambda p, g: p - 0.05 * g / BATCH, layers, jax.tree.unflatten(tree, noised))

        state = [layers]

        def step():
            state[0] = jax.block_until_ready(update(state[0], next(keys)))

        return step

    peer = "JAX, vmap(grad)"
    report(row="softmax 784-10", peer=peer, make=lambda: make(784, 10), steps=40)
    report(row="MLP 784-128-10", peer=peer, make=lambda: make(784, 128, 10), steps=6)
    report(row="MLP 784-512-256-10", peer=peer, make=lambda: make(784, 512, 256, 10), steps=2)


for library, name in [(with_opacus, "Opacus"), (with_jax, "JAX")]:
    try:
        library()
    except Exception as error:
        print(json.dumps({"peer": name, "missing": f"{type(error).__name__}: {error}"[:200]}), flush=True)
