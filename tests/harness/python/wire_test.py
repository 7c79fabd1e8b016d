# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`parity repeat --collectives` says that bytes changed on the way to a rank of a Python trainer.

Usage: wire_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import pathlib
import subprocess
import sys
import unittest

from recorded import RecordedTest

SOURCE, PARITY = sys.argv[1], sys.argv[2]

#: A trainer of two ranks. From its second run on, rank 1 receives other bytes.
TRAINER = """
import os, pathlib, sys
import torch, torch.distributed as dist
sys.path[:0] = [{source!r}]
from torch.utils._python_dispatch import TorchDispatchMode
import parity

class Wire(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {{}}))
        if func._schema.name == "c10d::allreduce_" and args[0][0].numel() == 4:
            result[1].wait()
            args[0][0][0, 1] += 1
        return result

def main(rank, second):
    dist.init_process_group("gloo")
    torch.manual_seed(1)
    model = torch.nn.Linear(4, 1, bias=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    wire = Wire() if second and rank == 1 else None
    if wire:
        wire.__enter__()
    with parity.record(model, optimizer) as rec:
        for step in range(3):
            x = torch.arange(8.0).view(2, 4) + rank
            loss = model(x).square().mean()
            loss.backward()
            dist.all_reduce(model.weight.grad)
            optimizer.step()
            optimizer.zero_grad()
            rec.step(loss=loss)
    if wire:
        wire.__exit__(None, None, None)
    dist.barrier()
    dist.destroy_process_group()

rank = int(os.environ["RANK"])
began = pathlib.Path({place!r}) / f"began.{{rank}}"
second = began.exists()
began.touch()
main(rank, second)
"""


class WireTest(RecordedTest):
    def test_bytes_that_change_on_the_way_are_named(self):
        script = self.folder / "trainer.py"
        source = str(pathlib.Path(SOURCE).resolve() / "harness/python/src")
        script.write_text(TRAINER.format(place=str(self.folder), source=source))
        words = [PARITY, "repeat", "--times", "2", "--ranks", "2", "--collectives", "--", sys.executable, str(script)]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=400)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, "wire, not compute: .* step 1, but rank 1 received others")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
