# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""parity.lightning.Callback: gradients that Lightning computes inside optimizer.step, accumulation, validation between
updates, manual optimization, and planted differences.

Usage: lightning_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import logging
import warnings

from support import ALL, AdapterTest, Trace, main, parameters_of

import h5py
import lightning
import torch

import parity.lightning

STEPS, LIMIT = 5, 0.05
for name in ("lightning.pytorch", "lightning.pytorch.utilities.rank_zero"):
    logging.getLogger(name).setLevel(logging.ERROR)


class Network(lightning.LightningModule):
    """A small network with a warm-up. `seen` has what training_step returned, `norms` the gradients before clipping."""

    def __init__(self, warmup=2):
        super().__init__()
        torch.manual_seed(3)
        self.layers = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 4))
        self.warmup, self.seen, self.norms = warmup, [], []

    def loss_of(self, batch):
        return (self.layers(batch) - batch[:, :4]).square().mean()

    def training_step(self, batch, index):
        loss = self.loss_of(batch)
        self.seen.append(loss.item())
        return loss

    def validation_step(self, batch, index):
        self.log("val_loss", self.loss_of(batch))

    def on_before_optimizer_step(self, optimizer):
        self.norms.append(sum(one.grad.double().square().sum() for one in self.parameters()).sqrt().item())

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-2)
        rates = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: min(1.0, (done + 1) / self.warmup))
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": rates, "interval": "step"}}


class Manual(Network):
    """Two updates a batch, by hand, without a loss that Lightning sees."""

    def __init__(self):
        super().__init__()
        self.automatic_optimization = False

    def training_step(self, batch, index):
        optimizer = self.optimizers()
        optimizer.zero_grad()
        self.manual_backward(self.loss_of(batch))
        self.clip_gradients(optimizer, LIMIT, "norm")
        optimizer.step()


class LightningTest(AdapterTest):
    def train(self, model, *callbacks, **changes):
        """Trains the model. Returns its final parameters."""
        given = {"max_steps": STEPS, "accelerator": "cpu", "gradient_clip_val": LIMIT, "logger": False,
                 "enable_checkpointing": False, "enable_progress_bar": False, "enable_model_summary": False} | changes
        inputs = torch.randn(64, 8, generator=torch.Generator().manual_seed(1))
        loaders = [torch.utils.data.DataLoader(part, batch_size=4) for part in (inputs, inputs[:8])]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            lightning.Trainer(callbacks=[*callbacks], **given).fit(model, *loaders)
        return parameters_of(model)

    def recorded(self, name, model=None, **changes):
        """Trains with a recorder. Returns (trace, final parameters)."""
        parameters = self.train(model or Network(), parity.lightning.Callback(path=self.path(name), capture=ALL), **changes)
        return Trace(self.path(name)), parameters

    def test_trace_has_what_lightning_used(self):
        model = Network()
        trace, parameters = self.recorded("run.h5", model)
        self.assertEqual(trace.steps, list(range(1, STEPS + 1)))
        self.assertEqual(trace.channels["loss"], model.seen)
        self.assertEqual(trace.channels["lr"], [5e-3, 1e-2, 1e-2, 1e-2, 1e-2])
        for norm, expected in zip(trace.channels["grad_norm"], model.norms, strict=True):
            self.assertAlmostEqual(norm, expected, places=6)
        self.assert_clipped(trace, LIMIT)
        self.assertEqual(set(trace.phase(1, "grad")), {name for name, _ in model.named_parameters()})
        self.assert_same_bits(self.train(Network()), parameters)

    def test_accumulated_loss_is_that_of_the_update(self):
        model = Network()
        trace, parameters = self.recorded("run.h5", model, accumulate_grad_batches=2)
        pairs = zip(model.seen[::2], model.seen[1::2], strict=True)
        self.assertEqual(trace.channels["loss"], [(torch.tensor(a) / 2 + torch.tensor(b) / 2).item() for a, b in pairs])
        self.assert_clipped(trace, LIMIT)
        self.assert_same_bits(self.train(Network(), accumulate_grad_batches=2), parameters)

    def test_validation_between_updates_changes_nothing(self):
        one, _ = self.recorded("never.h5", limit_val_batches=0)
        other, _ = self.recorded("often.h5", val_check_interval=2)
        self.assertEqual(one.channels, other.channels)
        self.assertEqual(self.different(self.path("never.h5"), self.path("often.h5")), {})

    def test_manual_optimization_has_no_loss(self):
        trace, _ = self.recorded("run.h5", Manual(), gradient_clip_val=None)
        self.assertEqual((trace.steps, set(trace.channels)), ([1, 2, 3, 4, 5], {"lr", "grad_norm", "beta1", "beta2", "eps", "weight_decay"}))
        self.assert_clipped(trace, LIMIT)

    def test_exception_leaves_the_trace_partial(self):
        class Broken(Network):
            def training_step(self, batch, index):
                if self.global_step == 2:
                    raise KeyError("of the training")
                return super().training_step(batch, index)

        with self.assertRaises(KeyError):
            self.recorded("run.h5", Broken())
        with h5py.File(self.path("run.h5.partial")) as file:
            self.assertEqual(file["steps"][:].tolist(), [1, 2])
            self.assertIn("KeyError", json.loads(file.attrs["failure"])["reason"])

    def test_planted_schedule_is_reported_at_its_step(self):
        self.recorded("right.h5")
        self.recorded("late.h5", Network(warmup=3))
        found = self.different(self.path("right.h5"), self.path("late.h5"))
        self.assertEqual((found["lr"], found["loss"]), (1, 2))

    def test_planted_clipping_is_reported_at_its_step(self):
        self.recorded("right.h5")
        self.recorded("loose.h5", gradient_clip_val=2 * LIMIT)
        found = self.different(self.path("right.h5"), self.path("loose.h5"))
        self.assertEqual((found["loss"], found["grad_norm"]), (2, 4))  # AdamW divides most of a factor away


if __name__ == "__main__":
    main()
