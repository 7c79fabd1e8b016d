# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The record of what a token file was made from: PREFIX.json."""

from __future__ import annotations

import hashlib
import json
import pathlib
from typing import Any

SCHEMA = "parity.tokens/1"


def digest(path: pathlib.Path) -> str:
    """The SHA-256 of a file."""
    sha = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            sha.update(block)
    return sha.hexdigest()


def outputs(prefix: pathlib.Path) -> dict[str, pathlib.Path]:
    """The files of a prefix, by their ending."""
    return {end: prefix.with_name(f"{prefix.name}.{end}") for end in ("bin", "idx", "json")}


def is_current(prefix: pathlib.Path, made_from: dict[str, Any]) -> bool:
    """Whether the token files are there, unchanged, and made from the same inputs by the same rules."""
    files = outputs(prefix)
    try:
        known = json.loads(files["json"].read_text("utf-8"))
        return (
            known["schema"] == SCHEMA
            and known["made_from"] == made_from
            and all(known["files"][end] == digest(files[end]) for end in ("bin", "idx"))
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def write(prefix: pathlib.Path, made_from: dict[str, Any], counts: dict[str, int]) -> None:
    """Writes the record, after the files that it describes."""
    files = outputs(prefix)
    digests = {end: digest(files[end]) for end in ("bin", "idx")}
    record = {"schema": SCHEMA, "made_from": made_from, "files": digests, **counts}
    files["json"].write_text(json.dumps(record, indent=1) + "\n", "utf-8")
