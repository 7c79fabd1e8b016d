# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Where the program parity is."""

from __future__ import annotations

import os
import pathlib
import shutil


def build_folders() -> list[pathlib.Path]:
    """The build folders of the source tree that this package lies in, `release` first. Empty for an installed one."""
    package = pathlib.Path(__file__).resolve().parents[1]
    if package.parts[-4:-1] != ("harness", "python", "src"):
        return []
    build = package.parents[3] / "build"
    return sorted((one for one in build.glob("*") if one.is_dir()), key=lambda one: (one.name != "release", one.name))


def program() -> str | None:
    """PARITY_PROGRAM, else the program of the wheel, of the build tree, or of PATH. None: there is none."""
    named = os.environ.get("PARITY_PROGRAM")
    if named:
        return named
    package = pathlib.Path(__file__).resolve().parents[1]
    places = [package / "installed/bin/parity", *(folder / "bin/parity" for folder in build_folders())]
    found = next((place for place in places if place.exists()), None)
    return str(found) if found else shutil.which("parity")
