# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that convert files of other programs: `python -m parity NAME PATH -o FILE`."""

from __future__ import annotations

import argparse
import pathlib
import sys
from collections.abc import Callable
from dataclasses import dataclass


class Problem(Exception):
    """A sentence "cannot DO OBJECT (CAUSE); HINT", and the exit code of the program."""

    def __init__(self, sentence: str, code: int = 2) -> None:
        super().__init__(sentence)
        self.code = code


def missing_package(path: pathlib.Path, name: str, reads: str, package: str) -> Problem:
    """What to say where Python lacks the package `package`, called `name`, that reads `reads`."""
    return Problem(
        f"cannot read {path} ({sys.executable} has no {name}, which reads {reads}); "
        f"run: {sys.executable} -m pip install {package}",
        3,
    )


def one_line(text: object, most: int = 300) -> str:
    """A text of someone else on one line, without control characters."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(str(text).split()))
    return line if len(line) <= most else line[:most] + "..."


def status_of(work: Callable[[], None], cannot: str) -> int:
    """Does the work of a command. Returns the exit code of the program, and prints the sentence of an error.

    cannot: how the sentence begins where the system fails, such as "cannot read a.pt".
    """
    try:
        work()
    except Problem as problem:
        print(f"parity: {problem}", file=sys.stderr)
        return problem.code
    except (OSError, MemoryError) as error:
        print(f"parity: {cannot} ({one_line(error) or 'out of memory'})", file=sys.stderr)
        return 2
    return 0


@dataclass(frozen=True)
class Conversion:
    """A command, and what its help says."""

    name: str
    description: str
    example: str
    path: str  # what PATH can be
    output: str  # what it writes
    convert: Callable[[pathlib.Path, pathlib.Path], None]  # raises Problem

    def run(self, words: list[str]) -> int:
        """Converts. Returns the exit code of the program, and prints the sentence of an error."""
        program = f"python -m parity {self.name}"
        parser = argparse.ArgumentParser(
            prog=program, description=self.description, epilog=f"example: {program} {self.example}"
        )
        parser.add_argument("path", metavar="PATH", help=self.path)
        parser.add_argument("-o", "--output", metavar="FILE", required=True, help=f"{self.output} to write")
        options = parser.parse_args(words)
        path = pathlib.Path(options.path)

        def work() -> None:
            if not path.exists():
                raise Problem(f"cannot read {path} (it does not exist); check the path", 3)
            self.convert(path, pathlib.Path(options.output))

        return status_of(work, f"cannot read {path}")
