# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What a reader should know of the entries of a checkpoint."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..conversion import one_line


@dataclass
class Remarks:
    """Names of entries that are not written as they are."""

    left_out: list[str] = field(default_factory=list)  # neither tensors nor numbers
    long_integers: list[str] = field(default_factory=list)  # beyond int64, written as words of 64 bits
    quantized: list[str] = field(default_factory=list)  # written as integers, scale and zero point

    def facts(self) -> dict[str, str]:
        """The names as texts, for the metadata of a safetensors file."""
        lists = {"left_out": self.left_out, "long_integers": self.long_integers, "quantized": self.quantized}
        return {key: one_line(", ".join(names), 400) for key, names in lists.items() if names}
