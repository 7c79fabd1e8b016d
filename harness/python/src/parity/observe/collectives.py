# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Recognizes the collectives of torch.distributed among operators. Import it only where PyTorch is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

#: Operators of ProcessGroup (c10d) and of functional collectives (_c10d_functional), in the words of parity-train.
KINDS = {
    "allreduce_": "all_reduce",
    "allreduce_coalesced_": "all_reduce",
    "allgather_": "all_gather",
    "_allgather_base_": "all_gather",
    "allgather_coalesced_": "all_gather",
    "allgather_into_tensor_coalesced_": "all_gather",
    "reduce_scatter_": "reduce_scatter",
    "_reduce_scatter_base_": "reduce_scatter",
    "reduce_scatter_tensor_coalesced_": "reduce_scatter",
    "alltoall_": "all_to_all",
    "alltoall_base_": "all_to_all",
    "broadcast_": "broadcast",
    "reduce_": "reduce",
    "gather_": "gather",
    "scatter_": "scatter",
    "all_reduce": "all_reduce",
    "all_reduce_": "all_reduce",
    "all_reduce_coalesced": "all_reduce",
    "all_reduce_coalesced_": "all_reduce",
    "all_gather_into_tensor": "all_gather",
    "all_gather_into_tensor_out": "all_gather",
    "all_gather_into_tensor_coalesced": "all_gather",
    "reduce_scatter_tensor": "reduce_scatter",
    "reduce_scatter_tensor_out": "reduce_scatter",
    "reduce_scatter_tensor_coalesced": "reduce_scatter",
    "all_to_all_single": "all_to_all",
    "broadcast": "broadcast",
    "send": "send",
    "recv_": "receive",
    "recv_any_source_": "receive",
}


@dataclass
class Collective:
    """A collective or a message that is about to run on this rank."""

    what: str  #: "all_reduce over dp of ranks 0, 1"
    sent: Any  #: what this rank puts in, as one tensor; None: nothing, as ranks other than the root of a broadcast
    _call: Callable[[], Any]
    _received: Callable[[Any], list[Any]]  #: the tensors that this rank gets, of the result of the call
    is_message: bool

    def run(self) -> tuple[Any, list[Any]]:
        """Starts it, and waits for nothing. Returns the result of the call, and the tensors that this rank will get."""
        result = self._call()
        return result, self._received(result)


def collective_of(func: Any, args: Any, kwargs: Any) -> Collective | None:
    """The collective that an operator's call is; None: it is none, or not one of the table."""
    namespace, _, name = func._schema.name.partition("::")
    kind = KINDS.get(name)
    given = {argument.name: value for argument, value in zip(func._schema.arguments, args, strict=False)} | kwargs
    group = _group_of(given) if kind is not None else None
    if kind is None or group is None:
        return None
    root = given.get("root_rank", given.get("src"))
    is_root = root is None or group.rank() == root
    inputs = _given(given, "input_tensor", "input_tensors", "input", "inputs", "tensors")
    outputs = _given(given, "output_tensor", "output_tensors", "output", "outputs") or inputs

    def received(result: Any) -> list[Any]:
        if kind == "send" or (kind in ("reduce", "gather") and not is_root):
            return []
        return list(tensors_of(result)) if namespace == "_c10d_functional" else outputs

    puts_in = kind != "receive" and (is_root or kind != "broadcast")
    return Collective(
        f"{kind} over {_name_of(group)} of ranks {', '.join(map(str, _ranks_of(group)))}",
        joined(inputs) if puts_in else None,
        lambda: func(*args, **kwargs),
        received,
        kind in ("send", "receive"),
    )


def tensors_of(value: Any) -> Iterator[Any]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_of(item)


def joined(tensors: list[Any]) -> Any:
    """The tensors as one: itself, or the bytes of all, one after the other. None: there are none."""
    if len(tensors) < 2:
        return tensors[0].detach() if tensors else None
    return torch.cat([each.detach().contiguous().view(-1).view(torch.uint8) for each in tensors])


def _given(given: dict[str, Any], *names: str) -> list[Any]:
    return [tensor for name in names for tensor in tensors_of(given.get(name))]


def _group_of(given: dict[str, Any]) -> Any:
    from torch._C._distributed_c10d import ProcessGroup, _resolve_process_group

    if "process_group" in given:
        return ProcessGroup.unbox(given["process_group"])
    name = given.get("group_name")
    return _resolve_process_group(name) if isinstance(name, str) else None


def _name_of(group: Any) -> str:
    described = getattr(group, "group_desc", "") or ""
    return "world" if described in ("", "undefined", "default_pg") else str(described)


def _ranks_of(group: Any) -> list[int]:
    import torch.distributed as dist

    return list(dist.get_process_group_ranks(group))
