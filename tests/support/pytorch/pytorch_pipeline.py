# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Trains Llama 3 with PyTorch's torch.distributed.pipelining over Gloo on the replay data of a parity trace.

    pytorch_pipeline.py REPLAY_TRACE     one rank, see pytorch_ranks.py

parallel.pp ranks of parallel.pp_stages stages each; the schedule is ScheduleGPipe, Schedule1F1B or
ScheduleInterleaved1F1B. The norm is that of each stage, squared and summed, as in torchtitan. Model, data and
optimizer are those of pytorch_llama.py.
"""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe, ScheduleInterleaved1F1B

import pytorch_llama
import pytorch_ranks


class Blocks(nn.Module):
    """Consecutive blocks of a model, with its embedding before the first and its norm and output after the last."""

    def __init__(self, model, numbers):
        super().__init__()
        self.table = model.table
        self.embedding = model.tok_embeddings if 0 in numbers else None
        self.layers = nn.ModuleList(model.layers[i] for i in numbers)
        is_last = len(model.layers) - 1 in numbers
        self.norm = model.norm if is_last else None
        self.output = model.output if is_last else None

    def forward(self, x):
        h = x if self.embedding is None else self.embedding(x)
        turns = self.table[:h.shape[1]].view(1, h.shape[1], 1, -1)
        for layer in self.layers:
            h = layer(h, turns, None)
        return h if self.norm is None else self.output(self.norm(h))


def make_stages(model, config, rank):
    ranks, count = config["parallel.pp"], config["parallel.pp"] * config["parallel.pp_stages"]
    numbers = torch.tensor_split(torch.arange(len(model.layers)), count)
    return [PipelineStage(Blocks(model, numbers[stage].tolist()), stage, count, torch.device("cpu"))
            for stage in range(rank, count, ranks)]


def make_schedule(stages, config, loss):
    options = dict(n_microbatches=config["parallel.pp_microbatches"], loss_fn=loss, scale_grads=False)
    name = config["parallel.pp_schedule"]
    if name == "interleaved":
        return ScheduleInterleaved1F1B(stages, **options)
    return {"gpipe": ScheduleGPipe, "1f1b": Schedule1F1B}[name](stages[0], **options)


def step(schedule, stages, tokens, labels):
    """Forward and backward of one micro-batch. Returns the losses of its pieces, on the last rank."""
    first = [tokens] if any(stage.is_first for stage in stages) else []
    if not any(stage.is_last for stage in stages):
        schedule.step(*first)
        return []
    losses = []
    schedule.step(*first, target=labels, losses=losses)
    return [loss.detach() for loss in losses]


def clip(parameters, max_norm):
    """Returns the norm over all stages, before clipping."""
    norm = nn.utils.get_total_norm([p.grad for p in parameters])
    norm **= 2.0
    dist.all_reduce(norm)
    norm **= 1.0 / 2.0
    if max_norm > 0:
        nn.utils.clip_grads_with_norm_(parameters, max_norm, norm)
    return norm


def prepare(model, config):
    stages = make_stages(model, config, dist.get_rank())
    for stage in stages:
        stage.submod.train()
    mine = nn.ModuleList(stage.submod for stage in stages)
    optimizer = pytorch_llama.make_optimizer(mine, config)
    valid = None

    def loss_of(logits, labels):
        return nn.functional.cross_entropy(logits.flatten(0, -2), labels.flatten(), reduction="sum",
                                           ignore_index=-100) / valid

    schedule = make_schedule(stages, config, loss_of)

    def train_step(micro_batches):
        nonlocal valid
        optimizer.zero_grad()
        valid = sum((labels != -100).sum() for _, labels, *_ in micro_batches)
        losses = [loss for tokens, labels, *_ in micro_batches for loss in step(schedule, stages, tokens, labels)]
        loss = torch.stack(losses).sum() if losses else torch.zeros(())
        dist.broadcast(loss, dist.get_world_size() - 1)
        norm = clip(list(mine.parameters()), config["clip.max_norm"])
        optimizer.step()
        return loss.item(), norm.item()

    return optimizer, train_step


if __name__ == "__main__":
    pytorch_ranks.run(prepare)
