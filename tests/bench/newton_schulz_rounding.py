# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""How far Newton-Schulz of PyTorch lies from float64, and from an emulation of the same operations, over shapes and spectra.

The law `update` takes its limits for steps of Muon from these numbers (harness/laws/decisions.md). For each order of operations
and spectrum it prints the largest of each: distance from float64, distance from the emulation, error of the factor by which the
emulation is projected, deviation of a random matrix's share in the rest, and distance over that of the two other orders.

Usage: newton_schulz_rounding.py [--device cpu|cuda] [--seeds N]   (Python with PyTorch and NumPy)
"""
import argparse

import torch

STEPS = [(3.4445, -4.7750, 2.0315)] * 5
SHAPES = [(2, 8), (8, 2), (4, 4), (8, 8), (16, 64), (64, 16), (64, 64), (96, 64), (128, 384), (256, 256)]
SPECTRA = {
    "gaussian": None,
    "rank 1": lambda i, k: (i < 1).double(),
    "rank 4": lambda i, k: (i < 4).double(),
    "1/i": lambda i, k: 1 / (i + 1),
    "1/i^2": lambda i, k: (i + 1) ** -2,
    "10^0..-6": lambda i, k: 10 ** (-6 * i / max(k - 1, 1)),
    "equal": lambda i, k: torch.ones_like(i),
    "one large": lambda i, k: torch.where(i < 1, 1.0, 1e-3),
}
ORDERS = ["joined", "apart", "divided"]


def narrow(x):
    return x.to(torch.bfloat16).double()


def emulated(u, order):
    """The operations of an order, each in float64 and rounded to bfloat16."""
    tall = u.size(0) > u.size(1)
    u = u.T if tall else u
    x = u if order == "divided" else narrow(u)
    norm = x.norm() if order == "divided" else narrow(x.norm())
    x = narrow(x / norm)
    for a, b, c in STEPS:
        gram = narrow(x @ x.T)
        if order == "apart":
            polynomial = narrow(narrow(b * gram) + narrow(narrow(c * gram) @ gram))
            x = narrow(narrow(a * x) + narrow(polynomial @ x))
        else:
            x = narrow(a * x + narrow(b * gram + c * gram @ gram) @ x)
    return x.T if tall else x


def exact(u):
    x = u / u.norm()
    tall = x.size(0) > x.size(1)
    x = x.T if tall else x
    for a, b, c in STEPS:
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.T if tall else x


def computed(u, order):
    """The same by PyTorch's bfloat16."""
    x = u.float()
    x = (x / x.norm() if order == "divided" else x).bfloat16()
    tall = x.size(0) > x.size(1)
    x = x.T if tall else x
    if order != "divided":
        x = x / x.norm()
    for a, b, c in STEPS:
        gram = x @ x.T
        if order == "apart":
            x = a * x + (b * gram + c * gram @ gram) @ x
        else:
            polynomial = torch.addmm(gram, gram, gram, beta=b, alpha=c)
            x = torch.addmm(x, polynomial, x, beta=a)
    return (x.T if tall else x).double()


def matrix(rows, columns, spectrum, device):
    u = torch.randn(rows, columns, dtype=torch.double, device=device)
    if spectrum:
        left, values, right = torch.linalg.svd(u, full_matrices=False)
        u = (left * spectrum(torch.arange(len(values), device=device).double(), len(values))) @ right
    return (1e-3 * u).float().double()


def measure(u):
    """order -> its numbers"""
    whole, parameter = exact(u), torch.randn_like(u)
    emulations = {order: emulated(u, order) for order in ORDERS}
    numbers = {}
    for order, wanted in emulations.items():
        found = computed(u, order)
        factor = (found * wanted).sum() / wanted.norm() ** 2
        rest = found - factor * wanted
        apart = parameter - (parameter * wanted).sum() / wanted.norm() ** 2 * wanted
        deviation = (rest * apart).sum().abs() / apart.norm() / (rest.norm() / u.numel() ** 0.5 + 1e-300)
        others = max((emulations[other] - whole).norm() for other in ORDERS if other != order)
        numbers[order] = [(found - whole).norm() / whole.norm(), rest.norm() / wanted.norm(), (factor - 1).abs(), deviation, (found - whole).norm() / others]
    return numbers


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--device", default="cpu")
    arguments.add_argument("--seeds", type=int, default=4)
    options = arguments.parse_args()
    torch.manual_seed(1)
    print(f"{'order':8} {'spectrum':10} from float64  from emulation  factor   deviations  over others")
    for name, spectrum in SPECTRA.items():
        largest = {order: [0.0] * 5 for order in ORDERS}
        for shape in SHAPES:
            for _ in range(options.seeds):
                for order, row in measure(matrix(*shape, spectrum, options.device)).items():
                    largest[order] = [max(a, float(b)) for a, b in zip(largest[order], row)]
        for order, row in largest.items():
            print(f"{order:8} {name:10} {row[0]:12.4f}  {row[1]:14.4f}  {row[2]:.5f}  {row[3]:10.1f}  {row[4]:11.2f}")


if __name__ == "__main__":
    main()
