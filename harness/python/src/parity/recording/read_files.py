# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The data files that a run reads and writes, by which `parity run` knows whether a stored run is stale."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterable
from typing import Any

from .sources import is_installed

SYSTEM = ("/proc/", "/sys/", "/dev/", "/usr/lib", "/usr/share/", "/usr/local/lib/", "/lib/", "/lib64/")

_SHARED = "/dev/shm/"  # a folder of files like any other, but libraries map unnamed memory there
_FOLDERS = ("os.listdir", "os.scandir")
_COMMANDS = ("subprocess.Popen", "os.system")
_EVENTS = ("open", "sqlite3.connect", *_FOLDERS, *_COMMANDS)
_BETWEEN_WORDS = re.compile(r"""[\s<>|;&()='"`]+""")
_MOST = 100_000  # files that a process lists; with more, its run never answers from the cache
# Packages that open files in C, unseen by Python. safetensors' and NumPy's maps are listed at the end.
_UNSEEN = ("cv2", "duckdb", "h5py", "lmdb", "netCDF4", "polars", "pyarrow", "sentencepiece", "soundfile", "tables", "tokenizers")
_FINDERS = ("importlib", "pkgutil", "pkg_resources")  # they list folders to look for modules


class ReadFiles:
    """Lists each file when Python first opens it, also in forked workers, as lines of JSON: `["r", path]`,
    `["w", path]` of a file opened for writing, `["rw", path]` for both, `["d", path]` of a folder whose names the
    program asked for, `["m", path]` of one in which it looked for modules, `["c", name]` of a package whose files
    Python does not see, and `["more", ""]` where the list ends too early."""

    def __init__(self, place: str) -> None:
        self.begin(place)

    def begin(self, place: str) -> None:
        """Forgets what another run opened, and lists beside `place`."""
        self._place = place  # each process appends to a file beside it
        self._run = os.path.dirname(os.path.realpath(place)) + os.sep  # parity's own files of this run
        self._seen: set[tuple[str, str]] = set()

    def on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Hears Python's audit events (PEP 578). An error here would end the program's own call."""
        if event not in _EVENTS:
            return
        with contextlib.suppress(OSError, ValueError):  # where no list can be written, no trace can
            if event in _COMMANDS:
                self._add_words(*(arguments[1:3] if event == "subprocess.Popen" else (arguments[0], None)))
                return
            if not isinstance(path := arguments[0] or ".", (str, bytes, os.PathLike)):
                return
            if event not in _FOLDERS:
                way = _way_of(arguments[2]) if event == "open" else "rw"
                self.add(way, os.fsdecode(path), shared=True)
                return
            caller = sys._getframe(1).f_code.co_filename
            self.add("m" if any(name in caller for name in _FINDERS) else "d", os.fsdecode(path))

    def _add_words(self, words: Any, folder: Any) -> None:
        """Lists the files that a command names, also within a line of a shell. What else it reads is not seen."""
        texts = [words] if isinstance(words, (str, bytes)) else words
        names = {os.fsdecode(text) for text in texts if isinstance(text, (str, bytes, os.PathLike))}
        for name in names.union(*(_BETWEEN_WORDS.split(name) for name in names)):
            path = os.path.join(os.fsdecode(folder or "."), name)
            if os.path.isfile(path):
                self.add("r", path, shared=True)

    def add(self, way: str, path: str, *, shared: bool = False) -> None:
        """Lists a file unless it is listed, parity's own, the system's, or of an installed package. shared: whether
        files of shared memory count."""
        if (way, path) in self._seen or len(self._seen) > _MOST:
            return
        self._seen.add((way, path))
        if len(self._seen) > _MOST:
            self._write("more", "")
            return
        real = os.path.realpath(path)
        system = real.startswith((*SYSTEM, self._run)) and not (shared and real.startswith(_SHARED))
        inside = os.path.join(real, "") if way == "m" else real
        if system or real.endswith(".pyc") or is_installed(inside) or _is_ours(real):
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

    def add_import_folders(self) -> None:
        """Lists the folders from which the program can import. Python may have read their names before this list began."""
        for folder in sys.path:
            self.add("m", os.path.abspath(folder))

    def add_unseen(self) -> None:
        """Lists the packages that are loaded and whose files Python does not see."""
        for name in _UNSEEN:
            if name in sys.modules and ("c", name) not in self._seen:
                self._seen.add(("c", name))
                self._write("c", name)


def _way_of(flags: Any) -> str:
    mode = flags & os.O_ACCMODE if isinstance(flags, int) else os.O_RDONLY
    if mode == os.O_RDONLY:
        return "r"
    return "rw" if mode == os.O_RDWR and not flags & os.O_TRUNC else "w"


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
    FILES.add_import_folders()
    FILES.add_unseen()
