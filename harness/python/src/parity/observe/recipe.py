# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What a run computes, in facts that `parity explain` compares with those of another run (FORMAT.md, "Recipe")."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from .groups import NAMES
from .optimizers import parameters_of

#: Keys of a parameter group that are no settings, or that channels hold.
_NO_SETTINGS = {"params", "param_names", "initial_lr", *NAMES}

#: Key of a parameter group -> what None stands for, where a class documents it: torch.optim.Muon.
_NONE_MEANS = {"adjust_lr_fn": "original"}


class FirstUpdate:
    """Sees what only a running update shows: how often it computes gradients."""

    def __init__(self) -> None:
        self._passes = 0
        self._handle: Any = None

    def begin(self, parameters: Iterable[Any]) -> None:
        """Counts the backward passes that reach one parameter, from now on."""
        self.end()
        self._passes = 0
        watched = next((one for one in parameters if one.requires_grad and one.is_leaf), None)
        if watched is not None:
            self._handle = watched.register_post_accumulate_grad_hook(self._count)

    def end(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle = None

    def facts(self) -> dict[str, Any]:
        return {"micro_batches": self._passes} if self._passes else {}

    def _count(self, _parameter: Any) -> None:
        self._passes += 1


def recipe_of(
    model: Any, named: Iterable[tuple[str, Any]], optimizers: list[Any], name_of: Callable[[Any], str | None]
) -> dict[str, Any]:
    """Optimizers, their groups, parameters and attention of a run.

    named: (name, parameter) of the model.
    name_of: the name of a parameter that an optimizer holds."""
    parameters = list(named)
    facts: dict[str, Any] = {
        "parameters": {
            "count": len(parameters),
            "elements": sum(one.numel() for _, one in parameters),
            "dtypes": dict(Counter(str(one.dtype).removeprefix("torch.") for _, one in parameters)),
            "frozen": patterns(name for name, one in parameters if not one.requires_grad),
        },
        "optimizers": [type(one).__name__ for one in optimizers],
        "groups": _groups(optimizers, name_of),
        "without_optimizer": patterns(_not_held(parameters, optimizers, name_of)),
    }
    attention = getattr(getattr(model, "config", None), "_attn_implementation", None)
    if isinstance(attention, str):
        facts["attention"] = attention
    return facts


def _groups(optimizers: list[Any], name_of: Callable[[Any], str | None]) -> list[dict[str, Any]]:
    """The groups of all optimizers, in the order of their channels (groups.channels_of)."""
    held = [
        (number, group, [name for one in group["params"] if (name := name_of(one))])
        for number, optimizer in enumerate(optimizers)
        for group in optimizer.param_groups
    ]
    groups_with = Counter(pattern for _, _, names in held for pattern in patterns(names))
    facts = []
    for number, group, names in held:
        fact = {"optimizer": number, "parameters": patterns(names), "settings": _settings(group)}
        # A pattern that several groups have, as with a rate for each layer, does not say whose a parameter is.
        if shared := [name for name in names if groups_with[_pattern(name)] > 1]:
            fact["names"] = shared
        facts.append(fact)
    return facts


def patterns(names: Iterable[str]) -> dict[str, int]:
    """Names with `*` for each number between dots -> how many there are, so that a model of any depth is a few."""
    return dict(Counter(_pattern(name) for name in names))


def _pattern(name: str) -> str:
    return re.sub(r"(?<![^.])\d+(?![^.])", "*", name)


def _not_held(
    parameters: list[tuple[str, Any]], optimizers: list[Any], name_of: Callable[[Any], str | None]
) -> Iterable[str]:
    held = {name_of(one) for optimizer in optimizers for one in parameters_of(optimizer)}
    return (name for name, one in parameters if one.requires_grad and name not in held)


def _settings(group: dict[str, Any]) -> dict[str, Any]:
    """Switches of a group that are no channels, such as nesterov; an implementation's None is left out."""
    found: dict[str, Any] = {}
    for key, value in group.items():
        if key in _NO_SETTINGS:
            continue
        if value is None:
            value = _NONE_MEANS.get(str(key))
        if isinstance(value, (bool, int, float, str)):
            found[str(key)] = value
        elif isinstance(value, (list, tuple)) and value and all(isinstance(one, (bool, int, float, str)) for one in value):
            found[str(key)] = list(value)  # such as ns_coefficients
    return found
