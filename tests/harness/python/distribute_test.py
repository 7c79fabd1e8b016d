# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m parity distribute`: folders of torch.distributed.checkpoint, loaded by PyTorch whole and over two ranks.

Usage: distribute_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest
import warnings

import recorded  # noqa: F401  (the package's path)
from on_ranks import RanksTest

import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.tensor import Shard, distribute_tensor

from parity.checkpoints import distribute
from parity.checkpoints.command import COMMAND

warnings.simplefilter("ignore")


def state():
    """Tensors of every kind that files have. Five rows do not divide by two ranks."""
    torch.manual_seed(1)
    return {"layers.0.weight": torch.randn(5, 3), "bias": torch.randn(7).bfloat16(), "step": torch.tensor(3),
            "empty": torch.empty(0, 4), "one": torch.randn(1, 2, dtype=torch.float64), "half": torch.randn(2, 2).half(),
            "odd": torch.tensor([float("nan"), -0.0, float("inf")]), "bytes": torch.arange(3, dtype=torch.uint8),
            "float8": torch.randn(4, 4).to(torch.float8_e4m3fn)}


def bits(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8).tolist()


def shard_of(tensor, mesh):
    """This rank's rows, without a message: Gloo does not scatter every dtype."""
    return distribute_tensor(tensor, mesh["dp"], [Shard(0)], src_data_rank=None)


def loaded(folder, names):
    """PyTorch's own reading of a folder, into tensors of zeros."""
    place = {name: torch.zeros_like(tensor) for name, tensor in names.items()}
    dcp.load(place, checkpoint_id=folder, no_dist=True)
    return place


class DistributeTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        torch.save(state(), self.path("a.pt"))
        self.assertEqual(COMMAND.run([self.path("a.pt"), "-o", self.path("a.safetensors")]), 0)

    def path(self, name):
        return str(self.folder / name)

    def expect_whole(self, folder):
        found = loaded(self.path(folder), state())
        for name, tensor in state().items():
            self.assertEqual(bits(found[name]), bits(tensor), name)

    def refused(self, path, sentence, output="out", code=2):
        with contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertEqual(distribute.run([self.path(path), "-o", self.path(output)]), code)
        self.assertIn(sentence, told.getvalue())
        self.assertFalse([file for file in self.folder.iterdir() if ".part" in file.name], "a part stayed")

    def test_pytorch_loads_each_format_whole(self):
        header = {"weight_map": {name: "a.safetensors" for name in state()}}
        (self.folder / "a.safetensors.index.json").write_text(json.dumps(header))
        for number, name in enumerate(["a.pt", "a.safetensors", "a.safetensors.index.json", "0"]):
            self.assertEqual(distribute.run([self.path(name), "-o", self.path(str(number))]), 0)
            self.expect_whole(str(number))
        self.assertEqual(COMMAND.run([self.path("0"), "-o", self.path("b.safetensors")]), 0)

    def test_other_folders_and_files_stay(self):
        (self.folder / "full").mkdir()
        (self.folder / "full/notes").write_text("mine")
        (self.folder / "empty").mkdir()
        self.refused("a.pt", "it is not empty", "full")
        self.refused("a.pt", "it is a file", "a.safetensors")
        self.assertEqual(distribute.run([self.path("a.pt"), "-o", self.path("empty")]), 0)
        self.expect_whole("empty")

    def test_damaged_files_are_refused(self):
        whole = (self.folder / "a.safetensors").read_bytes()
        length = 8 + int.from_bytes(whole[:8], "little")

        def put(name, data):
            (self.folder / f"{name}.safetensors").write_bytes(data)

        header = whole[8:length].decode()
        put("cut", whole[:-1])
        put("head", whole[:7])
        put("long", b"\xff" * 8 + whole[8:])
        put("type", whole[:8] + header.replace('"F16"', '"F99"').encode() + whole[length:])
        put("hole", whole[:8] + header.replace('"shape": [5, 3]', '"shape": [5, 2]').encode() + whole[length:])
        put("none", (2).to_bytes(8, "little") + b"{}")
        (self.folder / "x.safetensors.index.json").write_text('{"weight_map": {"other": "a.safetensors"}}')
        self.refused("cut.safetensors", "its tensors end at")
        self.refused("head.safetensors", "it is cut short")
        self.refused("long.safetensors", "it is cut short, or no safetensors file")
        self.refused("type.safetensors", "its dtype F99 is unknown")
        self.refused("hole.safetensors", "a tensor of [5, 2] has 60 bytes in place of 40")
        self.refused("none.safetensors", "it has no tensors", code=3)
        self.refused("x.safetensors.index.json", "a.safetensors has no 'other', which it lists")
        self.refused("missing.pt", "it does not exist", code=3)

    def test_check_writes_nothing(self):
        self.assertEqual(distribute.run([self.path("a.pt"), "-o", self.path("out"), "--check"]), 0)
        self.assertFalse((self.folder / "out").exists())


class ShardsTest(RanksTest):
    def test_two_ranks_write_and_load_shards(self):
        """Written by one process and by two; each rank then loads its rows of both, into sharded tensors."""
        torch.save(state(), self.folder / "a.pt")
        for ranks in ("1", "2"):
            words = [str(self.folder / "a.pt"), "-o", str(self.folder / ranks), "--ranks", ranks]
            self.assertEqual(distribute.run(words), 0)
        self.assertTrue((self.folder / "2/__1_0.distcp").is_file(), "the second rank wrote nothing")
        found = loaded(str(self.folder / "2"), state())
        for name, tensor in state().items():
            self.assertEqual(bits(found[name]), bits(tensor), name)
        self.on_ranks((2, 1), self.load_shards)

    def load_shards(self, mesh):
        rows = {name: tensor for name, tensor in state().items() if tensor.dim() > 0}
        for folder in ("1", "2"):
            place = {name: shard_of(torch.zeros_like(tensor), mesh) for name, tensor in rows.items()}
            dcp.load(place, checkpoint_id=str(self.folder / folder))
            for name, tensor in rows.items():
                self.assertEqual(bits(place[name].to_local()), bits(shard_of(tensor, mesh).to_local()), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
