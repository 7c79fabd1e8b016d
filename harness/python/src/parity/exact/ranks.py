# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Ranks that compare together: one input, and one verdict."""

from __future__ import annotations

import dataclasses
from typing import Any

from .structure import arguments, leaves
from .verdict import Verdict, rank_of


def check_inputs(inputs: Any, group: Any) -> None:
    """Raises ValueError unless all ranks have the values of the first one, by which they decide."""
    import torch
    import torch.distributed as dist

    if _is_alone(group):
        return
    wrong = []
    for name, value in (leaf for part, each in arguments(inputs) for leaf in leaves(each, part)):
        if isinstance(value, torch.Tensor):
            first = value.detach().clone(memory_format=torch.contiguous_format)
            dist.broadcast(first, dist.get_global_rank(group or dist.group.WORLD, 0), group=group)
            if not torch.equal(first.nan_to_num(), value.detach().nan_to_num()):
                wrong.append(name)
    found: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(found, wrong, group=group)
    if any(found):
        names = ", ".join(sorted({name for each in found for name in each}))
        raise ValueError(f"{names} has other values on another rank; give all ranks the whole inputs, with one seed")


def _is_alone(group: Any) -> bool:
    import torch.distributed as dist

    return not dist.is_available() or not dist.is_initialized() or dist.get_world_size(group) == 1


def agreed(mine: Verdict, group: Any) -> Verdict:
    """Returns the verdict of the rank with the first finding: a difference goes before what is not proved."""
    import torch.distributed as dist

    if _is_alone(group):
        return mine
    verdicts: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(verdicts, mine, group=group)
    against = [(*rank_of(each.findings[0]), rank) for rank, each in enumerate(verdicts) if not each]
    if not against:
        return mine
    rank = min(against)[-1]
    worst: Verdict = verdicts[rank]
    first, *rest = worst.findings
    told = dataclasses.replace(first, text=f"on rank {rank} {first.text}")
    return dataclasses.replace(worst, findings=(told, *rest))
