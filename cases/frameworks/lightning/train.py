# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A small network trained by a plain loop, by accelerate, or by the Trainer of Lightning, on Gloo.

Usage: train.py CONFIG.json
keys: steps, trainer ("plain", "accelerate", "lightning"), micro_batches of an update, epoch (micro-batches of one; by
default all), max_norm, leftover ("whole" divides an incomplete update at an epoch's end as a whole one, "own" by its own
number of micro-batches), sampler (of Lightning over ranks: "given" in order, or the one that "lightning" adds)
"""

import json
import os
import sys
import tempfile

os.environ |= {"CUDA_VISIBLE_DEVICES": ""}
import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

config = {"steps": 8, "trainer": "plain", "micro_batches": 1, "epoch": 0, "max_norm": 0.3, "leftover": "whole",
          "sampler": "given"}
with open(sys.argv[1], encoding="utf-8") as file:
    config |= json.load(file)
torch.set_num_threads(1)
DTYPE = getattr(torch, os.environ.get("PARITY_DTYPE", "float32"))
ROWS = 32  # of an update, over all ranks and micro-batches
RANKS, MICRO_BATCHES = int(os.environ.get("WORLD_SIZE", "1")), config["micro_batches"]
EPOCH = config["epoch"] or config["steps"] * MICRO_BATCHES
SIZE = ROWS // RANKS // MICRO_BATCHES  # of a micro-batch on a rank
WINDOWS = -(-EPOCH // MICRO_BATCHES)  # updates of an epoch
EPOCHS = config["steps"] // WINDOWS


def network():
    torch.manual_seed(3)
    return torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh(),
                               torch.nn.Linear(64, 4))


def loader(sampler=None):
    return DataLoader(rows_of_an_epoch(), batch_size=SIZE, sampler=sampler)


def rows_of_an_epoch():
    return TensorDataset(torch.randn(EPOCH * SIZE * RANKS, 16, generator=torch.Generator().manual_seed(1)).to(DTYPE))


def loss_of(model, rows):
    return (model(rows) - rows[:, :4].cumsum(dim=1)).square().mean()


def plain():
    import parity

    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    rec = parity.record(model, optimizer, config=config)
    for _ in range(EPOCHS):
        batches = [rows for (rows,) in loader()]
        for first in range(0, EPOCH, MICRO_BATCHES):
            pieces = batches[first:first + MICRO_BATCHES]
            loss = sum(loss_of(model, rows) for rows in pieces)
            loss = loss / (MICRO_BATCHES if config["leftover"] == "whole" else len(pieces))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), config["max_norm"])
            optimizer.step()
            optimizer.zero_grad()
            rec.step(loss=loss)


def accelerate():
    import parity.accelerate
    from accelerate import Accelerator

    tracker = parity.accelerate.Tracker(config=config)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=MICRO_BATCHES, log_with=tracker)
    model = network()
    model, optimizer, batches = accelerator.prepare(model, torch.optim.AdamW(model.parameters(), lr=5e-3), loader())
    accelerator.init_trackers("run")
    tracker.watch(model, optimizer)
    total = 0.0
    for _ in range(EPOCHS):
        for (rows,) in batches:
            with accelerator.accumulate(model):
                loss = loss_of(model, rows)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), config["max_norm"])
                optimizer.step()
                optimizer.zero_grad()
            total += accelerator.reduce(loss.detach(), "mean") / MICRO_BATCHES
            if accelerator.sync_gradients:
                tracker.log({"loss": total})
                total = 0.0
    accelerator.end_training()


def lightning():
    import lightning
    import parity.lightning

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.network = network()

        def training_step(self, batch, index):
            return loss_of(self.network, batch[0])

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters(), lr=5e-3)

    given = RANKS > 1 and config["sampler"] == "given"
    in_order = DistributedSampler(rows_of_an_epoch(), RANKS, int(os.environ["RANK"]), shuffle=False) if given else None
    strategy = lightning.pytorch.strategies.DDPStrategy(process_group_backend="gloo") if RANKS > 1 else "auto"
    trainer = lightning.Trainer(
        accelerator="cpu", devices=RANKS, strategy=strategy, use_distributed_sampler=not given, max_epochs=EPOCHS,
        accumulate_grad_batches=MICRO_BATCHES, gradient_clip_val=config["max_norm"], logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, default_root_dir=tempfile.mkdtemp(),
        callbacks=[parity.lightning.Callback(config=config)])
    trainer.fit(Module(), loader(in_order))


{"plain": plain, "accelerate": accelerate, "lightning": lightning}[config["trainer"]]()
