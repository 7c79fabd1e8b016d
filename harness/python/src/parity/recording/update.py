# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What is known of the update that is under way, before it is certain that it takes place."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any

from ..observe.groups import numbered


class LeftGradient:
    """Knows whether somebody changed or replaced a gradient since then. It keeps no memory of the gradient."""

    def __init__(self, gradient: Any) -> None:
        self._gradient, self._version = weakref.ref(gradient), gradient._version

    def is_same(self, gradient: Any) -> bool:
        """Whether it is the same tensor, whatever its values are now."""
        return self._gradient() is gradient

    def is_unchanged(self, gradient: Any) -> bool:
        return self._gradient() is gradient and gradient._version == self._version


@dataclass
class Update:
    """One update, from the end of the last one to its own `Recorder.step`."""

    step: int
    #: Whether the trace has begun this step: from then on its tensors are in the trace.
    begun: bool = False
    #: (phase, name) -> copy of a tensor that waits for the update to be certain, in the order of offering.
    waiting: dict[tuple[str, str], Any] = field(default_factory=dict)
    #: (phase, name) of the tensors that were offered to the trace.
    offered: set[tuple[str, str]] = field(default_factory=set)
    #: Names of inputs that the trainer recorded itself: they take the place of the model's arguments of these names.
    own_inputs: set[str] = field(default_factory=set)
    #: Names of parameters whose gradients were clipped.
    clipped: set[str] = field(default_factory=set)
    #: Name of a parameter -> its gradient as PyTorch's clipping left it.
    left: dict[str, LeftGradient] = field(default_factory=dict)
    #: Names of the parameters that a call clipped -> the norm that it used.
    norms: dict[tuple[str, ...], Any] = field(default_factory=dict)
    #: The inverse of the factor that a GradScaler gave the loss of the current backward pass; None without one.
    inverse_scale: Any = None
    #: Name of a parameter -> its gradient that has such a factor, and the factor's inverse.
    scaled: dict[str, tuple[LeftGradient, Any]] = field(default_factory=dict)
    #: Whether no backward pass adds to gradients any more, as far as it is known: phase grad_local is then final.
    gradients_are_whole: bool = False
    #: Position of an optimizer that has stepped -> settings of its groups, by name.
    groups: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    #: Position of an optimizer that has stepped -> its first parameter with a gradient, and that one's version before.
    began: dict[int, tuple[Any, int]] = field(default_factory=dict)
    #: Name of a parameter -> its gradient and its own version when its optimizer's step began.
    used: dict[str, tuple[LeftGradient, int]] = field(default_factory=dict)
    #: Channels that an adapter gave, which must be equal on all ranks.
    shared: dict[str, Any] = field(default_factory=dict)
    #: How many forward passes the update is expected to have: as many as the one before.
    expected: int = 1
    #: How many forward passes a backward pass has reached so far.
    micro_batches: int = 0
    _order: int = 0
    _passes: dict[tuple[str, str], list[Any]] = field(default_factory=dict)

    def next_order(self) -> int:
        """The next place in the order of execution."""
        self._order += 1
        return self._order - 1

    def passes_of(self, phase: str, name: str) -> list[Any]:
        """The passes that offered this tensor at once, in their order. The caller adds to them."""
        return self._passes.setdefault((phase, name), [])

    def following(self) -> Update:
        """The update after this one."""
        return Update(self.step + 1, expected=max(1, self.micro_batches))

    def norm_channels(self) -> dict[str, Any]:
        """grad_norm of the first clipping, grad_norm.1 of the second, and so on."""
        return {numbered("grad_norm", number): norm for number, norm in enumerate(self.norms.values())}
