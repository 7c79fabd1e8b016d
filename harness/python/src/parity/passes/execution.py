# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Where in an update the program is: which module runs, in which forward or backward pass."""

from __future__ import annotations

from bisect import bisect_right

from .pieces import Pass

Place = tuple[str, str]  # phase, module or region of the training


class Execution:
    """Follows the modules of one update. A forward pass that begins without gradients is an evaluation: it has no Pass.

    Outside of modules the program is in a region, as in parity-train: data, loss, reduction, clip or optimizer.
    """

    def __init__(self) -> None:
        self.passes: list[Pass] = []
        self.current: Pass | None = None
        self._stack: list[str] = []
        self._region: Place = ("forward", "data")
        #: Sequence numbers of autograd from which on a module ran, increasing, and these modules.
        self._numbers: list[int] = []
        self._modules: list[str] = []
        self._node = "loss"
        #: Autograd's numbers of the backward passes that reached a module's output.
        self.backward_passes: set[int] = set()

    def enter(self, name: str) -> bool:
        """Returns whether this is the outermost module of a pass."""
        import torch

        outermost = not self._stack and not in_backward()
        if outermost:
            self.current = Pass() if torch.is_grad_enabled() else None
            if self.current is not None:
                self.passes.append(self.current)
        self._stack.append(name)
        self._mark()
        return outermost

    def leave(self, name: str) -> None:
        if name in self._stack:
            del self._stack[len(self._stack) - 1 - self._stack[::-1].index(name) :]
        if not self._stack and not in_backward():
            self._region = ("forward", "loss")
        self._mark()

    def outside(self) -> bool:
        """Whether no module runs."""
        return not self._stack

    def reached(self, run: Pass, again: bool) -> None:
        """Called when a backward pass reaches a forward pass: what is computed again from here on belongs to it.

        again: whether it reaches a tensor that was computed again, inside of which autograd may run anew."""
        import torch

        if not again:
            self.backward_passes.add(torch._C._current_graph_task_id())
        run.trained = True
        self.current = run
        self._region = ("grad", "reduction")

    def begin_region(self, phase: str, name: str) -> None:
        self._region = (phase, name)

    def place(self) -> Place | None:
        """Where an operator is that runs now; None: in an evaluation."""
        if self._stack:
            return ("forward", self._stack[-1]) if self.current is not None else None
        if in_backward():
            return "backward", self._differentiated()
        return self._region

    def _mark(self) -> None:
        from torch._C import _autograd

        self._numbers.append(_autograd._get_sequence_nr())
        self._modules.append(self._stack[-1] if self._stack else self._region[1])

    def _differentiated(self) -> str:
        """The module whose operator is being differentiated. A node without a number belongs to the one before it."""
        import torch

        node = torch._C._current_autograd_node()
        number = node._sequence_nr() if node is not None else -1
        if 0 <= number < 1 << 62:
            at = bisect_right(self._numbers, number)
            self._node = self._modules[at - 1] if at else "loss"
        return self._node


def in_backward() -> bool:
    """Whether autograd is computing gradients in this thread: what runs now is computed again."""
    import torch

    return bool(torch._C._current_graph_task_id() != -1)
