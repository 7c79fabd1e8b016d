# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The program's own source files that a run has loaded, by which `parity run` knows whether a stored run is stale."""

from __future__ import annotations

import json
import os
import pathlib
import sys
import sysconfig


def write_sources() -> None:
    """Writes their paths as a JSON list, each process to a file beside PARITY_SOURCES; does nothing without it."""
    place = os.environ.get("PARITY_SOURCES")
    if not place:
        return
    own = f"{place}.{os.environ.get('RANK', '0')}.{os.getpid()}"
    temporary = pathlib.Path(f"{own}.partial")
    temporary.write_text(json.dumps(loaded_sources()), encoding="utf-8")
    temporary.replace(f"{own}.json")


def loaded_sources() -> list[str]:
    """Absolute paths of the Python files that this process has loaded, without those of installed packages. Links
    stay, since one that leads elsewhere tomorrow is a change."""
    named = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    found = {os.path.abspath(name) for name in (*named, sys.argv[0]) if isinstance(name, str) and name}
    return sorted(
        path
        for path in found
        if path.endswith(".py") and os.path.isfile(path) and not is_installed(os.path.realpath(path))
    )


def is_installed(path: str) -> bool:
    """Whether the file is of Python itself, of an installed package, or of this one."""
    return path.startswith(_ROOTS) or "/site-packages/" in path or "/dist-packages/" in path


def _roots() -> tuple[str, ...]:
    paths = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    paths |= {str(sysconfig.get_config_var("LIBDIR") or ""), str(pathlib.Path(__file__).parents[1])}
    return tuple(os.path.realpath(path) + os.sep for path in paths if path)


_ROOTS = _roots()
