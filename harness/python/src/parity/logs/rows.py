# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of numbers, and the file that receives them."""

from __future__ import annotations

import itertools
import json
import pathlib
import tempfile
from collections.abc import Iterator
from typing import Any

from ..conversion import Problem, one_line

MOST_BYTES = 1 << 30


class Rows:
    """JSON lines in a file without a name, until all of them are known to be good."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.notes: list[str] = []
        self.left_out: set[str] = set()  # names whose values are not numbers over steps
        self._bytes = self._count = 0
        self._deleted: list[tuple[int, int]] = []  # count of rows before a deletion, and the step from which on
        self._lines = tempfile.TemporaryFile("w+")

    def add(self, row: dict[str, Any]) -> None:
        self._bytes += self._lines.write(json.dumps(row) + "\n")
        self._count += 1
        if self._bytes > MOST_BYTES:
            raise Problem(f"cannot read {self.path} (more than 1 GiB of numbers); log fewer of them")

    def delete_from(self, step: int) -> None:
        """Deletes the rows so far whose key "step" is this step or a later one."""
        self._deleted.append((self._count, step))

    def _kept(self) -> Iterator[str]:
        lines = iter(self._lines)
        done = 0
        for i, (count, _) in enumerate(self._deleted):
            limit = min(step for _, step in self._deleted[i:])
            yield from (line for line in itertools.islice(lines, count - done) if json.loads(line)["step"] < limit)
            done = count
        yield from lines

    def write(self, output: pathlib.Path, form: str) -> None:
        """Writes what the log was and what was left out, then the rows. Raises Problem if there are none."""
        if self._bytes == 0:
            raise Problem(f"cannot read {self.path} ({form} without a number at any step); give the log of a training")
        if self.left_out:
            names = one_line(", ".join(sorted(self.left_out)), 400)
            self.notes.append(f"left out, because they are not numbers over steps: {names}")
        self._lines.seek(0)
        with self._lines, output.open("w") as file:
            file.write(json.dumps({"format": form, "notes": self.notes}) + "\n")
            file.writelines(self._kept())
