# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Where a rank's part lies in the logical tensor, as harness/trace/FORMAT.md describes a layout."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


class NotRecordable(Exception):
    """A tensor that a trace cannot hold, with the reason. The recording goes on without it."""


@dataclass(frozen=True)
class Placed:
    """The part of a tensor that this rank holds, and its layout as JSON. None: every rank holds the same whole.

    stated: whether dims say so, or it is only assumed for want of anything else."""

    local: Any
    layout: str | None = None
    stated: bool = False

    @property
    def own_to_rank(self) -> bool:
        """Whether nothing says how the values of ranks belong together."""
        return self.layout is None and not self.stated


@dataclass(frozen=True)
class Axis:
    """A mesh dimension, and this rank's place along it."""

    name: str
    coordinate: int
    size: int

    def replicate(self) -> dict[str, Any]:
        return self._placement("replicate")

    def shard(self, dim: int, ranges: Sequence[tuple[int, int]]) -> dict[str, Any]:
        """ranges: half-open intervals of indices of the logical tensor, in the order of the part."""
        return self._placement("shard") | {"dim": dim, "ranges": [list(one) for one in ranges]}

    def terms(self, reduction: str) -> dict[str, Any]:
        """reduction: sum or avg, which the ranks along this dimension have not carried out yet."""
        return self._placement(reduction)

    def _placement(self, kind: str) -> dict[str, Any]:
        return {"mesh": self.name, "coordinate": self.coordinate, "size": self.size, "kind": kind}


def layout_text(global_shape: Sequence[int], placements: Sequence[dict[str, Any]]) -> str | None:
    """The layout as JSON; None if every rank holds the same whole tensor, as along a mesh dimension of one rank."""
    if all(placement["kind"] == "replicate" or placement["size"] == 1 for placement in placements):
        return None
    return json.dumps({"global_shape": list(global_shape), "placements": list(placements)})


def with_complex(layout: str | None) -> str | None:
    """The layout of complex numbers that became a last dimension of two real ones."""
    if layout is None:
        return None
    found = json.loads(layout)
    return json.dumps(found | {"global_shape": [*found["global_shape"], 2]})


def runs(indices: Sequence[int]) -> list[tuple[int, int]]:
    """Increasing indices as half-open intervals."""
    found: list[tuple[int, int]] = []
    for index in indices:
        if found and found[-1][1] == index:
            found[-1] = (found[-1][0], index + 1)
        else:
            found.append((index, index + 1))
    return found
