# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Names of what modules return, micro-batches that do not fit together, what teacher and faults change, and DDP.

Usage: outputs_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import dataclasses
import subprocess
import sys
import typing
import unittest

from recorded import ENVIRONMENT, RecordedTest, Trace
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

import parity

FORWARD = {"tensors": [{"phases": ["forward", "backward", "input"]}]}


class Pair(typing.NamedTuple):
    left: torch.Tensor
    right: torch.Tensor


@dataclasses.dataclass
class Result:
    logits: torch.Tensor
    pairs: list
    note: str = "kept"


class Both(nn.Module):
    def forward(self, x):
        return Pair(x * 2, x * 3)


class Nested(nn.Module):
    """Calls one activation twice, and returns tensors in a dataclass."""

    def __init__(self):
        super().__init__()
        self.linear, self.act, self.both = nn.Linear(4, 4), nn.Tanh(), Both()

    def forward(self, x, *, scale=None):
        hidden = self.act(self.act(self.linear(x)))
        return Result(hidden * (1 if scale is None else scale), [self.both(hidden)])


def loss_of(result):
    return result.logits.sum() + sum(one.square().sum() for pair in result.pairs for one in pair)


class OutputsTest(RecordedTest):
    def run_once(self, model, forward, path=None, **options):
        """One update of SGD. Returns the gradients that it used."""
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with parity.record(model, optimizer, path=path or self.path, **options) as rec:
            forward(model)
            optimizer.step()
            rec.step(loss=1.0)
        return [parameter.grad.clone() for parameter in model.parameters() if parameter.grad is not None]

    def test_nested_outputs_have_stable_names(self):
        torch.manual_seed(1)
        seen = []

        def forward(model):
            result = model(torch.ones(2, 4), scale=torch.tensor(0.5))
            self.assertEqual((type(result.pairs[0]), result.note), (Pair, "kept"))
            seen.append(result)
            loss_of(result).backward()

        self.run_once(Nested(), forward, capture=FORWARD)
        trace = self.complete()
        self.assertEqual(trace.names(1, "forward"), {
            "linear", "act", "act.call.1", "both", "both.out.1", "model.out.logits", "model.out.pairs.0.0",
            "model.out.pairs.0.1"})
        self.assertEqual(trace.names(1, "backward"), trace.names(1, "forward"))
        self.assertEqual(trace.names(1, "input"), {"x", "scale"})
        self.assertTrue(torch.equal(trace.tensors[1, "forward", "both.out.1"], seen[0].pairs[0].right.detach()))

    def test_passes_of_other_lengths_stay_apart(self):
        def forward(model):
            for length in (3, 3, 5):
                model(torch.ones(2, length, 4)).square().mean().backward()

        self.run_once(nn.Linear(4, 2), forward, capture=FORWARD)
        trace = self.complete()
        self.assertEqual(trace.names(1, "forward"), {"model", "model.pass.1", "model.pass.2"})
        self.assertEqual(tuple(trace.tensors[1, "forward", "model.pass.2"].shape), (2, 5, 2))

    def test_losses_of_micro_batches_are_a_vector(self):
        class Loss(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 2)

            def forward(self, x):
                return self.linear(x).square().mean()

        def forward(model):
            for number in range(3):
                model(torch.full((2, 4), float(number))).backward()

        self.run_once(Loss(), forward, capture=FORWARD)
        self.assertEqual(tuple(self.complete().tensors[1, "forward", "model"].shape), (3,))

    def test_teacher_reaches_what_is_computed_again(self):
        class Net(nn.Module):
            def __init__(self, again):
                super().__init__()
                torch.manual_seed(2)
                self.inner = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
                self.again = again

            def forward(self, x):
                return checkpoint(self.inner, x, use_reentrant=False) if self.again else self.inner(x)

        def forward(factor):
            return lambda model: [model(factor * x).square().mean().backward() for x in torch.arange(16.0).view(2, 2, 4)]

        good = self.folder / "good.h5"
        expected = self.run_once(Net(False), forward(1.0), path=good, capture={"tensors": [{"phases": ["forward"]}]})
        teacher = {"teacher": str(good), "tensors": [{"phases": ["forward"], "names": ["inner.*"]}]}
        gradients = []
        for again in (False, True):
            gradients.append(self.run_once(Net(again), forward(0.5), capture=teacher, micro_batches=2))
            trace = self.complete()
            self.assertEqual(trace.tensors[1, "forward", "inner.2"].shape, (4, 4))
        self.assertTrue(all(torch.equal(*pair) for pair in zip(*gradients, strict=True)))
        # The last layer's gradient comes from its input and its output alone, which the teacher gave.
        self.assertTrue(torch.equal(gradients[0][2], expected[2]))
        self.assertFalse(torch.equal(gradients[0][0], expected[0]))

    def test_fault_in_a_gradient_reaches_the_parameters(self):
        grads = []
        for faults in ([], [{"kind": "scale", "phase": "backward", "name": "0", "size": 1.0}]):
            torch.manual_seed(4)
            model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
            grads.append(self.run_once(model, lambda model: model(torch.ones(3, 4)).square().sum().backward(),
                                       capture={"faults": faults}))
        torch.testing.assert_close(grads[1][0], 2 * grads[0][0])  # of the layer before
        self.assertTrue(torch.equal(grads[1][2], grads[0][2]))  # of the layer after

    def test_fault_needs_the_number_of_passes(self):
        faults = {"faults": [{"kind": "scale", "phase": "forward", "name": "model", "size": 1.0}]}

        def forward(model):
            for _ in range(2):
                model(torch.ones(3, 4)).square().sum().backward()

        with self.assertWarnsRegex(RuntimeWarning, "give parity.record their number as micro_batches"):
            self.run_once(nn.Linear(4, 2), forward, capture=faults)
        self.partial("more than 1 forward pass")
        self.run_once(nn.Linear(4, 2), forward, capture=faults, micro_batches=2)
        self.complete()

    def test_fault_in_the_sum_of_local_gradients(self):
        faults = {"faults": [{"kind": "scale", "phase": "grad_local", "name": "weight", "size": 1.0}]}
        grads = []
        for capture in (None, faults):
            torch.manual_seed(4)
            grads.append(self.run_once(nn.Linear(4, 2), lambda model: [
                model(torch.full((3, 4), float(k))).square().sum().backward() for k in (1, 2)], capture=capture,
                micro_batches=2))
        torch.testing.assert_close(grads[1][0], 2 * grads[0][0])

    def test_gradients_of_each_rank_before_their_reduction(self):
        script = """
import os, sys, torch, torch.distributed as dist, parity
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=int(os.environ["RANK"]), world_size=2)
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
rec = parity.record(model, optimizer, path=sys.argv[1],
                    capture={"tensors": [{"phases": ["forward", "grad_local", "grad"]}]})
for k in range(2):
    with model.no_sync():
        model(torch.full((3, 4), dist.get_rank() + 1.0)).square().sum().backward()
    model(torch.full((3, 4), dist.get_rank() + k + 2.0)).square().sum().backward()
    optimizer.step()
    rec.step(loss=1.0)
    optimizer.zero_grad()
rec.close()
dist.destroy_process_group()
"""
        ranks = [subprocess.Popen([sys.executable, "-c", script, str(self.path), str(self.folder / "store")],
                                  env=dict(ENVIRONMENT, RANK=str(rank), WORLD_SIZE="2"), stderr=subprocess.PIPE, text=True)
                 for rank in (0, 1)]
        errors = [rank.communicate(timeout=120)[1] for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [0, 0], errors)
        traces = [Trace(self.path), Trace(self.folder / "run.rank1.h5")]
        self.assertEqual([trace.status for trace in traces], ["complete"] * 2, errors)
        for step in (1, 2):
            local = [trace.tensors[step, "grad_local", "weight"] for trace in traces]
            self.assertFalse(torch.equal(*local))
            torch.testing.assert_close(sum(local) / 2, traces[0].tensors[step, "grad", "weight"])
        self.assertEqual(traces[1].names(1, "forward"), {"model#1"})
        self.assertEqual(tuple(traces[1].tensors[1, "forward", "model#1"].shape), (6, 2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
