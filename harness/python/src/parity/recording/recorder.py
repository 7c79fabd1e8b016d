# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records a training run of PyTorch: what its optimizers, its clipping and the trainer itself show of each update."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

from ..native.library import Error
from ..native.trace_file import TraceFile
from ..observe import optimizers
from ..observe.groups import channels_of, settings_of
from ..observe.modules import compiled
from ..observe.names import named_buffers
from ..observe.recipe import FirstUpdate, recipe_of
from ..passes.activations import Activations
from ..passes.keeping import Keeping
from ..passes.operators import Operators
from ..passes.pieces import Pieces
from ..placement.dtensor import version_of
from ..placement.find import Places
from .capture import Capture
from .channels import Channels
from .extras import Extras
from .facts import as_json
from .gradients import Gradients
from .parameters import Parameters
from .ranks import wait_for_others
from .read_files import list_mapped_files
from .sources import write_sources
from .tensors import Tensors
from .update import Update
from .warn import WarnOnce, warn


class Recorder:
    """Writes the trace of one rank. `parity.record` makes it.

    No method raises after that: an error ends the recording, leaves the trace partial with its reason, and becomes a
    warning. The training goes on. The trace is complete when the program ends without an uncaught exception, or when
    `close` is called, which a `with` block does.
    """

    def __init__(
        self,
        trace: TraceFile,
        capture: Capture,
        model: Any = None,
        optimizer: Any = None,
        *,
        path: str,
        rank: int = 0,
        ranks: int = 1,
        places: Places | None = None,
        outputs: Places | None = None,
        after: int = 0,
        checks: Iterable[Callable[[], None]] = (),
        micro_batches: int | None = None,
        extras: Iterable[str] = (),
    ) -> None:
        self._trace: TraceFile | None = trace
        self._capture, self._path, self._rank, self._ranks = capture, path, rank, ranks
        places = places or Places()
        self._warn_once = WarnOnce()
        self.tensors = Tensors(self, capture, places, outputs or Places(), self._warn_once)
        self._pid = os.getpid()
        self._model = model
        self._optimizers = optimizers.listed(optimizer)
        self._parameters = Parameters(model, self._optimizers)
        places.know(model, self._parameters.held())
        self._first = after + 1
        self.update = Update(self._first)
        self._channels = Channels(ranks)
        self._skipped = 0
        self._checks = list(checks)
        self._extras = Extras(extras)
        self._keeping = Keeping(self, capture, rank, ranks, micro_batches)
        self._watch = Operators(self._keeping, capture)
        self._activations = Activations(self._keeping, capture, model, self._extras)
        self._first_update = FirstUpdate()
        self._gradients = Gradients(self, capture, model, self._parameters, self._activations, self._keeping)
        self._lock = threading.RLock()
        self._handles = [optimizers.before_step(one, self._on_step) for one in self._optimizers]
        self._foreign_steps = optimizers.Steps(self._optimizers)
        if self._optimizers and not self._gradients.watch_clipping():
            warn("grad_norm is not recorded (this PyTorch computes it elsewhere); use PyTorch 2.6 or later")
        atexit.register(self._at_exit)
        self.guarded(self._record_initial)
        self.guarded(self._begin_update)

    # --- what the trainer calls ------------------------------------------------------------------

    def step(self, **channels: Any) -> None:
        """Ends an update. Each keyword is a channel: a float, an int, a tensor of one element, or Timing of one.
        Without an optimizer's step since the last call there was no update, and the call only counts as skipped."""
        self.guarded(self._end_update, channels)

    def share(self, channels: dict[str, Any]) -> None:
        """Gives channels of this update that must be equal on all ranks, for adapters that know their optimizers."""
        self.update.shared = channels

    def tensor(self, phase: str, name: str, value: Any, *, dims: str | None = None, mesh: Any = None) -> None:
        """Records a tensor of PyTorch, or an array, if the capture asks for it. Its values are copied at once.

        dims: for a plain tensor that is this rank's part, a text such as "t h[tp]" (placement/dims.py).
        mesh: what the text names; by default that of `record`."""
        self.guarded(self._offer_by_hand, phase, name, value, dims, mesh)

    def tee(self, logger: Any) -> None:
        """Sends the channels of each later update on to a SummaryWriter, a run of W&B, or a function(step, channels).
        Raises Error for anything else. A logger that raises is given up with a warning."""
        self._channels.tee(logger)

    def entered(self, module: Any, arguments: Any, options: Any) -> None:
        """Says that the model runs already, for an update that begins inside of its forward pass."""
        self._activations.entered_before(module, arguments, options)

    def about_to_step(self, optimizer: Any) -> None:
        """Says that an optimizer, in whose closure the recording began, has its gradients."""
        self._on_step(optimizer)

    def stop(self, reason: str) -> None:
        """Ends the recording, and leaves the trace partial with a reason."""
        self.guarded(self._fail, reason)

    def close(self) -> None:
        """Completes the trace. Called at the end of the program, and by `with`."""
        self.guarded(self._complete)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, _: TracebackType | None
    ) -> None:
        if problem is not None:
            self._fail(f"the training ended with {type(problem).__name__}", silent=True)
        self.close()

    # --- what PyTorch calls ----------------------------------------------------------------------

    def _on_step(self, optimizer: Any) -> None:
        self._activations.execution.begin_region("optim", "optimizer")
        self.guarded(self._before_step, optimizer)

    # --- an update -------------------------------------------------------------------------------

    def _record_initial(self) -> None:
        if self._first > 1:
            self._offer_loaded()
            return
        if not self._capture.may_want(0, "param") and not self._capture.may_want(0, "optim"):
            return
        self.open_trace().begin_step(0)
        for name, value in self._parameters.states():  # of an optimizer that was restored
            self.tensors.offer("optim", name, value)
        self._offer_parameters()
        self.open_trace().end_step()
        self.update = Update(1)

    def _offer_loaded(self) -> None:
        """What a run that continues has before its first update, as inputs of that update."""
        for name, value in self._parameters.named():
            self._offer_by_hand("input", f"loaded/param/{name}", value, None, None)
        for name, value in self._parameters.states():
            self._offer_by_hand("input", f"loaded/optim/{name}", value, None, None)

    def _offer_parameters(self) -> None:
        for name, value in self._parameters.named():
            self.tensors.offer("param", name, value)
        own = f"#{self._rank}" if self._ranks > 1 else ""  # such as a running mean of this rank's batches
        for name, value in named_buffers(self._model):
            part = self.tensors.part_of(name, value)
            if part is not None:
                self.tensors.offer("param", name + own if part.layout is None else name, part)

    def _begin_update(self) -> None:
        step = self.update.step
        if step == self._first:
            self._first_update.begin(one for _, one in self._parameters.named())
        self._activations.begin(step, self._watch.wanted(step))
        if self._activations.on and (hidden := compiled(self._model)) and step == self._first:
            warn(f"torch.compile runs {', '.join(hidden)}, inside of which no module or operator can be recorded")
        self._gradients.begin(step, is_first=step == self._first)
        self._extras.begin()
        self._watch.begin(step, self._activations.execution)  # last: what follows is the training's

    def _offer_by_hand(self, phase: str, name: str, value: Any, dims: str | None, mesh: Any) -> None:
        update = self.update
        if not self._capture.may_want(update.step, phase):
            return
        if phase == "input" and name not in update.own_inputs:
            update.own_inputs.add(name)
            for known in (name, self._keeping.own_name(name)):
                update.waiting.pop((phase, known), None)
        if (phase, name) in update.waiting or (phase, name) in update.offered:
            raise Error(f"tensor {name} of phase {phase} was offered twice before rec.step(); give each its own name")
        part = self.tensors.part_of(name, value, dims, mesh)
        if part is None:
            return
        if update.begun or self._capture.may_change(update.step, phase):
            self.begin()
            self.tensors.offer(phase, name, part)
        else:
            update.waiting[phase, name] = self.tensors.kept(phase, name, part)

    def _before_step(self, optimizer: Any) -> None:
        update = self.update
        if optimizers.is_skipped(optimizer):
            return
        number = self._optimizers.index(optimizer)
        if number in update.groups and not self._is_inside(optimizer):
            raise Error(f"optimizer {number} stepped twice in update {update.step}; call rec.step() after each update")
        if update.step & (update.step - 1) == 0:  # updates 1, 2, 4, 8, ..., since it visits all modules
            self._parameters.check_still_trained(number)
        first = next((one for one in optimizers.parameters_of(optimizer) if one.grad is not None), None)
        update.began[number] = (first, version_of(first))
        update.groups[number] = settings_of(optimizer)
        update.gradients_are_whole = True
        self._extras.before_step(self._parameters.named())
        self._gradients.before_step(optimizer)

    def _is_inside(self, optimizer: Any) -> bool:
        """Whether the optimizer's step of this update has changed nothing yet: a class whose `step` calls that of its base
        runs the hooks of both."""
        first, version = self.update.began[self._optimizers.index(optimizer)]
        return first is not None and version_of(first) == version

    def _end_update(self, channels: dict[str, Any]) -> None:
        update = self.update
        if warning := self._activations.missed():
            self._warn_once("passes", warning)
        self._watch.end()
        self._gradients.end()
        if self._optimizers and not update.groups:
            self._skip()
            self._begin_update()
            return
        for check in self._checks:
            check()
        update.gradients_are_whole = True
        self.begin()
        self._keeping.flush()
        self._record_channels(channels)
        if update.step == self._first:
            self._describe()
        if self._parameters.any() and (facts := self._gradients.clip_facts()):
            self.open_trace().describe(as_json(facts))
        if self._capture.may_want(update.step, "optim"):
            for name, value in self._parameters.states():
                self.tensors.offer("optim", name, value)
        if self._capture.may_want(update.step, "param"):
            self._offer_parameters()
        self.open_trace().end_step()
        self.update = update.following()
        self._foreign_steps.seen = False
        self._begin_update()

    def _describe(self) -> None:
        """Records what the first update has shown of the run."""
        self._first_update.end()
        if self._parameters.any():
            parameters = self._parameters
            recipe = recipe_of(self._model, parameters.named(), self._optimizers, parameters.name_of)
            self.open_trace().describe(as_json(recipe | self._first_update.facts() | self._gradients.facts()))

    def _skip(self) -> None:
        if self.update.offered:
            raise Error(f"update {self.update.step} was skipped after the capture's faults had changed its tensors")
        self.update = Update(self.update.step, expected=self.update.expected)
        self._skipped += 1
        if self._skipped == 1:
            other = "only an optimizer that parity.record was not given" if self._foreign_steps.seen else "no optimizer"
            warn(f"{other} stepped before rec.step() after update {self.update.step - 1}; it is not an update")

    def begin(self) -> TraceFile:
        """Begins the step in the trace, now that the update is certain, and offers the tensors that waited. Those of
        passes wait for the end of the update, and gradients to which backward passes may still add for the optimizer."""
        update = self.update
        trace = self.open_trace()
        if not update.begun:
            trace.begin_step(update.step)
            update.begun = True
        for key, value in list(update.waiting.items()):
            if isinstance(value, Pieces) or (key[0] == "grad_local" and not update.gradients_are_whole):
                continue
            del update.waiting[key]
            self.tensors.offer(*key, value)
        return trace

    def _record_channels(self, given: dict[str, Any]) -> None:
        update = self.update
        schedule = channels_of([update.groups.get(n) or settings_of(one) for n, one in enumerate(self._optimizers)])
        own = update.norm_channels() | self._extras.channels(self._parameters.named())
        self._channels.record(self.open_trace(), update.step, given, schedule | update.shared, own)

    # --- the end ---------------------------------------------------------------------------------

    def open_trace(self) -> TraceFile:
        if self._trace is None:
            raise Error("the trace is closed")
        return self._trace

    def guarded(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a method of ours from the trainer's code, which goes on whatever happens here. None if it raises."""
        if self._trace is None:
            return None
        if os.getpid() != self._pid:  # a fork has no thread that writes
            self._trace.forget()
            self._release()
            return None
        with self._lock:  # backward passes may call from threads of their own
            try:
                return self._watch.quiet(call, *arguments)
            except Exception as problem:
                self._fail(str(problem) or type(problem).__name__)
                return None

    def _fail(self, reason: str, silent: bool = False) -> None:
        if self._trace is None:
            return
        trace = self._trace
        self._release()
        try:
            trace.failure({"kind": "recorder", "step": self.update.step, "reason": reason})
            trace.finish()
        except Error as problem:
            reason += f"; {problem}"
        trace.close()
        if not silent:
            warn(f"recording stopped in update {self.update.step}, the trace stays partial ({reason})")

    def _complete(self) -> None:
        if self.update.step == self._first:
            why = "rec.step() was never called" if not self._skipped else "no optimizer that the recorder has stepped"
            raise Error(f"no update was recorded ({why})")
        if self.update.begun or self.update.groups:
            raise Error(f"update {self.update.step} did not end; call rec.step() after the last optimizer.step()")
        if self._skipped and self._foreign_steps.seen:
            raise Error(
                f"after update {self.update.step - 1} only an optimizer stepped that parity.record was not given; "
                "call it again, with another path, after replacing model or optimizer"
            )
        write_sources()
        list_mapped_files()
        others_wanted = self._rank == 0 and self._ranks > 1
        if others_wanted and os.environ.get("PARITY_JOIN") != "later":
            wait_for_others(self._path, self._ranks, float(os.environ.get("PARITY_TIMEOUT", "60")))
        trace = self.open_trace()
        try:
            trace.finish()
        except Error as problem:
            if not others_wanted:
                raise
            warn(f"the trace stays partial ({problem})")  # it says so itself, for `parity join`
        self._release()
        trace.close()

    def _release(self) -> None:
        self._trace = None
        with contextlib.suppress(Error):
            self._watch.end()
        self._activations.end()
        self._gradients.end()
        self._gradients.forget_clipping()
        self._first_update.end()
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._foreign_steps.end()
        atexit.unregister(self._at_exit)

    def _at_exit(self) -> None:
        uncaught = getattr(sys, "last_type", None)
        if uncaught is not None and not hasattr(sys, "ps1"):
            self.guarded(self._fail, f"the training ended with {uncaught.__name__}", True)
        self.close()
