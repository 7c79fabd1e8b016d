# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The Python recorder: what it records of a training in PyTorch, and that it never changes or stops the training.

Usage: recorder_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import os
import pathlib
import subprocess
import sys
import unittest
import warnings

from recorded import SOURCE, RecordedTest, Trace

import torch
from torch.nn.utils import clip_grad_norm_ as imported_early

import parity

ALL = {"tensors": [{}]}
EVERY_TENSOR = {"0.weight", "0.bias", "2.weight", "2.bias"}


def network():
    torch.manual_seed(3)
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))


def gradients_of(model, seed):
    """Computes a loss and its gradients. Returns the loss."""
    model.zero_grad()
    torch.manual_seed(seed)
    loss = model(torch.randn(16, 4)).square().mean()
    loss.backward()
    return loss


class RecorderTest(RecordedTest):
    def setUp(self):
        super().setUp()
        self.left = pathlib.Path(f"{self.path}.partial")

    def record(self, *arguments, **options):
        return parity.record(*arguments, path=self.path, **options)

    def test_recipe_has_groups_clipping_and_micro_batches(self):
        model = network()
        model[0].bias.requires_grad_(False)
        decayed = [one for one in model.parameters() if one.ndim > 1]
        others = [model[2].bias]
        optimizer = torch.optim.AdamW([{"params": decayed}, {"params": others, "weight_decay": 0.0}], amsgrad=True)
        with self.record(model, optimizer) as rec:
            for _ in range(2):
                model.zero_grad()
                for _ in range(3):
                    model(torch.randn(4, 4)).sum().backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5, norm_type=1.0)
                optimizer.step()
                rec.step(loss=1.0)
        recipe = self.complete().provenance["recipe"]
        self.assertEqual(recipe["micro_batches"], 3)
        self.assertEqual(recipe["clip"], {"max_norm": 0.5, "norm_type": 1.0})
        self.assertEqual(recipe["optimizers"], ["AdamW"])
        self.assertEqual([group["parameters"] for group in recipe["groups"]], [{"*.weight": 2}, {"*.bias": 1}])
        self.assertFalse(any("names" in group for group in recipe["groups"]))  # the patterns say it
        self.assertTrue(all(group["settings"]["amsgrad"] for group in recipe["groups"]))
        self.assertEqual(recipe["parameters"]["frozen"], {"*.bias": 1})
        self.assertEqual((recipe["parameters"]["count"], recipe["parameters"]["elements"]), (4, 58))
        self.assertEqual(recipe["without_optimizer"], {})

    def test_recipe_names_parameters_whose_pattern_several_groups_have(self):
        model = network()
        first = [model[0].weight, model[2].bias]
        optimizers = [torch.optim.SGD(first, lr=0.5), torch.optim.SGD([model[2].weight], lr=0.1)]
        with self.record(model, optimizers) as rec:
            model(torch.randn(4, 4)).sum().backward()
            for optimizer in optimizers:
                optimizer.step()
            rec.step(loss=1.0)
        groups = self.complete().provenance["recipe"]["groups"]
        self.assertEqual([group["optimizer"] for group in groups], [0, 1])
        self.assertEqual([group["names"] for group in groups], [["0.weight"], ["2.weight"]])

    def test_recipe_has_the_clipping_of_the_first_update_only(self):
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        with self.record(model, optimizer) as rec:
            for norm in (0.5, 0.25):
                gradients_of(model, 1)
                imported_early(model.parameters(), norm)
                optimizer.step()
                rec.step(loss=1.0)
        self.assertEqual(self.complete().provenance["recipe"]["clip"], {"max_norm": 0.5, "norm_type": 2.0})

    def test_recipe_with_numbers_that_json_lacks_stops_nothing(self):
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        with self.record(model, optimizer) as rec:
            gradients_of(model, 1)
            imported_early(model.parameters(), float("inf"), norm_type=float("inf"))
            optimizer.step()
            rec.step(loss=1.0)
        self.assertEqual(self.complete().provenance["recipe"]["clip"], {"max_norm": "inf", "norm_type": "inf"})

    def test_fingerprint_has_what_decides_how_it_rounds(self):
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        with self.record(model, optimizer) as rec:
            gradients_of(model, 1)
            optimizer.step()
            rec.step(loss=1.0)
        facts = self.complete().provenance["fingerprint"]
        self.assertEqual(facts["torch"], torch.__version__)
        self.assertEqual(facts["threads"], torch.get_num_threads())
        self.assertEqual(facts["aten_capability"], torch.backends.cpu.get_cpu_capability())
        self.assertTrue(facts["cpu_vendor"])

    def test_recipe_of_a_skipped_update_does_not_count(self):
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        with self.record(model, optimizer) as rec, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gradients_of(model, 0)
            rec.step(loss=1.0)  # no optimizer stepped
            gradients_of(model, 1)
            optimizer.step()
            rec.step(loss=1.0)
        recipe = self.complete().provenance["recipe"]
        self.assertEqual(recipe["micro_batches"], 1)
        self.assertNotIn("clip", recipe)

    def test_channels_are_recorded(self):
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        losses = []
        with self.record(model, optimizer, config={"lr": 0.5}) as rec:
            for seed in range(3):
                losses.append(gradients_of(model, seed))
                optimizer.step()
                schedule.step()
                rec.step(loss=losses[-1], tokens=64, seconds=parity.Timing(0.1 * seed))
        trace = self.complete()
        self.assertEqual(trace.steps, [1, 2, 3])
        self.assertEqual(trace.channels["loss"], [loss.item() for loss in losses])
        self.assertEqual(trace.channels["lr"], [0.5, 0.25, 0.125])
        self.assertEqual(trace.channels["tokens"], [64, 64, 64])
        self.assertEqual(trace.kinds, {"loss": "numeric", "lr": "numeric", "tokens": "numeric", "seconds": "timing",
                                       "momentum": "numeric", "weight_decay": "numeric"})
        self.assertEqual((trace.config, trace.tensors), ({"lr": 0.5}, {}))

    def test_phases_are_those_of_the_update(self):
        model, seen = network(), {}
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        with self.record(model, optimizer, capture=ALL) as rec:
            initial = {name: p.detach().clone() for name, p in model.named_parameters()}
            gradients_of(model, 1)
            seen["grad"] = {name: p.grad.clone() for name, p in model.named_parameters()}
            norm = imported_early(model.parameters(), 1e-3)
            seen["grad_clipped"] = {name: p.grad.clone() for name, p in model.named_parameters()}
            optimizer.step()
            seen["param"] = {name: p.detach().clone() for name, p in model.named_parameters()}
            rec.step(loss=1.0)
        trace = self.complete()
        self.assertEqual(trace.channels["grad_norm"], [norm.item()])
        for phase, tensors in seen.items():
            self.assertEqual(trace.names(1, phase), EVERY_TENSOR)
            for name, values in tensors.items():
                self.assertTrue(torch.equal(trace.tensors[1, phase, name], values), (phase, name))
        self.assertFalse(torch.equal(seen["grad"]["0.weight"], seen["grad_clipped"]["0.weight"]))
        for name, values in initial.items():
            self.assertTrue(torch.equal(trace.tensors[0, "param", name], values))
        self.assertIn("exp_avg/0.weight", trace.names(1, "optim"))

    def test_closure_computes_the_gradients_of_its_step(self):
        for how in ("positional", "keyword"):
            model, seen = network(), []
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

            def closure():
                loss = gradients_of(model, len(seen))
                seen.append({name: p.grad.clone() for name, p in model.named_parameters()})
                imported_early(model.parameters(), 1e-3)
                return loss

            with self.record(model, optimizer, capture=ALL) as rec:
                for _ in range(2):
                    loss = optimizer.step(closure) if how == "positional" else optimizer.step(closure=closure)
                    rec.step(loss=loss)
            trace = self.complete()
            self.assertEqual(len(trace.channels["grad_norm"]), 2)
            for step, gradients in enumerate(seen, 1):
                for name, values in gradients.items():
                    self.assertTrue(torch.equal(trace.tensors[step, "grad", name], values), (how, step, name))
                    self.assertFalse(torch.equal(trace.tensors[step, "grad_clipped", name], values))

    def test_tied_frozen_and_unused_parameters(self):
        model = torch.nn.ModuleDict({"embed": torch.nn.Embedding(5, 3), "head": torch.nn.Linear(3, 5, bias=False),
                                     "frozen": torch.nn.Linear(3, 3), "unused": torch.nn.Linear(2, 2)})
        model["head"].weight = model["embed"].weight
        model["frozen"].requires_grad_(False)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with self.record(model, optimizer, capture=ALL) as rec:
            loss = model["head"](model["frozen"](model["embed"](torch.tensor([1, 2])))).sum()
            loss.backward()
            optimizer.step()
            rec.step(loss=loss)
        trace = self.complete()
        self.assertEqual(trace.names(1, "grad"), {"embed.weight"})
        self.assertEqual(trace.names(1, "param"), {name for name, _ in model.named_parameters()})

    def test_wrappers_do_not_change_names(self):
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with self.record(torch.compile(model), optimizer, capture=ALL) as rec:
            gradients_of(model, 1)
            optimizer.step()
            rec.step()
        self.assertEqual(self.complete().names(1, "param"), EVERY_TENSOR)

    def test_an_update_that_a_scaler_skips_is_none(self):
        for fused in (False, True):
            model = network()
            optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, fused=fused)
            scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
            with self.record(model, optimizer, capture=ALL) as rec, warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for update in range(4):
                    model.zero_grad()
                    loss = model(torch.ones(2, 4)).mean() * (float("inf") if update == 1 else 1.0)
                    scaler.scale(loss).backward()
                    scaler.unscale_(optimizer)
                    imported_early(model.parameters(), 1e-2)
                    scaler.step(optimizer)
                    scaler.update()
                    rec.step(number=update)
            self.assertEqual(sum("is not an update" in str(warning.message) for warning in caught), 1)
            trace = self.complete()
            self.assertEqual((trace.steps, trace.channels["number"]), ([1, 2, 3], [0, 2, 3]))
            self.assertTrue(all(values.isfinite().all() for values in trace.tensors.values()))

    def test_several_optimizers(self):
        model = network()
        pair = [torch.optim.SGD(model[0].parameters(), lr=0.1), torch.optim.AdamW(
            [{"params": [model[2].weight]}, {"params": [model[2].bias], "lr": 0.3}], lr=0.2)]
        with self.record(model, pair, capture=ALL) as rec:
            for seed in range(2):
                gradients_of(model, seed)
                imported_early(model[0].parameters(), 1.0)
                imported_early(model[2].parameters(), 1.0)
                for optimizer in pair:
                    optimizer.step()
                rec.step()
        trace = self.complete()
        self.assertEqual(trace.channels["lr"] + trace.channels["lr.1"] + trace.channels["lr.2"],
                         [0.1, 0.1, 0.2, 0.2, 0.3, 0.3])
        self.assertEqual({name for name in trace.channels if "norm" in name}, {"grad_norm", "grad_norm.1"})
        self.assertEqual(trace.names(2, "grad_clipped"), EVERY_TENSOR)

    def test_tensors_by_hand(self):
        bits = torch.arange(6, dtype=torch.bfloat16).reshape(2, 3)
        turned = bits.float().T
        with self.record(capture=ALL) as rec:
            rec.tensor("forward", "turned", turned)
            rec.tensor("forward", "complex", torch.complex(bits.float(), bits.float()))
            rec.tensor("input", "numbers", bits.int().numpy())
            rec.tensor("forward", "scalar", torch.tensor(2.5))
            turned.zero_()  # the values were copied
            rec.step(loss=1)
        trace = self.complete()
        self.assertEqual(trace.tensors[1, "forward", "turned"].tolist(), [[0, 3], [1, 4], [2, 5]])
        self.assertEqual(tuple(trace.tensors[1, "forward", "complex"].shape), (2, 3, 2))
        self.assertEqual(trace.tensors[1, "input", "numbers"].tolist(), [[0, 1, 2], [3, 4, 5]])
        self.assertEqual(trace.tensors[1, "forward", "scalar"].item(), 2.5)

    def test_a_fault_of_the_capture_changes_the_run(self):
        norms = []
        for size in (None, 1.0):
            faults = [] if size is None else [{"kind": "scale", "phase": "grad", "name": "*", "size": size}]
            model = network()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            with self.record(model, optimizer, capture={"tensors": [{}], "faults": faults}) as rec:
                gradients_of(model, 1)
                imported_early(model.parameters(), 1e9)
                optimizer.step()
                rec.step()
            norms.append(self.complete().channels["grad_norm"][0])
        self.assertAlmostEqual(norms[1], 2 * norms[0], places=6)

    def test_an_error_does_not_stop_the_training(self):
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        rec = self.record(model, optimizer, capture=ALL)
        for seed in range(3):
            if seed == 1:
                optimizer.param_groups[0]["lr"] = "fast"  # float() of the hook raises inside optimizer.step()
            gradients_of(model, seed)
            with self.assertWarnsRegex(RuntimeWarning, "update 2.*fast") if seed == 1 else warnings.catch_warnings():
                try:
                    optimizer.step()
                except TypeError:  # PyTorch's own, after ours
                    optimizer.param_groups[0]["lr"] = 0.1
                rec.step(loss=1.0)
        rec.close()
        self.assertEqual(self.partial("fast").steps, [1])

    def test_misuse_is_named(self):
        cases = {
            "stepped twice in update 1": lambda step, rec: (step(), step()),
            "offered twice": lambda step, rec: [rec.tensor("forward", "x", torch.ones(1)) for _ in range(2)],
            "mesh dimension tp .known: none": lambda step, rec: rec.tensor("forward", "x", torch.ones(2), dims="h[tp]"),
            "channel loss is a str": lambda step, rec: (step(), rec.step(loss="low")),
            r"other channels than update 1 \(extra\)": lambda step, rec: (
                step(), rec.step(loss=1), step(), rec.step(loss=1, extra=2)),
            "rec.step\\(\\) was never called": lambda step, rec: None,
            "update 2 did not end": lambda step, rec: (step(), rec.step(), step()),
            "no optimizer that the recorder has stepped": lambda step, rec: rec.step(),
        }
        for reason, run in cases.items():
            with self.subTest(reason), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                model = network()
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                gradients_of(model, 1)
                rec = self.record(model, optimizer, capture=ALL)
                run(optimizer.step, rec)
                rec.close()
                self.assertTrue(any("recording stopped" in str(w.message) for w in caught))
                self.partial(reason)

    def test_an_exception_leaves_the_trace_partial(self):
        with self.assertRaises(KeyError), self.record() as rec:
            rec.step(loss=1.0)
            raise KeyError("of the training")
        self.assertEqual(self.partial("KeyError").steps, [1])

    def test_a_trace_that_cannot_be_opened_is_refused(self):
        model = network()
        with self.assertRaisesRegex(parity.Error, "no parameter of the model"):
            self.record(model, torch.optim.SGD(network().parameters(), lr=1))
        with self.assertRaises(parity.Error):
            parity.record(path="/dev/null/run.h5")

    def test_a_second_recorder_on_one_path_is_refused(self):
        with self.record() as rec:
            rec.step(loss=1.0)
            with self.assertRaises(parity.Error):
                self.record()
            rec.step(loss=2.0)
        self.assertEqual(self.complete().channels["loss"], [1.0, 2.0])

    def test_a_forked_child_leaves_the_trace_alone(self):
        with self.record() as rec:
            rec.step(loss=1.0)
            child = os.fork()
            if child == 0:
                rec.step(loss=2.0)
                rec.close()
                os._exit(0)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            rec.step(loss=3.0)
        self.assertEqual(self.complete().channels["loss"], [1.0, 3.0])

    def test_ranks_write_a_file_each(self):
        script = ("import parity; rec = parity.record(); rec.step(loss=1.0); rec.step(loss=0.5)")
        ranks = [subprocess.Popen([sys.executable, "-c", script], env=dict(
            os.environ, PYTHONPATH=str(SOURCE / "harness/python/src"), PARITY_TRACE=str(self.path), RANK=str(rank),
            WORLD_SIZE="2")) for rank in (0, 1)]
        self.assertEqual([rank.wait(100) for rank in ranks], [0, 0])
        self.assertEqual(self.complete().kinds, {"loss": "per_rank"})
        self.assertEqual(Trace(self.path.with_name("run.rank1.h5")).status, "complete")

    def test_nothing_is_loaded_without_a_path(self):
        script = ("import sys, parity; rec = parity.record(None, None); rec.step(loss=1); rec.tensor('grad', 'w', None);"
                  "print(type(rec).__name__, *sorted(m for m in sys.modules if m in ('torch', 'numpy', 'parity.recording.recorder')))")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=dict(
            os.environ, PYTHONPATH=str(SOURCE / "harness/python/src")))
        self.assertEqual(done.stdout.split(), ["NoRecorder"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
