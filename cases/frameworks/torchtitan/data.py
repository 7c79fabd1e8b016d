# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""First weights and batches of a run: those of a trace of parity-train, or weights drawn here and rows that count."""

import h5py
import torch

IGNORED = -100


def replayed(path):
    """Returns the weights (name -> tensor), and for each update its micro-batches (tokens, labels), of a trace."""
    with h5py.File(path) as trace:
        weights = {name: torch.from_numpy(values[()]) for name, values in trace["replay/initial"].items()}
        batches = trace["replay/batches"]
        return weights, [[tuple(torch.from_numpy(batches[step][number][name][()]) for name in ("tokens", "labels"))
                          for number in sorted(batches[step], key=int)] for step in sorted(batches, key=int)]


def made(config, make_model):
    """The same, from a model on one rank and rows that count up from a random token. A row's first labels are ignored."""
    torch.manual_seed(config["seed"])
    model = make_model()
    with torch.no_grad():
        model.init_weights()
    data, random = config["data"], torch.Generator().manual_seed(config["data"]["seed"])
    updates = []
    for _ in range(config["steps"]):
        starts = torch.randint(0, config["architecture"]["vocab_size"], (data["global_batch"], 1), generator=random)
        rows = (starts + torch.arange(data["seq_len"] + 1)) % config["architecture"]["vocab_size"]
        ignored = (torch.rand(len(rows), 1, generator=random) * 2 * data["ignore_fraction"] * data["seq_len"]).long()
        labels = torch.where(torch.arange(data["seq_len"]) < ignored, IGNORED, rows[:, 1:])
        updates.append(list(zip(rows[:, :-1].chunk(data["micro_batches"]), labels.chunk(data["micro_batches"]), strict=True)))
    return dict(model.named_parameters()), updates
