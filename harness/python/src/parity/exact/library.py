# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Loads the C++ of reference/exact into this process's PyTorch. The first use compiles it; a cache keeps the result."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

ROOM = "reference/exact"
LEFT_OUT = {"collectives.cpp"}  # follows the collectives of our trainer; those of PyTorch have rules of their own


class Unavailable(RuntimeError):
    """The exact twin cannot be built or loaded here, with the reason."""


@functools.cache
def operators() -> Any:
    """Returns torch.ops.parity_exact, compiled and loaded."""
    import torch

    given = os.environ.get("PARITY_EXACT_LIBRARY")
    torch.ops.load_library(given or str(_compiled()))
    return torch.ops.parity_exact


def sources() -> tuple[pathlib.Path, list[pathlib.Path]]:
    """Returns the folder that the includes begin at, and the sources."""
    here = pathlib.Path(__file__).resolve().parent
    for root in (here.parent / "installed/share/parity/exact", *here.parents):
        found = [path for path in sorted((root / ROOM).rglob("*.cpp")) if path.name not in LEFT_OUT]
        if found:
            return root, found
    raise Unavailable(f"cannot load the exact twin (no sources {ROOM} beside {here}); install the package again")


def _compiled() -> pathlib.Path:
    """Returns the library for these sources, this PyTorch and this compiler."""
    root, files = sources()
    compiler = os.environ.get("CXX", "c++").split()
    key = hashlib.sha256(repr((_command(compiler, root), _version_of(compiler))).encode())
    for file in sorted({*files, *(root / "reference/exact").rglob("*.hpp"), *(root / "harness/base").glob("*.hpp")}):
        key.update(str(file.relative_to(root)).encode() + file.read_bytes())
    library = _cache() / key.hexdigest()[:16] / "parity_exact.so"
    if not library.exists():
        library.parent.mkdir(parents=True, exist_ok=True)
        with _locked(library.with_suffix(".lock")):
            if not library.exists():  # another process may have compiled it meanwhile
                _compile(compiler, root, files, library)
    return library


def _cache() -> pathlib.Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("PARITY_EXACT_CACHE") or f"{base}/parity/exact")


def _version_of(compiler: list[str]) -> str:
    if shutil.which(compiler[0]) is None:
        raise Unavailable(
            f"cannot compile the exact twin (no C++ compiler {compiler[0]}); install g++ 11 or clang 14, or newer, or "
            "set CXX; where there is none, PARITY_EXACT_LIBRARY names a library that was compiled elsewhere"
        )
    done = subprocess.run([*compiler, "--version"], capture_output=True, text=True)
    return done.stdout.partition("\n")[0]


def _command(compiler: list[str], root: pathlib.Path) -> list[str]:
    import torch

    base = pathlib.Path(torch.__file__).parent
    abi = int(torch._C._GLIBCXX_USE_CXX11_ABI)
    return [
        *compiler, "-std=c++20", "-O2", "-fPIC", "-shared", "-w", "-DUSE_DISTRIBUTED",
        f"-D_GLIBCXX_USE_CXX11_ABI={abi}",
        f"-I{root}", "-isystem", f"{base}/include", "-isystem", f"{base}/include/torch/csrc/api/include",
        f"-L{base}/lib", f"-Wl,-rpath,{base}/lib",
        f"-DPARITY_TORCH_VERSION={torch.__version__.partition('+')[0].replace('.', '_')}",
    ]  # fmt: skip


def _compile(compiler: list[str], root: pathlib.Path, files: list[pathlib.Path], library: pathlib.Path) -> None:
    print(f"parity.exact: compiling {library} (once for this version of PyTorch, a minute or two)",
          file=sys.stderr, flush=True)  # fmt: skip
    start = time.monotonic()
    whole, unfinished = library.with_suffix(".cpp"), library.with_suffix(f".{os.getpid()}")
    whole.write_text("".join(f'#include "{file.relative_to(root)}"\n' for file in files))
    command = [*_command(compiler, root), str(whole), "-o", str(unfinished), "-lc10", "-ltorch_cpu", "-ltorch"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        log = library.with_suffix(".log")
        log.write_text(" ".join(command) + "\n" + done.stderr)
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])
        raise Unavailable(f"cannot compile the exact twin ({first.strip()}); the compiler's output is in {log}")
    unfinished.replace(library)
    print(f"parity.exact: compiled in {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _locked(path: pathlib.Path) -> Iterator[None]:
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
