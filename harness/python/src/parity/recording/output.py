# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The trace file that `python -m parity record` leaves."""

from __future__ import annotations

from pathlib import Path

from .ranks import rank_and_ranks


class Output:
    """The trace of this rank: run.h5 of rank 0, run.rank<k>.h5 of rank k, and run.h5.partial until it is complete."""

    def __init__(self, path: str) -> None:
        """Removes the trace of an earlier run, which a reader would mistake for this one if the script records nothing.

        path: where rank 0 writes its trace."""
        place, (rank, _) = Path(path), rank_and_ranks()
        own = place.with_name(f"{place.stem}.rank{rank}{place.suffix}") if rank else place
        self._files = (own, Path(f"{own}.partial"))
        for file in self._files:
            file.unlink(missing_ok=True)

    def exists(self) -> bool:
        """Whether this process, or one that it started, has written a trace."""
        return any(file.exists() for file in self._files)
