# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records a train step of Megatron-Core, also over tensor-parallel ranks.

rec = parity.megatron.record(model, optimizer)     # after get_megatron_optimizer; model: one chunk or a list
...
optimizer.step()
rec.step(loss=loss)                                # after each optimizer.step(), also one that was skipped
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

from megatron.core import parallel_state

import parity

from .observe import optimizers
from .observe.groups import channels_of, settings_of
from .observe.names import named_parameters

METHODS = ("prepare_grads", "step_with_ready_grads", "step")


def record(model: Any, optimizer: Any, **options: Any) -> Any:
    """A MegatronRecorder, or a NoRecorder if nobody asked for a trace. options: those of `parity.record`.

    Raises Error for what a rank does not hold in a way that a trace could name.
    """
    chunks = list(model) if isinstance(model, (list, tuple)) else [model]
    _refuse(chunks, optimizer)
    parts = _parts([_unwrapped(chunk) for chunk in chunks])
    if parallel_state.get_tensor_model_parallel_world_size() > 1:
        options.setdefault("mesh", {"tp": parallel_state.get_tensor_model_parallel_group()})
        given = options.get("dims") or {}
        options["dims"] = given | {name: dims for name, dims in _dims(parts).items() if name not in given}
    recorder = parity.record(parts, **options)
    return recorder if isinstance(recorder, parity.NoRecorder) else MegatronRecorder(parts, optimizer, recorder)


class MegatronRecorder:
    """Ends an update if Megatron's optimizer has carried it out. A step that it skipped is not an update.

    Gradients are those that the optimizer uses: main_grad of the parameters, or the gradients of their float32 main
    parameters, unscaled and reduced. The distributed optimizer keeps flat shards, whose views are recorded under the
    parameters' names. A parameter of which another rank holds a part has no gradient and state in the trace.
    """

    def __init__(self, model: Any, optimizer: Any, recorder: Any) -> None:
        self._model, self._optimizer, self._recorder = model, optimizer, recorder
        self._chain = getattr(optimizer, "chained_optimizers", [optimizer])
        self._groups: list[dict[str, Any]] = []
        self._result: tuple[Any, ...] = (False, None, None)
        for name, wrapped in zip(METHODS, (self._prepare, self._apply, self._step), strict=True):
            setattr(optimizer, name, wrapped(getattr(optimizer, name)))

    def step(self, loss: Any = None, **channels: Any) -> None:
        """Ends an update if the last step of the optimizer was one. loss: of this update, if this rank knows it."""
        (done, norm, *_), self._result = self._result, (False, None, None)
        if not done:
            return
        given = (("grad_norm", norm if self._knows_norm() else None), ("loss", loss))
        own = channels_of([self._groups]) | {name: value for name, value in given if value is not None}
        self._recorder.guarded(self._offer_states)
        self._recorder.step(**own | channels)

    def tensor(self, phase: str, name: str, value: Any, **placement: Any) -> None:
        self._recorder.tensor(phase, name, value, **placement)

    def close(self) -> None:
        self._release()
        self._recorder.close()

    def __enter__(self) -> MegatronRecorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._release()
        self._recorder.__exit__(kind, problem, trace)

    def _release(self) -> None:
        for name in METHODS:
            self._optimizer.__dict__.pop(name, None)

    # --- what the optimizer calls ----------------------------------------------------------------

    def _prepare(self, prepare: Callable[[], bool]) -> Callable[[], bool]:
        def prepare_and_record() -> bool:
            found_inf = prepare()
            if not found_inf:
                self._recorder.guarded(self._offer_gradients, "grad")
            return found_inf

        return prepare_and_record

    def _apply(self, apply: Callable[[], bool]) -> Callable[[], bool]:
        def record_and_apply() -> bool:
            self._recorder.guarded(self._before_step)
            return apply()

        return record_and_apply

    def _step(self, step: Callable[[], Any]) -> Callable[[], Any]:
        def step_and_keep() -> Any:
            self._result = step()
            return self._result

        return step_and_keep

    # --- tensors ---------------------------------------------------------------------------------

    def _before_step(self) -> None:
        self._groups = settings_of(self._optimizer)
        if any(one.config.clip_grad > 0 for one in self._chain):
            self._offer_gradients("grad_clipped")

    def _offer_gradients(self, phase: str) -> None:
        for name, parameter, main, _ in self._held():
            if main.grad is not None:
                self._recorder.tensor(phase, name, _shaped(main.grad, parameter))

    def _offer_states(self) -> None:
        for name, parameter, main, optimizer in self._held():
            if main.dtype != parameter.dtype:
                self._recorder.tensor("optim", f"master/{name}", _shaped(main.detach(), parameter))
            for key, value in optimizers.state_of(optimizer, main):
                one = _shaped(value, parameter) if value.shape == main.shape else value
                self._recorder.tensor("optim", f"{key}/{name}", one)

    def _held(self) -> Iterator[tuple[str, Any, Any, Any]]:
        """(name, parameter, main, optimizer): what the optimizer of PyTorch holds for a parameter, if it is whole."""
        for one in self._chain:
            if one.optimizer is None:
                continue
            known = {id(main) for main in optimizers.parameters_of(one.optimizer)}
            for name, parameter in named_parameters(self._model):
                main = _main_of(one, parameter)
                if id(main) in known and main.numel() == parameter.numel():
                    yield name, parameter, main, one.optimizer

    def _knows_norm(self) -> bool:
        """Whether the optimizer computes a norm: alone and without clipping it returns 0."""
        return self._chain[0] is not self._optimizer or self._optimizer.config.clip_grad > 0


