# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a decoder (Llama 3 and 4, Qwen3, GPT-2) with ordinary PyTorch on the replay data of a parity trace: an independent witness.

    pytorch_llama.py REPLAY_TRACE     reads PARITY_CONFIG, PARITY_TRACE and PARITY_DTYPE

Initial parameters and batches come from /replay of REPLAY_TRACE; model, loss, clipping and optimizer are
PyTorch's own or written here after the papers and torchtitan, schedules in pytorch_schedules.py, sharing nothing
with the C++ trainer.
Shapes: B rows, S positions, D width, H heads, d head width, V vocabulary.
"""
import json
import os
import sys
import time

import h5py
import torch
import torch.nn.functional as F
from torch import nn

import pytorch_groups
import pytorch_moe
import pytorch_policy_loss
import pytorch_precision
import pytorch_qk_clip
import pytorch_recipes
import pytorch_schedules
import pytorch_variants
from pytorch_decoder import Llama, dense_mask, documents_of  # noqa: F401
from pytorch_optimizers import make_optimizer
from pytorch_rope import wide


def read_config():
    """The config as {dotted key: value}."""
    def flatten(table, prefix=""):
        for key, value in table.items():
            if isinstance(value, dict):
                yield from flatten(value, f"{prefix}{key}.")
            else:
                yield prefix + key, value
    with open(os.environ["PARITY_CONFIG"]) as file:
        return dict(flatten(json.load(file)))


def chunked_backward(model, tokens, positions, labels, chunks, loss_of):
    """Output projection, loss and backward chunk by chunk, then once through the decoder. Returns the loss."""
    hidden = model.hidden(tokens, positions)
    parts = hidden.detach().flatten(0, 1).chunk(chunks)
    total, gradients = 0, []
    for part, some in zip(parts, labels.flatten().chunk(chunks)):
        part = part.detach().requires_grad_()
        loss = loss_of(model.logits(part), some)
        loss.backward()
        total = total + loss.detach()
        gradients.append(part.grad)
    hidden.backward(torch.cat(gradients).view_as(hidden))
    return total


def forward_backward(model, tokens, labels, positions, valid, count, config, scaler=None):
    """One of `count` micro-batches of an update with `valid` labels. Returns its loss as differentiated, and that of
    multi-token prediction."""
    def cross_entropy(logits, labels, reduction):
        return F.cross_entropy(wide(logits).flatten(0, -2), labels.flatten(), reduction=reduction, ignore_index=-100)

    def summed(logits, labels):
        loss = cross_entropy(logits, labels, "sum")
        return loss + z * pytorch_variants.z_loss(wide(logits), labels) if z else loss

    def averaged(logits, labels):
        loss = cross_entropy(logits, labels, "mean")
        return loss + z * (pytorch_variants.z_loss(wide(logits), labels) / own) if z else loss
    rule, z = config.get("loss.normalization", "global_tokens"), config.get("loss.z_coef", 0)
    own = (labels != -100).sum()
    divide = {"global_tokens": lambda c: c / valid, "microbatch_mean": lambda c: c / own / count,
              "gradient_scaling": lambda c: c}[rule]
    if config.get("loss.chunks", 0) > 0:
        return chunked_backward(model, tokens, positions, labels, config["loss.chunks"],
                                lambda logits, some: divide(summed(logits, some))), None
    with torch.autocast("cpu", getattr(torch, config.get("train.autocast_dtype", "bfloat16")), enabled=config.get("train.autocast", False)):
        hidden = model.hidden(tokens, positions)
        logits = model.logits(hidden)
        if rule == "global_tokens":
            loss = summed(logits, labels) / valid
        elif rule == "microbatch_mean":
            loss = averaged(logits, labels) / count
        elif own == 0:
            loss = summed(logits, labels)
        else:
            loss = averaged(logits, labels) * own
        further = further_loss(model, hidden, (tokens, labels, positions), config, divide, cross_entropy)
    more = [] if further is None else [config.get("loss.mtp_coef", 0.3) * further]
    total = sum(more, loss)
    torch.autograd.backward([scaler.scale(total) if scaler else total, *pytorch_moe.take_losses(model, count)])
    return loss.detach(), None if further is None else further.detach()


def further_loss(model, hidden, batch, config, divide, cross_entropy):
    """The mean loss of the depths of multi-token prediction; None without any."""
    if not model.mtp:
        return None
    tokens, labels, positions = batch
    documents = documents_of(tokens, positions, config)
    each = [divide(cross_entropy(logits, pytorch_variants.further_labels(labels, documents, depth), "sum"))
            for depth, logits in enumerate(model.further(hidden, tokens, positions), start=1)]
    return torch.stack(each).mean()


def policy_forward_backward(model, batch, totals, config):
    """The same for rollouts. totals: of the update's tokens, completions and pairs that count."""
    tokens, labels, positions, numbers = batch
    loss = pytorch_policy_loss.loss_of_config(config, wide(model(tokens, positions)), labels, numbers, *totals)
    loss.backward()
    return loss.detach()


