# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of several ranks share: processes on a mesh, and the trace that parity joins. Import it before parity."""
import contextlib
import os
import subprocess
import sys
import warnings

from recorded import RecordedTest

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

import parity

PARITY = sys.argv[2]
ALL = {"tensors": [{}]}
os.environ["PARITY_TIMEOUT"] = "30"


def numbers(*shape):
    """Small integers, so that sums are exact in any order."""
    generator = torch.Generator().manual_seed(len(shape) + sum(shape))
    return torch.randint(-99, 99, shape, generator=generator).float()


class RanksTest(RecordedTest):
    """A test whose ranks write one trace."""

    def setUp(self):
        super().setUp()
        self.path = self.folder / "trace.h5"

    def on_ranks(self, shape, body, status=0):
        """Runs body(mesh) in a process for each place of a mesh with the dimensions dp and tp. Returns their warnings."""
        ranks = shape[0] * shape[1]
        (self.folder / "store").unlink(missing_ok=True)
        children = []
        for rank in range(ranks):
            child = os.fork()
            if child == 0:
                os._exit(self._child(rank, ranks, shape, body))
            children.append(child)
        ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        said = "".join((self.folder / f"said.{rank}").read_text() for rank in range(ranks))
        self.assertEqual(max(ends), status, said)
        return said

    def _child(self, rank, ranks, shape, body):
        with open(self.folder / f"said.{rank}", "w", buffering=1) as said, contextlib.redirect_stderr(said):
            try:
                warnings.simplefilter("always")
                store = dist.FileStore(str(self.folder / "store"), ranks)
                dist.init_process_group("gloo", store=store, rank=rank, world_size=ranks)
                body(init_device_mesh("cpu", shape, mesh_dim_names=("dp", "tp")))
                dist.barrier()
                return 0
            except BaseException as problem:
                import traceback

                traceback.print_exception(problem)
                return 1

    def record(self, *arguments, **options):
        return parity.record(*arguments, path=self.path, capture=ALL, **options)

    def parity(self, *words, status=0):
        done = subprocess.run([PARITY, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def expect_joined(self, tensors):
        """What parity joins from the ranks' files equals these tensors, recorded by one process."""
        with parity.record(path=self.folder / "whole.h5", capture=ALL) as rec:
            for name, value in tensors.items():
                rec.tensor("forward", name, value)
            rec.step()
        self.assertIn("identical: ", self.parity("compare", "whole.h5", "trace.h5"))
