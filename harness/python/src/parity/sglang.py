# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The names of SGLang's dumper, for code that calls it already. Only the import changes:

from parity.sglang import dumper      # was: from sglang.srt.debug_utils.dumper import dumper
dumper.dump("attn_out", out, layer_id=3, dims="t h[tp]")
dumper.step()                         # ends an iteration
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from typing import Any

import parity

from .recording.dumps import Dumps
from .recording.ranks import rank_and_ranks


class Dumper:
    """Records what is dumped in a trace. Without PARITY_TRACE, and without `start`, each method does nothing.

    A keyword other than those of `dump` is part of the tensor's name: attn_out.layer_id=3.
    """

    def __init__(self) -> None:
        self._dumps = Dumps(parity.NoRecorder())
        self._recorder: Any = None
        self._context: dict[str, Any] = {}
        self._enabled = True

    def start(self, model: Any = None, optimizer: Any = None, **options: Any) -> Any:
        """Starts the trace with the arguments of `parity.record`, and returns the Recorder. Otherwise the first dump
        starts it without a model."""
        self._recorder = parity.record(model, optimizer, **options)
        self._dumps = Dumps(self._recorder)
        return self._recorder

    @property
    def may_enable(self) -> bool:
        """Whether `dump` records: a trace is asked for, and dumping is on."""
        if self._recorder is None:
            return self._enabled and bool(os.environ.get("PARITY_TRACE"))
        return self._enabled and not isinstance(self._recorder, parity.NoRecorder)

    def dump(
        self,
        name: str,
        value: Any,
        save: bool = True,
        dims: str | None = None,
        dims_grad: str | None = None,
        **tags: Any,
    ) -> None:
        """Records a tensor, or what a function returns, in phase forward, and its gradient in phase backward.

        dims: with several ranks, the part that this rank holds. dims_grad: that of its gradient, if it differs; then
        only the tensor is recorded."""
        if not (save and self.may_enable):
            return
        if self._recorder is None:
            self.start()
        name = ".".join([name, *(f"{key}={tag}" for key, tag in (tags | self._context).items())])
        placement = {"dims": dims} if dims and rank_and_ranks()[1] > 1 else {}
        same = not placement or dims_grad in (None, dims)
        self._dumps.add(name, value() if callable(value) else value, gradient=same, **placement)

    def dump_dict(self, name_prefix: str, data: Any, save: bool = True, **tags: Any) -> None:
        """Records each value of a mapping, or each attribute of an object, as <prefix>_<name>."""
        for name, value in (data if isinstance(data, Mapping) else vars(data)).items():
            if not callable(value):
                self.dump(f"{name_prefix}_{name}", value, save, **tags)

    def dump_model(self, model: Any, name_prefix: str = "param", save: bool = True, **tags: Any) -> None:
        """Records the parameters as they are, and their gradients, as <prefix>__<name> and grad__<prefix>__<name>."""
        for name, parameter in model.named_parameters():
            self.dump(f"{name_prefix}__{name}", parameter.detach(), save, **tags)
            if parameter.grad is not None:
                self.dump(f"grad__{name_prefix}__{name}", parameter.grad, save, **tags)

    def set_ctx(self, **tags: Any) -> None:
        """Adds tags to the names of all later dumps. None removes a tag."""
        self._context = {key: tag for key, tag in (self._context | tags).items() if tag is not None}

    def ctx(self, tags_of: Callable[..., Mapping[str, Any]] | None = None, **tags: Any) -> Callable[..., Any]:
        """A decorator that adds tags while its function runs. tags_of: gives them from the first argument."""

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(function)
            def tagged(*arguments: Any, **given: Any) -> Any:
                before = self._context
                self.set_ctx(**(tags_of(arguments[0]) if tags_of else tags))
                try:
                    return function(*arguments, **given)
                finally:
                    self._context = before

            return tagged

        return decorate

    def step(self) -> None:
        """Ends an update, which is an iteration."""
        if self._recorder is not None:
            self._dumps.end_update()

    def configure(self, enable: bool | None = None, **_: Any) -> None:
        """Turns dumping on or off. What else SGLang configures says where its files go, which a trace replaces."""
        self._enabled = self._enabled if enable is None else enable

    def close(self) -> None:
        """Completes the trace. Otherwise it is complete at the end of the program."""
        if self._recorder is not None:
            self._recorder.close()


dumper = Dumper()
