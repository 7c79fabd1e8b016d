# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The exact formulas against mpmath: values with 50 digits, and gradients by central differences along a direction.

The formulas here are written another way than those of harness/operators/exact, from their definitions.

Usage: exact_test.py SOURCE_DIR PARITY_EXACT PARITY_OPERATORS_LIBRARY
"""
import ctypes
import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import h5py
import mpmath
import numpy

SOURCE, PROGRAM, LIBRARY = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
mpmath.mp.dps = 50
STEP = mpmath.mpf(10) ** -16  # of the differences: their error is about 1e-32
mpf = mpmath.mpf


def tensor(shape, grad=True, values="normal", **keys):
    return {"shape": shape, "values": values, "scale": 1, "shift": 0, "grad": grad, **keys}


def integers(shape, low, high, **keys):
    return tensor(shape, False, "integers", low=low, high=high, dtype="int64", **keys)


def rms_norm(x, weight, eps):
    out = numpy.empty(x.shape, object)
    for place in itertools.product(*map(range, x.shape[:-1])):
        mean = mpmath.fsum(one * one for one in x[place]) / x.shape[-1]
        out[place] = [one * mpmath.power(mean + eps, mpf(-1) / 2) * w for one, w in zip(x[place], weight)]
    return out


def softmax(x):
    out = numpy.empty(x.shape, object)
    for place in itertools.product(*map(range, x.shape[:-1])):
        total = mpmath.fsum(mpmath.exp(one) for one in x[place])
        out[place] = [mpmath.exp(one) / total for one in x[place]]
    return out


def cross_entropy(logits, labels, reduction="mean", ignored=-100):
    each = [-mpmath.log(softmax(row[None])[0][int(label)]) if label != ignored else mpf(0)
            for row, label in zip(logits, labels)]
    if reduction == "none":
        return numpy.array(each, object)
    count = sum(int(label) != ignored for label in labels)
    return numpy.array(mpmath.fsum(each) / (count if reduction == "mean" else 1), object)


def rope(x, cos, sin, layout="half"):
    half = x.shape[-1] // 2
    out = numpy.empty(x.shape, object)
    for b, s, h, i in itertools.product(*map(range, (*x.shape[:3], half))):
        a, other = (i, i + half) if layout == "half" else (2 * i, 2 * i + 1)
        turned = mpmath.mpc(x[b, s, h, a], x[b, s, h, other]) * mpmath.mpc(cos[s, i], sin[s, i])
        out[b, s, h, a], out[b, s, h, other] = turned.real, turned.imag
    return out


def swiglu(gate, up):
    sigmoid = numpy.vectorize(lambda g: (mpmath.tanh(g / 2) + 1) / 2, otypes=[object])
    return gate * sigmoid(gate) * up


def attention(q, k, v, causal=False, window=0, documents=None):
    out = numpy.empty((*q.shape[:3], v.shape[-1]), object)
    share = q.shape[1] // k.shape[1]
    for b, h, i in itertools.product(*map(range, q.shape[:3])):
        seen = [j for j in range(k.shape[2]) if not (causal and j > i) and not (window and j <= i - window)
                and (documents is None or documents[b, i] == documents[b, j])]
        scores = numpy.array([mpmath.fdot(q[b, h, i], k[b, h // share, j]) / mpmath.sqrt(q.shape[-1]) for j in seen], object)
        weights = softmax(scores[None])[0]
        out[b, h, i] = [mpmath.fdot(weights, [v[b, h // share, j, l] for j in seen]) for l in range(v.shape[-1])]
    return out


def matmul(a, b):
    return numpy.matmul(a, b)


def grouped_matmul(a, b, ends):
    out = numpy.full((a.shape[0], b.shape[2]), mpf(0), object)
    begin = 0
    for group, end in enumerate(map(int, ends)):
        if end > begin:
            out[begin:end] = a[begin:end] @ b[group]
        begin = max(begin, end)
    return out


def total(x, over="all"):
    return numpy.array(mpmath.fsum(x.ravel()) if over == "all" else [mpmath.fsum(row) for row in x], object)


def norm(tensors):
    return numpy.array(mpmath.norm(numpy.concatenate([one.ravel() for one in tensors])), object)


def adamw(parameter, gradient, first, second, step, lr, eps, eps_inside=False):
    b1, b2, decay, lr, eps = mpf(0.9), mpf(0.999), mpf(0.01), mpf(lr), mpf(eps)
    m = b1 * first + (1 - b1) * gradient
    v = b2 * second + (1 - b2) * gradient ** 2
    hat = v / (1 - b2 ** step)
    root = numpy.vectorize(mpmath.sqrt, otypes=[object])
    below = root(hat + eps) if eps_inside else root(hat) + eps
    return parameter * (1 - lr * decay) - lr * m / (1 - b1 ** step) / below, m, v


def top_k_routing(logits, k, normalise=False):
    probability = softmax(logits)
    order = numpy.array([sorted(range(len(row)), key=lambda e: (-row[e], e))[:k] for row in logits])
    weights = numpy.take_along_axis(probability, order, 1)
    if normalise:
        weights = weights / weights.sum(1, keepdims=True)
    return weights, order


SQUARE = {"s": 5, "d": 6}
QKV = {"q": tensor([2, 4, 5, 3]), "k": tensor([2, 2, 5, 3]), "v": tensor([2, 2, 5, 3])}
MOMENTS = {"parameter": tensor([7]), "gradient": tensor([7]), "first": tensor([7]),
           "second": tensor([7], values="lognormal")}
# formula -> (its twin here, tensors, other arguments)
CASES = [
    ("rms_norm", rms_norm, {"x": tensor([2, 3, 5]), "weight": tensor([5])}, {"eps": 1e-6}),
    ("softmax", softmax, {"x": tensor([3, 5])}, {}),
    ("softmax", softmax, {"x": tensor([3, 5], scale=300)}, {}),
    ("cross_entropy", cross_entropy, {"logits": tensor([9, 5]), "labels": integers([9], 0, 5, ignored=-100)}, {}),
    ("cross_entropy", cross_entropy, {"logits": tensor([4, 5]), "labels": integers([4], 0, 5)}, {"reduction": "none"}),
    ("cross_entropy", cross_entropy, {"logits": tensor([4, 5]), "labels": integers([4], 0, 5)}, {"reduction": "sum"}),
    ("rope", rope, {"x": tensor([2, 3, 2, 4]), "cos": tensor([3, 2]), "sin": tensor([3, 2])}, {}),
    ("rope", rope, {"x": tensor([2, 3, 2, 4]), "cos": tensor([3, 2], False), "sin": tensor([3, 2], False)},
     {"layout": "interleaved"}),
    ("swiglu", swiglu, {"gate": tensor([3, 5], scale=5), "up": tensor([3, 5])}, {}),
    ("attention", attention, QKV, {}),
    ("attention", attention, QKV, {"causal": True}),
    ("attention", attention, QKV, {"causal": True, "window": 2}),
    ("attention", attention, QKV | {"documents": integers([2, 5], 0, 2)}, {"causal": True}),
    ("matmul", matmul, {"a": tensor([2, 3, 4]), "b": tensor([4, 5])}, {}),
    ("matmul", matmul, {"a": tensor([2, 3, 4]), "b": tensor([2, 4, 5])}, {}),
    ("grouped_matmul", grouped_matmul, {"a": tensor([6, 3]), "b": tensor([2, 3, 4]), "ends": integers([2], 2, 6)}, {}),
    ("sum", total, {"x": tensor([3, 40], values="cancelling")}, {}),
    ("sum", total, {"x": tensor([3, 4], values="heavy_tailed")}, {"over": "last"}),
    ("norm", norm, {"tensors": [tensor([3, 4]), tensor([5])]}, {}),
    ("adamw", adamw, MOMENTS, {"step": 3, "lr": 1e-3, "eps": 1e-8}),
    ("adamw", adamw, MOMENTS, {"step": 1, "lr": 1e-2, "eps": 1e-4, "eps_inside": True}),
    ("top_k_routing", top_k_routing, {"logits": tensor([4, 6])}, {"k": 2}),
    ("top_k_routing", top_k_routing, {"logits": tensor([4, 6], False, "integers", low=0, high=3)}, {"k": 3}),
    ("top_k_routing", top_k_routing, {"logits": tensor([4, 6])}, {"k": 3, "normalise": True}),
]


def problem_of(tensors, options):
    inputs = [{"name": name, "list": isinstance(spec, list), "tensors": spec if isinstance(spec, list) else [spec]}
              for name, spec in tensors.items()]
    inputs += [{"name": name, "value": value} for name, value in options.items()]
    return {"inputs": inputs, "outputs": [], "points": [{"sizes": {}, "dtype": "float32"}]}


def exact(formula, problem):
    """What parity-exact records: (phase, name) -> array of numbers of 106 bits."""
    arm = {"problem": problem, "exact": formula, "arguments": {one["name"]: one["name"] for one in problem["inputs"]}}
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "config").write_text(json.dumps({"operator": arm, "steps": 1}))
        (place / "capture").write_text(json.dumps({"tensors": [{"steps": [], "phases": [], "names": ["*"]}],
                                                   "sketches": [], "replay": False}))
        run = subprocess.run([PROGRAM], capture_output=True, text=True, env=dict(
            os.environ, PARITY_CONFIG=str(place / "config"), PARITY_CAPTURE=str(place / "capture"),
            PARITY_TRACE=str(place / "trace.h5"), PARITY_HEARTBEAT=str(place / "beat")))
        if run.returncode:
            raise RuntimeError(run.stderr)
        found = {}
        with h5py.File(place / "trace.h5") as file:
            for phase, tensors in file["tensors/1"].items():
                for name, parts in tensors.items():
                    found[phase, name.replace("%7E", "~")] = numpy.array(parts["0"])
    return {key: wide(found[key], found[key[0], key[1] + "~low"]) for key in found
            if (key[0], key[1] + "~low") in found}


def wide(high, low):
    add = numpy.vectorize(lambda a, b: mpf(float(a)) + mpf(float(b)), otypes=[object])
    return add(high, low) if high.shape else numpy.array(mpf(float(high)) + mpf(float(low)), object)


def library():
    loaded = ctypes.CDLL(LIBRARY)
    return loaded


def drawn(problem, name, item, shape):
    values = numpy.empty(shape, numpy.float64)
    place = values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    assert library().parity_operators_input(
        json.dumps(problem).encode(), ctypes.c_int64(0), name.encode(), ctypes.c_int64(item), ctypes.c_int64(0),
        ctypes.c_int64(values.size), place) == 0
    return values


def cotangent(problem, name, shape):
    values = numpy.empty(shape, numpy.float64)
    place = values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    assert library().parity_operators_cotangent(
        json.dumps(problem).encode(), ctypes.c_int64(0), name.encode(), b"float32", ctypes.c_int64(values.size), place) == 0
    return values


def numbers(values):
    return numpy.vectorize(lambda one: mpf(float(one)), otypes=[object])(values)


def relative(a, b):
    """The largest |a - b| in units of the largest |b|."""
    size = max(max((abs(one) for one in numpy.ravel(b)), default=mpf(0)), mpf(10) ** -30)
    return max((abs(x - y) for x, y in zip(numpy.ravel(a), numpy.ravel(b))), default=mpf(0)) / size


class ExactTest(unittest.TestCase):
    def inputs_of(self, problem):
        given = {}
        for one in problem["inputs"]:
            if "value" in one:
                given[one["name"]] = one["value"]
                continue
            arrays = [drawn(problem, one["name"], item, spec["shape"]) for item, spec in enumerate(one["tensors"])]
            arrays = [array if spec.get("dtype") == "int64" else numbers(array)
                      for array, spec in zip(arrays, one["tensors"])]
            given[one["name"]] = arrays if one["list"] else arrays[0]
        return given

    def outputs_of(self, twin, given):
        returned = twin(**given)
        return returned if isinstance(returned, tuple) else (returned,)

    def direction(self, problem, given, sign):
        """The inputs moved along a direction of integers, and that direction."""
        moved, along, count = dict(given), {}, itertools.count(1)
        for one in problem["inputs"]:
            for item, spec in enumerate(one.get("tensors", [])):
                if not spec["grad"]:
                    continue
                name = f"{one['name']}.{item}" if one["list"] else one["name"]
                array = given[one["name"]][item] if one["list"] else given[one["name"]]
                along[name] = numpy.array([mpf((next(count) * 7) % 5 - 2) for _ in range(array.size)], object).reshape(array.shape)
                step = array + sign * STEP * along[name]
                if one["list"]:
                    moved[one["name"]] = [*moved[one["name"]][:item], step, *moved[one["name"]][item + 1:]]
                else:
                    moved[one["name"]] = step
        return moved, along

    def test_values_and_gradients(self):
        for number, (formula, twin, tensors, options) in enumerate(CASES):
            with self.subTest(formula=formula, number=number):
                problem = problem_of(tensors, options)
                found = exact(formula, problem)
                given = self.inputs_of(problem)
                expected = self.outputs_of(twin, given)
                names = ["out"] if len(expected) == 1 else [f"out{i}" for i in range(len(expected))]
                for name, values in zip(names, expected):
                    self.assertEqual(found["forward", name].shape, numpy.shape(values))
                    self.assertLess(relative(found["forward", name], values), mpf(2) ** -95, name)
                self.check_gradients(problem, twin, given, found, names)

    def check_gradients(self, problem, twin, given, found, names):
        gradients = {name: values for (phase, name), values in found.items() if phase == "grad"}
        if not gradients:
            return
        up, along = self.direction(problem, given, 1)
        down, _ = self.direction(problem, given, -1)
        self.assertEqual(set(along), set(gradients))
        change = mpf(0)
        for name, high, low in zip(names, self.outputs_of(twin, up), self.outputs_of(twin, down)):
            seed = numbers(cotangent(problem, name, numpy.shape(high)))
            change += mpmath.fsum(numpy.ravel((numpy.asarray(high) - numpy.asarray(low)) * seed)) / (2 * STEP)
        derived = mpmath.fsum(mpmath.fsum(numpy.ravel(gradients[name] * along[name])) for name in along)
        size = mpmath.fsum(abs(one) for name in along for one in numpy.ravel(gradients[name] * along[name]))
        self.assertLess(abs(change - derived) / size, mpf(10) ** -24)

    def test_plain_is_farther_than_exact(self):
        """The plain implementation is another number than the exact one, so that its error can be measured."""
        problem = problem_of({"x": tensor([64], values="cancelling")}, {})
        arm = exact("sum", problem)
        double = float(numpy.sum(drawn(problem, "x", 0, [64]).astype(numpy.float32)))
        self.assertNotEqual(double, float(arm["forward", "out"]))
        self.assertEqual(math.fsum(drawn(problem, "x", 0, [64])), float(arm["forward", "out"]))

    def test_bad_labels_and_missing_arguments(self):
        beyond = problem_of({"logits": tensor([4, 5]), "labels": integers([4], 5, 9)}, {})
        with self.assertRaisesRegex(RuntimeError, "label is beyond the logits"):
            exact("cross_entropy", beyond)
        with self.assertRaisesRegex(RuntimeError, "needs a tensor 'labels'"):
            exact("cross_entropy", problem_of({"logits": tensor([4, 5])}, {}))
        with self.assertRaisesRegex(RuntimeError, "unknown exact formula"):
            exact("rms_norms", problem_of({"x": tensor([4])}, {}))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
