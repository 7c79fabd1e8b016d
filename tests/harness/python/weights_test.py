# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters, buffers and optimizers of every kind: masters, lazy modules, several groups, replaced models.

Usage: weights_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import unittest

from recorded import RecordedTest
import torch
from torch import nn

import parity

PARAMETERS = {"tensors": [{"phases": ["grad", "optim", "param"]}]}


def update(model, optimizer, inputs=None):
    model.zero_grad()
    model(torch.ones(3, 4) if inputs is None else inputs).square().mean().backward()
    optimizer.step()


class WeightsTest(RecordedTest):
    def record(self, *arguments, **options):
        return parity.record(*arguments, path=self.path, **options)

    def test_groups_have_channels(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
        optimizer = torch.optim.AdamW([{"params": model[0].parameters()},
                                       {"params": model[1].parameters(), "betas": (0.8, 0.9), "lr": torch.tensor(0.5)}],
                                      lr=0.1, eps=1e-6, weight_decay=0.3)
        with self.record(model, optimizer) as rec:
            for number in range(2):
                optimizer.param_groups[1]["weight_decay"] = 0.1 * number
                update(model, optimizer)
                rec.step()
        self.assertEqual(self.complete().channels, {
            "lr": [0.1] * 2, "lr.1": [0.5] * 2, "beta1": [0.9] * 2, "beta2": [0.999] * 2, "beta1.1": [0.8] * 2,
            "beta2.1": [0.9] * 2, "eps": [1e-6] * 2, "eps.1": [1e-6] * 2, "weight_decay": [0.3] * 2,
            "weight_decay.1": [0.0, 0.1]})

    def test_master_weights_have_names_of_their_own(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4)).bfloat16()
        masters = [nn.Parameter(p.detach().float()) for p in model.parameters()]
        optimizer = torch.optim.AdamW(masters, lr=0.1)
        with self.record(model, optimizer, capture=PARAMETERS) as rec:
            model(torch.ones(3, 4).bfloat16()).float().square().mean().backward()
            for master, parameter in zip(masters, model.parameters(), strict=True):
                master.grad = parameter.grad.float()
            optimizer.step()
            with torch.no_grad():
                for master, parameter in zip(masters, model.parameters(), strict=True):
                    parameter.copy_(master)
            rec.step()
        trace = self.complete()
        for (name, parameter), master in zip(model.named_parameters(), masters, strict=True):
            self.assertTrue(torch.equal(trace.tensors[1, "optim", f"master/{name}"], master.detach()), name)
            self.assertTrue(torch.equal(trace.tensors[1, "grad", name], master.grad), name)
            self.assertEqual(trace.tensors[1, "param", name].shape, parameter.shape)
            self.assertIn(f"exp_avg/{name}", trace.names(1, "optim"))

    def test_fault_reaches_the_gradient_of_a_master_weight(self):
        """Before clipping, so that its norm is that of the changed gradient."""
        ends = []
        for faults in ([], [{"kind": "scale", "phase": "grad", "name": "weight", "size": 1.0}]):
            model = nn.Linear(4, 4, bias=False).bfloat16()
            nn.init.constant_(model.weight, 0.5)
            master = nn.Parameter(model.weight.detach().float())
            optimizer = torch.optim.SGD([master], lr=0.1)
            with self.record(model, optimizer, capture={"faults": faults, "tensors": [{"phases": ["grad"]}]}) as rec:
                model(torch.ones(3, 4).bfloat16()).float().square().mean().backward()
                master.grad = model.weight.grad.float()
                norm = torch.nn.utils.clip_grad_norm_([master], 1e6)
                optimizer.step()
                rec.step()
            self.assertEqual(self.complete().channels["grad_norm"], [norm.item()])
            ends.append((norm.item(), 0.5 - master.detach()))
        self.assertEqual(ends[1][0], 2 * ends[0][0])
        torch.testing.assert_close(ends[1][1], 2 * ends[0][1])

    def test_buffers_of_checkpoints_are_parameters(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
        turn = torch.polar(torch.ones(2), torch.arange(2.0))
        model[0].register_buffer("turn", turn)
        model[0].register_buffer("scratch", torch.zeros(2), persistent=False)
        with self.record(model, torch.optim.SGD(model.parameters(), lr=0.1), capture=PARAMETERS) as rec:
            optimizer = rec._optimizers[0]
            update(model, optimizer, torch.randn(8, 4))
            rec.step()
        trace = self.complete()
        self.assertEqual(trace.names(1, "param") - {name for name, _ in model.named_parameters()},
                         {"0.turn", "1.running_mean", "1.running_var", "1.num_batches_tracked"})
        self.assertEqual(trace.tensors[0, "param", "1.num_batches_tracked"].item(), 0)
        self.assertEqual(trace.tensors[1, "param", "1.num_batches_tracked"].item(), 1)
        self.assertTrue(torch.equal(trace.tensors[1, "param", "0.turn"], torch.view_as_real(turn)))

    def test_lazy_parameters_appear_with_their_shape(self):
        model = nn.Sequential(nn.LazyLinear(4), nn.Linear(4, 2))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with self.record(model, optimizer, capture=PARAMETERS) as rec:
            update(model, optimizer)
            rec.step()
        trace = self.complete()
        self.assertEqual(trace.names(0, "param"), {"1.weight", "1.bias"})
        self.assertEqual(trace.names(1, "grad"), {"0.weight", "0.bias", "1.weight", "1.bias"})

    def test_module_that_replaces_all_parameters_is_said(self):
        model = nn.Sequential(nn.Linear(4, 2))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        rec = self.record(model, optimizer)
        update(model, optimizer)
        rec.step()
        model[0] = nn.Linear(4, 2)
        with self.assertWarnsRegex(RuntimeWarning, "optimizer 0 has no parameter of the model any more"):
            update(model, optimizer)
        rec.step()
        rec.close()
        self.assertEqual(self.partial("the model was replaced").steps, [1])

    def test_new_optimizer_of_a_new_model_is_said(self):
        model = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        rec = self.record(model, optimizer)
        update(model, optimizer)
        rec.step()
        model = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        update(model, optimizer)
        with self.assertWarnsRegex(RuntimeWarning, "only an optimizer that parity.record was not given"):
            rec.step()
        with self.assertWarnsRegex(RuntimeWarning, "after update 1 only an optimizer stepped"):
            rec.close()
        self.assertEqual(self.partial("after replacing model or optimizer").steps, [1])

    def test_compiled_module_is_in_the_provenance(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
        model[0].compile(backend="eager")
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with self.assertWarnsRegex(RuntimeWarning, "torch.compile runs 0"):
            rec = self.record(model, optimizer, capture={"tensors": [{"phases": ["forward"]}]})
        update(model, optimizer)
        rec.step()
        rec.close()
        trace = self.complete()
        self.assertEqual(trace.names(1, "forward"), {"1", "model"})
        self.assertEqual(trace.provenance["compiled_modules"], ["0"])
        self.assertIn("what is inside", trace.provenance["warnings"][0])

    def test_compiling_after_record_is_said(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        rec = parity.record(model, optimizer, path=self.path, capture={"tensors": [{"phases": ["forward"]}]})
        compiled = torch.compile(model, backend="eager")
        update(compiled, optimizer)
        with self.assertWarnsRegex(RuntimeWarning, "no module of the model was seen to run in update 1"):
            rec.step()
        update(compiled, optimizer)
        rec.step()
        rec.close()
        self.complete()


if __name__ == "__main__":
    import sys
    unittest.main(argv=sys.argv[:1])
