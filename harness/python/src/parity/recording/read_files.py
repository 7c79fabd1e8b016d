# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The data files that a run reads and writes, by which `parity run` knows whether a stored run is stale."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable
from typing import Any

from .sources import is_installed

SYSTEM = ("/proc/", "/sys/", "/dev/", "/usr/lib", "/usr/share/", "/usr/local/lib/", "/lib/", "/lib64/")

_EVENTS = ("open", "os.listdir", "os.scandir")
_MOST = 100_000  # files that a process lists; with more, its run never answers from the cache
_FINDERS = ("importlib", "pkgutil", "pkg_resources")  # they list folders to look for modules


class ReadFiles:
    """Lists each file when Python first opens it, also in forked workers, as lines of JSON: `["r", path]`,
    `["w", path]` of a file opened for writing, `["d", path]` of a folder whose names the program asked for, and
    `["more", ""]` where the list ends too early."""

    def __init__(self, place: str) -> None:
        self.begin(place)

    def begin(self, place: str) -> None:
        """Forgets what another run opened, and lists beside `place`."""
        self._place = place  # each process appends to a file beside it
        self._run = os.path.dirname(os.path.realpath(place)) + os.sep  # parity's own files of this run
        self._seen: set[tuple[str, str]] = set()

    def on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Hears Python's audit events (PEP 578). An error here would end the program's own call."""
        if event not in _EVENTS or not isinstance(path := arguments[0] or ".", (str, bytes, os.PathLike)):
            return
        with contextlib.suppress(OSError, ValueError):  # where no list can be written, no trace can
            if event == "open":
                flags = arguments[2] if isinstance(arguments[2], int) else 0
                self.add("w" if flags & os.O_ACCMODE else "r", os.fsdecode(path))
                return
            caller = sys._getframe(1).f_code.co_filename
            if not any(name in caller for name in _FINDERS):
                self.add("d", os.fsdecode(path))

    def add(self, way: str, path: str) -> None:
        """Lists a file unless it is listed, parity's own, the system's, or of an installed package."""
        if (way, path) in self._seen or len(self._seen) > _MOST:
            return
        self._seen.add((way, path))
        if len(self._seen) > _MOST:
            self._write("more", "")
            return
        real = os.path.realpath(path)
        if real.startswith((*SYSTEM, self._run)) or real.endswith(".pyc") or is_installed(real) or _is_ours(real):
            return
        self._write(way, os.path.abspath(path))  # a link that leads elsewhere tomorrow is a change

    def _write(self, way: str, path: str) -> None:
        own = f"{self._place}.{os.environ.get('RANK', '0')}.{os.getpid()}.read"
        with open(own, "a", encoding="utf-8") as lines:
            lines.write(json.dumps([way, path]) + "\n")

    def add_mapped(self, maps: Iterable[str]) -> None:
        """Lists the files that lines of /proc/self/maps name: libraries such as safetensors' map theirs unseen."""
        for line in maps:
            fields = line.rstrip("\n").split(maxsplit=5)
            if len(fields) == 6 and fields[5].startswith("/") and not fields[5].endswith(" (deleted)"):
                self.add("r", fields[5])


def _is_ours(path: str) -> bool:
    """Whether it is a library of this package, or one that the package builds under the hash of its sources."""
    name = os.path.basename(path)
    return name.startswith("libparity-") or name == "parity_exact.so"


FILES: ReadFiles | None = None


def begin() -> None:
    """Lists files from now on beside PARITY_SOURCES; does nothing without it. A forked process may call it again."""
    global FILES
    place = os.environ.get("PARITY_SOURCES")
    if not place:
        return
    if FILES is None:
        FILES = ReadFiles(place)
        sys.addaudithook(FILES.on_event)
    else:
        FILES.begin(place)


def list_mapped_files() -> None:
    """Lists what this process has mapped now; does nothing without PARITY_SOURCES."""
    if FILES is None:
        return
    with open("/proc/self/maps", encoding="utf-8") as maps:
        FILES.add_mapped(maps)
