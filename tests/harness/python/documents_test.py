# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Every Python block of the README and of the package's page runs, in a training whose names they use.

Usage: documents_test.py SOURCE_DIR PARITY_PROGRAM RECORDER_LIBRARY
"""
import os
import pathlib
import re
import sys
import tempfile
import unittest

import h5py
import torch

SOURCE = pathlib.Path(sys.argv[1]).resolve()
os.environ["PARITY_RECORDER_LIBRARY"] = str(pathlib.Path(sys.argv[3]).resolve())
sys.path.insert(0, str(SOURCE / "harness/python/src"))

import parity  # noqa: E402


def blocks_of(document):
    return re.findall(r"^```python\n(.*?)^```", (SOURCE / document).read_text(), re.M | re.S)


class DocumentsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.trace = pathlib.Path(folder.name, "run.h5")
        os.environ["PARITY_TRACE"] = str(self.trace)

    def run_block(self, block, **more):
        """Runs a block after one update's backward pass. Returns the channels and names of tensors that were recorded."""
        model = torch.nn.Linear(4, 2)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

        def train(batch):
            optimizer.zero_grad()
            loss = model(batch).square().mean()
            loss.backward()
            return loss

        names = {"parity": parity, "model": model, "optimizer": optimizer, "train": train, "n": 8, "cfg": {"lr": 1e-3},
                 "loader": [torch.ones(2, 4)] * 3} | more
        lines = block.splitlines()
        if "loss = train" not in block:  # the lines around the recorder's two are the reader's own
            at = next((i for i, line in enumerate(lines) if "rec.step" in line), len(lines))
            lines.insert(at, "loss = train(loader[0]); optimizer.step()")
            lines += [] if "rec.step" in block else ["rec.step(loss=loss)"]
        exec("\n".join([*lines, "rec.close()"]), names)
        with h5py.File(self.trace) as file:
            tensors = []
            file["tensors"].visititems(lambda name, item: tensors.append(name) if isinstance(item, h5py.Dataset) else None)
            return sorted(file["channels"]), tensors

    def test_readme(self):
        (block,) = blocks_of("README.md")
        channels, _ = self.run_block(block)
        self.assertLessEqual({"loss", "lr", "tokens"}, set(channels))

    def test_page_of_the_package(self):
        (block,) = blocks_of("harness/python/README.md")
        channels, _ = self.run_block(block)
        self.assertLessEqual({"loss", "lr", "tokens"}, set(channels))
        with h5py.File(self.trace) as file:
            self.assertEqual(len(file["steps"]), 3)

    def test_page_of_ranks(self):
        (block,) = blocks_of("harness/python/ranks.md")
        os.environ["PARITY_CAPTURE"] = str(self.trace.with_suffix(".json"))
        self.addCleanup(os.environ.pop, "PARITY_CAPTURE")
        self.trace.with_suffix(".json").write_text('{"tensors": [{"phases": ["forward"]}]}')
        mesh = {"ep": (0, 2), "dp": (0, 1), "cp": (0, 1), "tp": (0, 2)}
        _, tensors = self.run_block(block, mesh=mesh, out=torch.ones(2, 4, 3))
        self.assertTrue(any("attention.out" in name for name in tensors), tensors)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
