# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Warnings that name the line of the user's program."""

from __future__ import annotations

import pathlib
import sys
import warnings

PACKAGE = str(pathlib.Path(__file__).parents[1])


def warn(text: str) -> None:
    """Warns at the innermost line that is neither ours nor PyTorch's. At the end of the program there is none."""
    place = _place_of_user() or ("parity", 1)
    try:
        warnings.warn_explicit("parity: " + text, RuntimeWarning, *place)
    except Warning as raised:  # the program turns warnings into errors
        print(raised, file=sys.stderr)


class WarnOnce:
    """Warns of each thing once."""

    def __init__(self) -> None:
        self._warned: set[str] = set()

    def __call__(self, about: str, text: str) -> None:
        if about not in self._warned:
            self._warned.add(about)
            warn(text)


def user_line() -> str:
    """The innermost line that is neither ours nor PyTorch's, as "train.py:12"."""
    place = _place_of_user()
    return f"{pathlib.Path(place[0]).name}:{place[1]}" if place else "no line of the script"


def _place_of_user() -> tuple[str, int] | None:
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_library(frame.f_code.co_filename):
        frame = frame.f_back
    file = frame.f_code.co_filename
    return None if _is_library(file) else (file, frame.f_lineno)


def _is_library(file: str) -> bool:
    return file.startswith(PACKAGE) or "/torch/" in file
