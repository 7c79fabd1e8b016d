# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the runners of operator cases have in common as programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from ..native import library
from ..recording import read_files
from ..recording.sources import write_sources


def main(run: Callable[[dict[str, Any], str], None]) -> int:
    """Calls run with the arm's config and the folder of the case, and returns the exit status."""
    read_files.begin()
    with open(os.environ["PARITY_CONFIG"], encoding="utf-8") as file:
        config = json.load(file)
    try:
        run(config, sys.argv[1] if len(sys.argv) > 1 else ".")
        write_sources()
        read_files.list_mapped_files()
    except library.Error as problem:
        print(f"parity: {problem}", file=sys.stderr)
        return 2
    return 0
