# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""One verdict for all ranks."""

from __future__ import annotations

import dataclasses
from typing import Any

from .verdict import DIFFERENT, Verdict


def agreed(mine: Verdict, group: Any) -> Verdict:
    """Returns the verdict of the first rank that does not say "same"; a difference goes before what is not proved."""
    import torch.distributed as dist

    if not dist.is_available() or not dist.is_initialized() or dist.get_world_size(group) == 1:
        return mine
    verdicts: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(verdicts, mine, group=group)
    against = [(each.outcome != DIFFERENT, rank, each) for rank, each in enumerate(verdicts) if not each]
    if not against:
        return mine
    _, rank, worst = min(against, key=lambda each: each[:2])
    first, *rest = worst.findings
    told = dataclasses.replace(first, text=f"on rank {rank} {first.text}")
    return dataclasses.replace(worst, findings=(told, *rest))
