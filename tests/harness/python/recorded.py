# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of this folder share: a temporary trace, and what it holds. Import it before parity."""
import json
import os
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
LIBRARY = str(pathlib.Path(sys.argv[3]).resolve())
os.environ["PARITY_RECORDER_LIBRARY"] = LIBRARY
os.environ.pop("PARITY_TRACE", None)
sys.path[:0] = [str(SOURCE / "harness/python/src"), str(SOURCE / "tests/support")]
ENVIRONMENT = dict(os.environ, PYTHONPATH=str(SOURCE / "harness/python/src"))

import h5py  # noqa: E402
import torch  # noqa: E402
from warm_python import Warm  # noqa: E402

_SERVER = Warm()  # removes its folder at its end
WARM = _SERVER.python  # in place of sys.executable


class Trace:
    """What a trace file holds."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.status = file.attrs["status"].decode()
            self.failure = json.loads(file.attrs.get("failure", b"null"))
            self.config, self.provenance = (json.loads(file.attrs[name]) for name in ("config", "provenance"))
            self.steps = file["steps"][:].tolist()
            self.channels = {name: file["channels"][name][:].tolist() for name in file["channels"]}
            self.kinds = {name: file["channels"][name].attrs["kind"].decode() for name in file["channels"]}
            self.tensors = {}
            file["tensors"].visititems(self._add)

    def _add(self, place, item):
        if isinstance(item, h5py.Dataset):
            step, phase, name, _ = place.split("/")
            name = name.replace("%2F", "/").replace("%3A", ":")
            self.tensors[int(step), phase, name] = torch.as_tensor(item[()])

    def names(self, step, phase):
        return {name for at, point, name in self.tensors if (at, point) == (step, phase)}


class RecordedTest(unittest.TestCase):
    """A test with a path for one trace."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.path = self.folder / "run.h5"

    def complete(self):
        trace = Trace(self.path)
        self.assertEqual((trace.status, trace.failure), ("complete", None))
        return trace

    def partial(self, reason):
        """The partial trace, whose failure gives a reason of this pattern."""
        self.assertFalse(self.path.exists())
        trace = Trace(f"{self.path}.partial")
        self.assertEqual(trace.status, "partial")
        self.assertRegex(trace.failure["reason"], reason)
        return trace