def _main_of(optimizer: Any, parameter: Any) -> Any:
    """What an optimizer of Megatron trains in a parameter's place: a flat shard, float32 values, or the parameter."""
    shards = getattr(optimizer, "model_param_group_index_map", None)
    if shards is None:
        return getattr(parameter, "main_param", parameter)
    if parameter not in shards:
        return None
    group, position = shards[parameter]
    return optimizer.optimizer.param_groups[group]["params"][position]


def _shaped(values: Any, parameter: Any) -> Any:
    return values if values.shape == parameter.shape else values.view(parameter.shape)


# --- names and places ----------------------------------------------------------------------------


def _unwrapped(chunk: Any) -> Any:
    """A chunk without DistributedDataParallel and Float16Module."""
    while hasattr(chunk, "module"):
        chunk = chunk.module
    return chunk


def _parts(chunks: list[Any]) -> Any:
    """The model, or its parts under the names that they have in the model without pipeline stages."""
    if len(chunks) == 1 and not any(
        str(layer.layer_number - 1) != own for _, layers in _lists_of_layers(chunks[0]) for own, layer in layers
    ):
        return chunks[0]
    return {prefix: part for chunk in chunks for prefix, part in _split(chunk, "")}


def _split(module: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """(prefix, part) of a module: its layers under their numbers in the whole model, and what has no layers."""
    inside = [name for name, _ in _lists_of_layers(module)]
    if not inside:
        yield prefix, module
        return
    for child, inner in module.named_children():
        own = f"{prefix}.{child}" if prefix else child
        if child in inside:
            yield from ((f"{own}.{layer.layer_number - 1}", layer) for layer in inner)
        else:
            yield from _split(inner, own)


def _lists_of_layers(module: Any) -> list[tuple[str, list[tuple[str, Any]]]]:
    """(name, its layers with their own names) of each list of numbered layers within a module."""
    found = []
    for name, inner in module.named_modules():
        layers = list(inner.named_children()) if type(inner).__name__ == "ModuleList" else []
        if layers and all(hasattr(layer, "layer_number") for _, layer in layers):
            found.append((name, layers))
    return found


def _dims(model: Any) -> dict[str, str]:
    """Name of a tensor-parallel parameter -> which dimension its ranks shard. Others are replicas."""
    found = {}
    for name, parameter in named_parameters(model):
        if getattr(parameter, "tensor_model_parallel", False):
            stride = getattr(parameter, "partition_stride", 1)
            words = [f"d{number}" for number in range(parameter.dim())]
            words[parameter.partition_dim] += "[tp]" if stride == 1 else f"[tp:stride={stride}]"
            found[name] = " ".join(words)
    return found


def _refuse(chunks: list[Any], optimizer: Any) -> None:
    """Raises Error for what the recorder would name wrongly, or would not see."""
    config, ddp = optimizer.config, getattr(chunks[0], "ddp_config", None)
    for found, what, advice in (
        (parallel_state.get_expert_model_parallel_world_size() > 1, "expert parallelism", "use one rank for experts"),
        (
            parallel_state.get_expert_tensor_parallel_world_size()
            != parallel_state.get_tensor_model_parallel_world_size(),
            "experts with another tensor parallelism than the model",
            "use the same",
        ),
        (getattr(ddp, "use_megatron_fsdp", False), "Megatron-FSDP", "use parity.record"),
        (getattr(ddp, "overlap_param_gather", False), "overlap_param_gather", "turn it off"),
        (getattr(config, "use_precision_aware_optimizer", False), "use_precision_aware_optimizer", "turn it off"),
    ):
        if found:
            raise parity.Error(f"cannot record {what}; {advice}")
