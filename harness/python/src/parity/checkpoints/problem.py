# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Errors that a user can fix."""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Callable


class Problem(Exception):
    """A sentence "cannot DO OBJECT (CAUSE); HINT", and the exit code of the program."""

    def __init__(self, sentence: str, code: int = 2) -> None:
        super().__init__(sentence)
        self.code = code


def one_line(text: object, most: int = 300) -> str:
    """A text of someone else on one line, without control characters."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(str(text).split()))
    return line if len(line) <= most else line[:most] + "..."


def exit_code(path: pathlib.Path, convert: Callable[[], None]) -> int:
    """Runs a conversion of this path. Returns the exit code of the program, and prints the sentence of an error."""
    try:
        convert()
    except Problem as problem:
        print(f"parity: {problem}", file=sys.stderr)
        return problem.code
    except (OSError, MemoryError) as error:
        print(f"parity: cannot read {path} ({one_line(error) or 'out of memory'})", file=sys.stderr)
        return 2
    return 0
