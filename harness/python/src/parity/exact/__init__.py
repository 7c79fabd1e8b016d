# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The exact twin: do two programs in PyTorch compute the same function? Without a tolerance.

import parity.exact as exact
verdict = exact.same(f, g, {"x": x, "w": w})    # outputs, and gradients of all inputs
assert verdict, str(verdict)

with exact.twin():                              # a whole training loop
    exact.draw(model)
    train(model)
    residues = exact.residues_of(model.weight)
"""

from __future__ import annotations

from .library import Unavailable
from .same import same
from .twin import Refused, constant, draw, residues_of, twin
from .verdict import Finding, Verdict

__all__ = ["Finding", "Refused", "Unavailable", "Verdict", "constant", "draw", "residues_of", "same", "twin"]
