# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Megatron's indexed token files: PREFIX.idx and PREFIX.bin, which parity-train and Megatron read."""

from __future__ import annotations

import array
import pathlib
import struct
import sys

MAGIC = b"MMIDIDX\x00\x00"
UINT16, INT32 = 8, 4  # Megatron's codes of types
UINT16_VOCABULARY = 65500  # smaller vocabularies get uint16 (Megatron-LM, indexed_dataset.py, DType)


class Writer:
    """Writes documents one after the other, each as one sequence. Memory grows with their number alone."""

    def __init__(self, bin_file: pathlib.Path, vocabulary: int) -> None:
        self.code = UINT16 if vocabulary < UINT16_VOCABULARY else INT32
        self.lengths: list[int] = []
        self.tokens = 0
        self._file = bin_file.open("wb")

    def add(self, tokens: list[int]) -> None:
        numbers = array.array("H" if self.code == UINT16 else "i", tokens)
        if sys.byteorder == "big":
            numbers.byteswap()
        numbers.tofile(self._file)
        self.lengths.append(len(tokens))
        self.tokens += len(tokens)

    def close(self, index_file: pathlib.Path) -> None:
        self._file.close()
        count = len(self.lengths)
        pointers, at = [], 0
        for length in self.lengths:
            pointers.append(at)
            at += length * (2 if self.code == UINT16 else 4)
        with index_file.open("wb") as file:
            file.write(MAGIC + struct.pack("<QBQQ", 1, self.code, count, count + 1))
            file.write(struct.pack(f"<{count}i", *self.lengths))
            file.write(struct.pack(f"<{count}q", *pointers))
            file.write(struct.pack(f"<{count + 1}q", *range(count + 1)))
