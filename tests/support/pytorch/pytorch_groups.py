# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Groups of completions by an ordinary PyTorch program: advantages, and what divides a token's loss.

    pytorch_groups.py IN OUT     IN, OUT: JSON

IN is a list; each of its objects has rewards, sizes of the groups in order, rule and deviation as in the config. OUT has the
advantages for each, in float64.
"""
import json
import sys

import torch


def advantages(rewards, sizes, rule, deviation):
    """GRPO (arXiv 2402.03300), Dr. GRPO (no deviation), Lite PPO (arXiv 2508.08221: the deviation of the whole update)."""
    def std(x):
        return x.std(correction=0 if rule == "population_std" else 1)
    whole = torch.tensor(rewards, dtype=torch.float64)
    result = []
    for group in whole.split(sizes):
        if rule == "sample_std" and deviation == "group" and len(group) == 1:  # verl: mean 0, deviation 1
            result.append(group / (1 + 1e-6))
            continue
        centered = group - group.mean()
        if rule != "mean":
            centered = centered / (std(group if deviation == "group" else whole) + 1e-6)
        result.append(centered)
    return torch.cat(result).tolist()


def group_sizes(config, completions):
    """The sizes of an update's groups."""
    cycle, sizes = config.get("rl.group_sizes") or [config["rl.group_size"]], []
    while sum(sizes) < completions:
        sizes.append(cycle[len(sizes) % len(cycle)])
    return sizes


def segments(positions):
    """The rollouts of packed rows, as [row, begin, end]; padding is a segment of one token."""
    found = []
    for row, places in enumerate(positions.tolist()):
        starts = [i for i, place in enumerate(places) if place == 0] + [len(places)]
        found += [[row, begin, end] for begin, end in zip(starts, starts[1:])]
    return found


def lengths_by_token(config, micro_batches):
    """For each micro-batch the tokens that count of each token's completion, or with prompt_mean of its prompt. Also the
    numbers of completions and of prompts that count."""
    labels = [labels for _, labels, _, _ in micro_batches]
    if config.get("rl.packing", "none") != "none":
        lengths, completions = [], 0
        for (_, own, positions, _) in micro_batches:
            lengths.append(torch.ones_like(own))
            for row, begin, end in segments(positions):
                count = (own[row, begin:end] != -100).sum()
                completions += int(count > 0)
                lengths[-1][row, begin:end] = count.clamp(min=1)
        return lengths, completions, 0
    counts = torch.cat([(own != -100).sum(1) for own in labels])
    sizes = group_sizes(config, len(counts))
    totals = torch.cat([group.sum().expand(len(group)) for group in counts.split(sizes)])
    each = totals if config["rl.normalization"] == "prompt_mean" else counts
    rows = each.clamp(min=1).split([len(own) for own in labels])
    lengths = [row[:, None].expand_as(own) for row, own in zip(rows, labels)]
    prompts = sum(bool(group.any()) for group in counts.split(sizes))
    return lengths, int((counts > 0).sum()), prompts


def main():
    with open(sys.argv[1]) as file:
        given = json.load(file)
    with open(sys.argv[2], "w") as file:
        json.dump([advantages(each["rewards"], each["sizes"], each["rule"], each["deviation"]) for each in given], file)


if __name__ == "__main__":
    main()
