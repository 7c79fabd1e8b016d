# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Rank and number of ranks of this process, and the files of the other ranks."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

# Variables of launchers, rank and number of ranks. An MPI launcher starts its daemons with srun, whose variables the
# ranks inherit. The shell of a Slurm allocation has no step, so it does not count as a rank.
LAUNCHERS = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
]


def rank_and_ranks() -> tuple[int, int]:
    """From torch.distributed if it is initialised, else from RANK and WORLD_SIZE or a launcher's, else 0 of 1."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    if "RANK" not in os.environ and "WORLD_SIZE" not in os.environ:
        for rank, ranks in LAUNCHERS:
            if rank in os.environ and ranks in os.environ:
                return int(os.environ[rank]), int(os.environ[ranks])
    return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))


def wait_for_others(path: str, ranks: int, seconds: float) -> None:
    """Waits until the traces of the other ranks are complete, but not longer than `seconds`."""
    place = Path(path)
    end = time.monotonic() + seconds
    while True:
        files = {rank: place.with_name(f"{place.stem}.rank{rank}{place.suffix}") for rank in range(1, ranks)}
        missing = [rank for rank, file in files.items() if not file.exists() or Path(f"{file}.partial").exists()]
        if not missing or time.monotonic() > end:
            return
        time.sleep(0.02)