def train_step(model, optimizer, micro_batches, config, scaler):
    """One update. Returns loss, gradient norm, the loss of multi-token prediction or None, and whether it was skipped."""
    optimizer.zero_grad()
    valid = sum((labels != -100).sum() for _, labels, _, _ in micro_batches)
    if config.get("data.source") == "rollouts":
        completions = sum((labels != -100).any(1).sum() for _, labels, _, _ in micro_batches)
        pairs = sum((numbers["advantages"] > 0).any(1).sum() for _, _, _, numbers in micro_batches)
        prompts = 0
        if config["rl.normalization"] == "prompt_mean" or \
                (config["rl.packing"] != "none" and config["rl.normalization"] == "sequence_mean"):
            lengths, completions, prompts = pytorch_groups.lengths_by_token(config, micro_batches)
            for (_, _, _, numbers), own in zip(micro_batches, lengths):
                numbers["lengths"] = own
        totals = valid, completions, pairs, prompts
        losses = [(policy_forward_backward(model, batch, totals, config), None) for batch in micro_batches]
    else:
        pytorch_moe.count_update(model, lambda: [model(tokens, positions) for tokens, _, positions, _ in micro_batches])
        losses = [forward_backward(model, tokens, labels, positions, valid, len(micro_batches), config, scaler)
                  for tokens, labels, positions, _ in micro_batches]
    trained = [p for p in model.parameters() if p.requires_grad]
    losses, further = zip(*losses)
    if config.get("loss.normalization") == "gradient_scaling":
        torch._foreach_mul_([p.grad for p in trained], 1 / valid)
        total = [None if x[0] is None else sum(x) * (1 / valid) for x in (losses, further)]
        total[0] = sum(losses).item() / valid
    else:
        total = [None if x[0] is None else torch.stack(x).sum() for x in (losses, further)]
    if scaler.is_enabled():
        scaler.unscale_(optimizer)
    if config["clip.max_norm"] > 0:
        norm = nn.utils.clip_grad_norm_(model.parameters(), config["clip.max_norm"])
    else:
        norm = nn.utils.get_total_norm([p.grad for p in trained])
    pytorch_moe.end_update(model)
    skipped = pytorch_precision.was_skipped(scaler, optimizer)
    scaler.step(optimizer)
    scaler.update()
    return total[0].item(), 0 if skipped else norm.item(), None if total[1] is None else total[1].item(), skipped


def read_replay(path, dtype):
    with h5py.File(path) as file:
        weights = {name: torch.from_numpy(data[()]).to(dtype) for name, data in file["replay/initial"].items()}
        batches = {int(step): [batch_of(group[m]) for m in sorted(group, key=int)]
                   for step, group in file["replay/batches"].items()}
    return weights, batches


def batch_of(group):
    """Tokens, labels and positions of a micro-batch, and by name what its loss looks at besides."""
    fields = {name: torch.from_numpy(data[()]) for name, data in group.items()}
    return tuple(fields.pop(name) for name in ("tokens", "labels", "positions")) + (fields,)


def write_trace(path, channels, timings):
    """A minimal trace: schema, status, steps and channels."""
    with h5py.File(path, "w") as file:
        file.attrs["schema"] = "parity.trace/1.0"
        file.attrs["status"] = "complete"
        count = len(channels["loss"])
        file["steps"] = range(1, count + 1)
        file.attrs["last_step"] = count
        for name, values in {**channels, **timings}.items():
            file[f"channels/{name}"] = values
            file[f"channels/{name}"].attrs["kind"] = "timing" if name in timings else "numeric"


def main():
    config = read_config()
    dtype = getattr(torch, os.environ.get("PARITY_DTYPE") or config["dtype"])
    torch.set_default_dtype(dtype)
    torch.set_num_threads(config["threads"])
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    weights, batches = read_replay(sys.argv[1], dtype)
    model = Llama(weights, config, dtype)
    pytorch_recipes.multiply_by_recipe(model, config)
    optimizer = make_optimizer(model, config)
    if config.get("optimizer.weights", "float32") != "float32":
        pytorch_precision.Stored(model.named_parameters(), optimizer, config)
    scaler = pytorch_precision.make_scaler(config)
    schedule = pytorch_schedules.make_schedule(optimizer, config)
    channels = {"loss": [], "grad_norm": [], "lr": []}
    timings = {"tokens_per_second": [], "step_seconds": []}
    for step in range(1, config["steps"] + 1):
        start = time.perf_counter()
        channels["lr"].append(optimizer.param_groups[0]["lr"])
        if scaler.is_enabled():
            channels.setdefault("loss_scale", []).append(scaler.get_scale())
        loss, norm, further, skipped = train_step(model, optimizer, batches[step], config, scaler)
        logits = pytorch_qk_clip.clip(model, config)
        if scaler.is_enabled():
            channels.setdefault("update_skipped", []).append(int(skipped))
        if not skipped or not config.get("loss.scale_holds_schedule", False):
            schedule.step()
        seconds = time.perf_counter() - start
        channels["loss"].append(loss)
        channels["grad_norm"].append(norm)
        if further is not None:
            channels.setdefault("mtp_loss", []).append(further)
        if logits is not None:
            for name, value in zip(("max_attention_logit", "qk_clipped_heads"), logits):
                channels.setdefault(name, []).append(value)
        timings["step_seconds"].append(seconds)
        timings["tokens_per_second"].append(sum(batch[0].numel() for batch in batches[step]) / seconds)
    write_trace(os.environ["PARITY_TRACE"], channels, timings)


if __name__ == "__main__":
    main()
