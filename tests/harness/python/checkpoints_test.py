# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`parity compare` on files of torch.save and folders of torch.distributed.checkpoint, good and hostile.

Usage: checkpoints_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import collections
import contextlib
import io
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings

from on_ranks import RanksTest, numbers
from recorded import ENVIRONMENT, WARM

import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.metadata import (BytesStorageMetadata, ChunkStorageMetadata, Metadata, MetadataIndex,
                                                   TensorProperties, TensorStorageMetadata)
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.tensor import Shard, distribute_tensor

from parity.checkpoints import distributed
from parity.checkpoints.command import COMMAND
from parity.checkpoints.flatten import flatten
from parity.checkpoints.remarks import Remarks

PARITY = sys.argv[2]
warnings.simplefilter("ignore")


class Evil:
    """Its pickle runs a program."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


class Training:
    """A model and its optimizer after some updates."""

    def __init__(self, updates):
        torch.manual_seed(1)
        self.model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Linear(16, 4))
        self.optimizer = torch.optim.AdamW(self.model.named_parameters())
        for _ in range(updates):
            self.model(torch.randn(4, 8)).square().sum().backward()
            self.optimizer.step()
            self.optimizer.zero_grad()

    def save(self, path):
        torch.save({"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}, path)

    def save_distributed(self, path):
        model, optimizer = get_state_dict(self.model, self.optimizer)
        dcp.save({"model": model, "optimizer": optimizer}, checkpoint_id=path, no_dist=True)


class CheckpointsTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def path(self, name):
        return str(self.folder / name)

    def compare(self, one, other, *words):
        environment = ENVIRONMENT | {"PARITY_PYTHON": WARM, "TMPDIR": str(self.temporary)}
        done = subprocess.run([PARITY, "compare", self.path(one), self.path(other), *words], capture_output=True, text=True,
                              env=environment)
        self.assertEqual(list(self.temporary.iterdir()), [], "a temporary file stayed")
        return done

    def refused(self, name, *sentences):
        """The file gets a sentence, nothing is written, and none of its code runs."""
        output = self.temporary / "converted"
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(COMMAND.run([self.path(name), "-o", str(output)]), 2)
        for sentence in sentences:
            self.assertIn(sentence, said.getvalue())
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertFalse((self.folder / "ran").exists())

    def test_two_formats_of_one_training_agree(self):
        training = Training(3)
        training.save(self.path("a.pt"))
        training.save_distributed(self.path("b"))
        done = self.compare("a.pt", "b")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("a.pt: torch.save, ", done.stdout)
        self.assertIn("b: torch.distributed.checkpoint, ", done.stdout)
        found = json.loads(self.compare("a.pt", "b", "--json").stdout)
        names = [tensor["expected"][0] for tensor in found["tensors"]]
        self.assertIn("optimizer.state.0.weight.exp_avg", names)

    def test_updates_apart_are_counted(self):
        Training(3).save(self.path("a.pt"))
        Training(8).save(self.path("b.pt"))
        done = self.compare("a.pt", "b.pt")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("all 4 step counters are 5 updates further in the second checkpoint", done.stdout)
        self.assertEqual(json.loads(self.compare("b.pt", "a.pt", "--json").stdout)["steps"]["least"], -5)

    def groups(self, name, *groups, names=True):
        """Saves the optimizer of four parameters in these groups, of which the first has a decay, in three formats."""
        torch.manual_seed(2)
        model = torch.nn.ParameterDict({key: torch.nn.Parameter(torch.randn(8)) for key in "abcd"})
        every = dict(model.named_parameters())
        optimizer = torch.optim.AdamW([{"params": [(key, every[key]) if names else every[key] for key in group],
                                        "weight_decay": 0.0 if i else 0.1} for i, group in enumerate(groups)])
        for parameter in model.parameters():
            parameter.grad = torch.full((8,), 0.5)
        optimizer.step()
        torch.save(optimizer.state_dict(), self.path(f"{name}.pt"))
        state = get_state_dict(model, optimizer)[1]
        torch.save({"optimizer": state}, self.path(f"{name}.full.pt"))
        dcp.save({"optimizer": state}, checkpoint_id=self.path(f"{name}.dcp"), no_dist=True)

    def test_groups_of_named_parameters_count(self):
        self.groups("first", "abc", "d")
        self.groups("moved", "ab", "cd")
        self.groups("order", "cab", "d")
        for kind in (".pt", ".full.pt", ".dcp"):
            done = self.compare("first" + kind, "order" + kind)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            done = self.compare("first" + kind, "moved" + kind)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("optimizer.state.c.param_group: 0 against 1", done.stdout)
            self.assertIn("different: 1 of ", done.stdout)
        for kind in (".full.pt", ".dcp"):
            done = self.compare("first.pt", "order" + kind)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_groups_of_numbered_parameters_count(self):
        self.groups("first", "abc", "d", names=False)
        self.groups("moved", "ab", "cd", names=False)
        self.assertEqual(self.compare("first.pt", "first.pt").returncode, 0)
        done = self.compare("first.pt", "moved.pt")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("optimizer.param_groups.0.params", done.stdout)
        state = torch.load(self.path("first.pt"))
        state["param_groups"][0]["params"] = [1, 0, 2]  # PyTorch gives the states to other parameters
        torch.save(state, self.path("swapped.pt"))
        done = self.compare("first.pt", "swapped.pt")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("optimizer.param_groups.0.params[0]: 0 against 1", done.stdout)

    def test_parameter_without_state_has_a_group(self):
        for name, groups in (("a", ([0, 1], [2])), ("b", ([0], [1, 2]))):
            settings = [{"lr": 0.1, "params": one, "param_names": [f"p{i}" for i in one]} for one in groups]
            torch.save({"state": {}, "param_groups": settings}, self.path(f"{name}.pt"))
        self.assertIn("optimizer.state.p1.param_group", self.compare("a.pt", "b.pt").stdout)
        for bad in ([[0]], [{}], [torch.ones(2)], "ab", None, [2**70], [-1]):  # no list of numbers
            settings = [{"lr": 0.1, "params": bad, "param_names": ["p"]}, 7]
            flatten({"state": {}, "param_groups": settings}, Remarks())  # raises nothing

    def test_one_element_is_found(self):
        training = Training(1)
        training.save(self.path("a.pt"))
        with torch.no_grad():
            training.model[0].weight[3, 5] += 1
        training.save(self.path("b.pt"))
        done = self.compare("a.pt", "b.pt")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("model.0.weight[3, 5]", done.stdout)
        self.assertIn("different: 1 of ", done.stdout)

    def test_other_layouts_in_memory_keep_values(self):
        weight = torch.randn(6, 4)
        torch.save({"a": weight, "h": weight.bfloat16()}, self.path("a.pt"))
        torch.save({"a": weight.T.contiguous().T, "h": weight.bfloat16()}, self.path("b.pt"))
        torch.save({"a": weight, "h": weight.bfloat16()}, self.path("old.pt"), _use_new_zipfile_serialization=False)
        for name in ("b.pt", "old.pt"):
            self.assertEqual(self.compare("a.pt", name).returncode, 0, name)

    def test_sharded_file_is_read_by_its_index(self):
        torch.save({"a": torch.ones(3)}, self.path("one.bin"))
        torch.save({"b": torch.zeros(3)}, self.path("two.bin"))
        index = self.folder / "pytorch_model.bin.index.json"
        index.write_text(json.dumps({"weight_map": {"a": "one.bin", "b": "two.bin"}}))
        torch.save({"a": torch.ones(3), "b": torch.zeros(3)}, self.path("both.pt"))
        self.assertEqual(self.compare("both.pt", "").returncode, 0)
        index.write_text(json.dumps({"weight_map": {"a": "one.bin", "b": "two.bin", "c": "two.bin"}}))
        self.refused("pytorch_model.bin.index.json", "two.bin has no 'c', which it lists")
        index.write_text(json.dumps({"weight_map": {}}))
        self.refused("pytorch_model.bin.index.json", "it lists nothing")
        index.write_text(json.dumps({"weight_map": {"a": "../one.bin"}}))
        self.refused("pytorch_model.bin.index.json", "is not the name of a file next to it")

    def test_code_in_a_pickle_is_refused(self):
        torch.save({"a": torch.ones(2), "b": Evil(self.folder / "ran")}, self.path("evil.pt"))
        self.refused("evil.pt", "its pickle wants posix.system, which could run code")
        done = self.compare("evil.pt", "evil.pt")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("its pickle wants posix.system, which could run code", done.stderr)
        self.assertFalse((self.folder / "ran").exists())

    def test_paths_of_python_3_13_are_read(self):
        """Python 3.13 pickles paths by another module than the versions before and after."""
        pickled = b"\x80\x04\x8c\x0epathlib._local\x94\x8c\tPosixPath\x94\x93\x94."
        self.assertIs(distributed._Unpickler(io.BytesIO(pickled)).load(), pathlib.PosixPath)
        with self.assertRaisesRegex(pickle.UnpicklingError, "pathlib.os, which could run code"):
            distributed._Unpickler(io.BytesIO(b"\x80\x04\x8c\x0epathlib._local\x8c\x02os\x93.")).load()

    def test_claims_beyond_the_file_are_refused(self):
        torch.save({"a": torch.ones(1).expand(10**12)}, self.path("bomb.pt"))
        self.refused("bomb.pt", "takes more than its 4 bytes")
        torch.save({str(i): value for i, value in enumerate([torch.ones(1000)] * 1000)}, self.path("many.pt"))
        self.refused("many.pt", "more than 8 times the bytes of the file")
        deep = value = {}
        for _ in range(200):
            value["x"] = value = {}
        torch.save({"deep": deep, "a": torch.ones(2)}, self.path("deep.pt"))
        self.refused("deep.pt", "nests more than 100 levels")

    def test_damaged_files_are_refused(self):
        Training(1).save(self.path("a.pt"))
        whole = (self.folder / "a.pt").read_bytes()
        for size in (8, 1000, len(whole) // 2, len(whole) - 10):
            (self.folder / "cut.pt").write_bytes(whole[:size])
            self.refused("cut.pt", "cannot read")
        torch.save([torch.ones(2)], self.path("list.pt"))
        self.refused("list.pt", "a checkpoint is a dictionary of tensors")
        torch.save({"a": torch.ones(2).to_sparse()}, self.path("sparse.pt"))
        self.refused("sparse.pt", "is not a plain tensor")
        torch.save(collections.OrderedDict(), self.path("empty.pt"))
        self.assertEqual(self.compare("empty.pt", "a.pt").returncode, 3)

    def test_hostile_metadata_are_refused(self):
        Training(1).save_distributed(self.path("a"))
        place = self.folder / "a/.metadata"
        good = place.read_bytes()
        place.write_bytes(pickle.dumps(Evil(self.folder / "ran")))
        self.refused("a", "posix.system, which could run code")
        place.write_bytes(good[: len(good) // 2])
        self.refused("a", "cannot read")
        metadata = pickle.loads(good)
        name = "model.0.weight"
        size = torch.Size([10**6, 10**6])
        metadata.state_dict_metadata[name] = TensorStorageMetadata(TensorProperties(torch.float32), size,
                                                                   [ChunkStorageMetadata(torch.Size([0, 0]), size)])
        place.write_bytes(pickle.dumps(metadata))
        self.refused("a", "its tensors claim 4000000")
        rows, columns = pickle.loads(good).state_dict_metadata[name].size
        for first, count, words in ((0, rows // 2, "64 of 128 elements are in no file"), (1, rows, "its chunks overlap or leave it")):
            chunk = ChunkStorageMetadata(torch.Size([first, 0]), torch.Size([count, columns]))
            metadata.state_dict_metadata[name] = TensorStorageMetadata(TensorProperties(torch.float32),
                                                                       torch.Size([rows, columns]), [chunk])
            place.write_bytes(pickle.dumps(metadata))
            self.refused("a", words)
        metadata = pickle.loads(good)
        next(iter(metadata.storage_data.values())).relative_path = "../../etc/passwd"
        place.write_bytes(pickle.dumps(metadata))
        self.refused("a", "is not the name of a file in the folder")

    def test_code_in_an_entry_is_refused(self):
        dcp.save({"model": {"a": torch.ones(3)}, "note": {"k": 1.5}}, checkpoint_id=self.path("a"), no_dist=True)
        metadata = pickle.loads((self.folder / "a/.metadata").read_bytes())
        self.assertIsInstance(metadata, Metadata)
        name = next(name for name, one in metadata.state_dict_metadata.items() if isinstance(one, BytesStorageMetadata))
        info = metadata.storage_data[MetadataIndex(name)]
        stream = io.BytesIO()
        torch.save(Evil(self.folder / "ran"), stream)
        (self.folder / "a/evil").write_bytes(stream.getvalue())
        info.relative_path, info.offset, info.length = "evil", 0, len(stream.getvalue())
        (self.folder / "a/.metadata").write_bytes(pickle.dumps(metadata))
        self.refused("a", "cannot read 'note")


class ShardsTest(RanksTest):
    def test_shards_of_ranks_are_one_tensor(self):
        os.environ["PARITY_PYTHON"] = str(WARM)
        whole = {"rows": numbers(6, 4), "columns": numbers(5, 8)}

        def save(mesh):
            shards = {name: distribute_tensor(value, mesh, [Shard(0), Shard(1)]) for name, value in whole.items()}
            dcp.save({"model": shards}, checkpoint_id=str(self.folder / "sharded"))

        self.on_ranks((2, 2), save)
        self.assertGreater(len(list((self.folder / "sharded").glob("*.distcp"))), 2)
        torch.save({"model": whole}, self.folder / "whole.pt")
        self.assertIn("identical: 2 tensors bit for bit", self.parity("compare", "whole.pt", "sharded"))
        whole["columns"][4, 7] += 1
        torch.save({"model": whole}, self.folder / "whole.pt")
        self.assertIn("model.columns[4, 7]", self.parity("compare", "whole.pt", "sharded", status=1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
