# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m parity distribute PATH -o FOLDER`: a checkpoint as a folder of torch.distributed.checkpoint.

PyTorch's own writer makes the folder. With several ranks each writes its shards, as FSDP does."""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import sys
import tempfile
import warnings
from typing import Any

from ..conversion import Problem, missing_package, one_line, status_of

MOST_RANKS = 64


def run(words: list[str]) -> int:
    """Writes the folder. Returns the exit code, and prints the sentence of an error."""
    options = _parser().parse_args(words)
    folder = pathlib.Path(options.output)

    def work() -> None:
        require_empty(folder)
        _require_pytorch(folder)
        if not options.check:
            distribute(pathlib.Path(options.path), folder, options.ranks)

    return status_of(work, f"cannot write {folder}")


def _parser() -> argparse.ArgumentParser:
    program = "python -m parity distribute"
    parser = argparse.ArgumentParser(
        prog=program,
        description="Writes a checkpoint as a folder of torch.distributed.checkpoint: one entry a tensor.",
        epilog=f"example: {program} model.safetensors -o step-100 --ranks 2",
    )
    parser.add_argument("path", metavar="PATH", help="a safetensors or torch.save file, its index, or such a folder")
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="folder to write; it must be empty")
    parser.add_argument(
        "--ranks", type=_ranks, default=1, metavar="N", help="ranks that each write a shard of dimension 0 (default: 1)"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail if nothing could be written")
    return parser


def _ranks(text: str) -> int:
    number = int(text)
    if not 1 <= number <= MOST_RANKS:
        raise argparse.ArgumentTypeError(f"{number} is not from 1 to {MOST_RANKS}")
    return number


def require_empty(folder: pathlib.Path) -> None:
    """Raises Problem unless a checkpoint can be written there without changing another."""
    if folder.exists() and not folder.is_dir():
        raise Problem(f"cannot write {folder} (it is a file); name a folder")
    if folder.is_dir() and any(folder.iterdir()):
        raise Problem(f"cannot write {folder} (it is not empty); name a new folder, or remove its files")


def _require_pytorch(folder: pathlib.Path) -> None:
    try:
        import torch.distributed.checkpoint  # noqa: F401
    except ImportError:
        raise missing_package(folder, "PyTorch", "and writes this format", "torch") from None


def distribute(path: pathlib.Path, folder: pathlib.Path, ranks: int) -> None:
    """Writes `folder` beside its place and moves it there when it is whole. Raises Problem."""
    if not path.exists():
        raise Problem(f"cannot read {path} (it does not exist); check the path", 3)
    folder.parent.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")  # a process without ranks is what we want
    with tempfile.TemporaryDirectory(prefix=f"{folder.name}.part", dir=folder.parent) as scratch:
        part = pathlib.Path(scratch) / "checkpoint"
        if ranks == 1:
            _save(_state(path), part, alone=True)
        else:
            _save_from_ranks(path, part, ranks)
        if folder.is_dir():
            folder.rmdir()
        os.replace(part, folder)


def _state(path: pathlib.Path) -> dict[str, Any]:
    """Tensors by name. Texts, integers beyond 64 bits and other objects are left out."""
    from . import distributed, safetensors_read, torch_save
    from .remarks import Remarks

    remarks = Remarks()
    if path.is_dir():
        entries = distributed.read(path, remarks)
    else:
        entries = torch_save.read(path, remarks) if _is_pickle(path) else safetensors_read.read(path)
    if remarks.quantized:
        raise Problem(f"cannot read tensor '{one_line(remarks.quantized[0])}' (it is quantised); save it with .dequantize()")
    state: dict[str, Any] = {}
    for entry in entries:
        if entry.name in remarks.long_integers:
            continue
        if entry.name in state:
            raise Problem(f"cannot read tensor '{one_line(entry.name)}' (two entries have this name); rename one")
        state[entry.name] = entry.make().detach()
    if not state:
        raise Problem(f"cannot read {path} (it has no tensors); name a checkpoint", 3)
    if left_out := remarks.left_out + remarks.long_integers:
        print(f"parity: left out of {path}: {one_line(', '.join(left_out))}", file=sys.stderr)
    return state


def _is_pickle(path: pathlib.Path) -> bool:
    """Whether a file is one of torch.save, or an index of such files."""
    if path.name.endswith(".index.json"):
        return not path.name.endswith(".safetensors.index.json")
    with path.open("rb") as file:
        head = file.read(9)
    return head[8:] != b"{" and head.startswith((b"PK", b"\x80"))


def _save(state: dict[str, Any], folder: pathlib.Path, alone: bool) -> None:
    import torch.distributed.checkpoint as dcp

    dcp.save(state, checkpoint_id=str(folder), no_dist=alone)


def _save_from_ranks(path: pathlib.Path, folder: pathlib.Path, ranks: int) -> None:
    import torch.multiprocessing

    _state(path)  # whose complaint one process makes alone
    meeting = folder.with_name("meeting")
    try:
        torch.multiprocessing.spawn(_rank, args=(ranks, path, folder, meeting), nprocs=ranks)
    except Exception as error:  # of a rank
        raise Problem(f"cannot write {folder.parent} ({one_line(str(error).strip().splitlines()[-1])})") from error
    finally:
        shutil.rmtree(meeting, ignore_errors=True)


def _rank(rank: int, ranks: int, path: pathlib.Path, folder: pathlib.Path, meeting: pathlib.Path) -> None:
    """Writes this rank's shards. What has no dimension is the same on all ranks, and one of them writes it."""
    import torch.distributed as dist
    from torch.distributed.tensor import Shard, distribute_tensor, init_device_mesh

    warnings.simplefilter("ignore")
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=ranks)
    mesh = init_device_mesh("cpu", (ranks,))
    state = {
        name: distribute_tensor(tensor, mesh, [Shard(0)], src_data_rank=None) if tensor.dim() else tensor
        for name, tensor in _state(path).items()
    }
    _save(state, folder, alone=False)
    dist.destroy_process_group()
