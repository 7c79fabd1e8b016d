# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Errors that a user can fix."""

from __future__ import annotations


class Problem(Exception):
    """A sentence "cannot DO OBJECT (CAUSE); HINT", and the exit code of the program."""

    def __init__(self, sentence: str, code: int = 2) -> None:
        super().__init__(sentence)
        self.code = code


def one_line(text: object, most: int = 300) -> str:
    """A text of someone else on one line, without control characters."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(str(text).split()))
    return line if len(line) <= most else line[:most] + "..."
