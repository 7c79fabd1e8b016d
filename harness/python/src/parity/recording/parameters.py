# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of a recorded model, and which of them its optimizers hold."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ..native.library import Error
from ..observe import optimizers
from ..observe.masters import masters_of
from ..observe.names import named_parameters


class Parameters:
    """Names of parameters, and of the float32 master weights that an optimizer holds in their place."""

    def __init__(self, model: Any, held_by: list[Any]) -> None:
        """held_by: the optimizers. Raises Error for one that trains no parameter of the model."""
        self._model, self._optimizers = model, held_by
        self._names = {id(one): name for name, one in self.named()}
        for number, optimizer in enumerate(held_by):
            if not hasattr(optimizer, "register_step_pre_hook"):
                raise Error(f"optimizer {number} is a {type(optimizer).__name__}; give one of torch.optim")
        self._masters = masters_of(list(self.named()), self.held())
        for number, optimizer in enumerate(held_by):
            if not any(self.name_of(parameter) for parameter in optimizers.parameters_of(optimizer)):
                raise Error(f"optimizer {number} has no parameter of the model; give parity.record the model it trains")

    def named(self) -> Iterator[tuple[str, Any]]:
        """(name, parameter) of the model as it is now."""
        return named_parameters(self._model)

    def any(self) -> bool:
        """Whether the model has a parameter."""
        return next(self.named(), None) is not None

    def held_by_others(self, numbers: Collection[int]) -> set[int]:
        """Ids of what the optimizers train that are not at these positions."""
        others = (one for number, one in enumerate(self._optimizers) if number not in numbers)
        return {id(one) for optimizer in others for one in optimizers.parameters_of(optimizer)}

    def held(self) -> Iterator[Any]:
        """What the optimizers train."""
        for optimizer in self._optimizers:
            yield from optimizers.parameters_of(optimizer)

    def with_masters(self) -> Iterator[tuple[str, Any]]:
        """(name, parameter) of the model, and then of the master weights."""
        yield from self.named()
        yield from ((self._masters[id(one)], one) for one in self.held() if id(one) in self._masters)

    def name_of(self, parameter: Any) -> str | None:
        """The name of a parameter of the model, or of the parameter whose master weight this is."""
        name = self._names.get(id(parameter)) or self._masters.get(id(parameter))
        if name is None:  # made after the recorder, as a lazy module does
            self._names = {id(one): own for own, one in self.named()}
            name = self._names.get(id(parameter))
        return name

    def check_still_trained(self, number: int) -> None:
        """Raises Error if the model no longer has a parameter of this optimizer. Visits all modules."""
        here = {id(parameter) for _, parameter in self.named()} | set(self._masters)
        if not any(id(parameter) in here for parameter in optimizers.parameters_of(self._optimizers[number])):
            raise Error(
                f"optimizer {number} has no parameter of the model any more (the model was replaced, or functional_call "
                "gives it others); call rec.close() before, and parity.record() with another path after it"
            )

    def states(self) -> Iterator[tuple[str, Any]]:
        """(name, tensor) of master weights and of the optimizers' state, such as exp_avg/<parameter>."""
        for optimizer in self._optimizers:
            for parameter in optimizers.parameters_of(optimizer):
                name = self.name_of(parameter)
                if name is None:
                    continue
                if id(parameter) in self._masters:
                    yield f"master/{name}", parameter
                for key, value in optimizers.state_of(optimizer, parameter):
                    yield f"{key}/{name}", value
