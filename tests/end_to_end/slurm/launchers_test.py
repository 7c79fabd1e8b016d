# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Ranks that somebody else starts: srun over two nodes of a real Slurm, mpirun and torchrun leave the trace that parity's
own launcher leaves.

Usage: launchers_test.py SOURCE_DIR PARITY [TEST...]
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

from cluster import find, free_ports
from suite import PARITY, SOURCE, SlurmTest, main

TRAINER = PARITY.parent / "parity-train"
CONFIG = {"steps": 3, "parallel": {"dp_replicate": 2, "dp_shard": 1},
          "architecture": {"dim": 16, "n_layers": 1, "n_heads": 2, "n_kv_heads": 1, "vocab_size": 64, "ffn_hidden": 16},
          "data": {"seq_len": 8, "global_batch": 12}}
PROFILE = {"OMP_NUM_THREADS": "1", "PARITY_TIMEOUT": "60"}
SCRIPT = """import os, parity, torch
model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
rec = parity.record(model, optimizer)
for _ in range(2):
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    optimizer.step()
    rec.step(loss=loss)
"""


class LaunchersTest(SlurmTest):
    def setUp(self):
        super().setUp()
        (self.folder / "run.json").write_text(json.dumps(CONFIG))

    def words(self, name):
        return [TRAINER, self.folder / "run.json", "--trace", self.folder / f"{name}.h5", "--quiet"]

    def launch(self, *words, **variables):
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=120, cwd=self.folder,
                              env={**self.cluster.environment, **PROFILE, **variables})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def reference(self):
        """The trace of two ranks that carry the variables of parity's own launcher."""
        ranks = [subprocess.Popen(list(map(str, self.words("own"))), cwd=self.folder,
                                  env={**os.environ, **PROFILE, "RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_RANK": str(rank),
                                       "PARITY_TRACE": str(self.folder / ("own.h5" if rank == 0 else f"own.rank{rank}.h5")),
                                       "PARITY_RENDEZVOUS": str(self.folder / "store")}) for rank in range(2)]
        self.assertEqual([rank.wait(timeout=60) for rank in ranks], [0, 0])

    def expect_equal(self, name):
        self.reference()
        self.assertTrue((self.folder / f"{name}.rank1.h5").exists(), sorted(self.folder.iterdir()))
        compared = subprocess.run([PARITY, "compare", self.folder / "own.h5", self.folder / f"{name}.h5"],
                                  capture_output=True, text=True)
        self.assertEqual(compared.returncode, 0, compared.stdout + compared.stderr)

    def test_srun_over_two_nodes(self):
        self.launch("srun", "--nodes=2", "--ntasks-per-node=1", *self.words("srun"), MASTER_ADDR="127.0.0.1",
                    MASTER_PORT=str(free_ports(1)[0]))
        self.expect_equal("srun")

    def test_srun_over_two_nodes_needs_an_address(self):
        environment = {key: value for key, value in self.cluster.environment.items() if key != "MASTER_ADDR"}
        done = subprocess.run(list(map(str, ["srun", "--nodes=2", "--ntasks-per-node=1", *self.words("srun")])),
                              capture_output=True, text=True, timeout=60, env=environment)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("MASTER_ADDR is not set (2 ranks of srun on several machines", done.stderr)

    @unittest.skipUnless(find("mpirun"), "needs mpirun of Open MPI (Debian's openmpi-bin)")
    def test_mpirun(self):
        self.launch("mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "2", *self.words("mpirun"),
                    MASTER_PORT=str(free_ports(1)[0]))
        self.expect_equal("mpirun")

    @unittest.skipUnless(find("mpirun"), "needs mpirun of Open MPI (Debian's openmpi-bin)")
    def test_mpirun_inside_a_job(self):
        """Its ranks also have the variables of a step of Slurm that has one task."""
        script = self.folder / "job.sh"
        words = " ".join(map(str, self.words("inside")))
        script.write_text(f"#!/bin/sh\nexec mpirun --allow-run-as-root --oversubscribe -np 2 {words} > {self.folder}/log 2>&1\n")
        self.launch("sbatch", "--wait", "--nodes=1", "--ntasks=1", "--output=/dev/null", script,
                    MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_ports(1)[0]))
        self.expect_equal("inside")

    def test_torchrun_inside_a_job(self):
        torchrun = pathlib.Path(sys.executable).with_name("torchrun")
        self.launch("srun", "--ntasks=1", torchrun, "--standalone", "--nproc-per-node", "2", "--no-python",
                    *self.words("torchrun"))
        self.expect_equal("torchrun")

    def test_python_recorder_under_srun(self):
        (self.folder / "train.py").write_text(SCRIPT)
        self.launch("srun", "--nodes=2", "--ntasks-per-node=1", sys.executable, self.folder / "train.py",
                    PARITY_TRACE=str(self.folder / "python.h5"), PYTHONPATH=str(SOURCE / "harness/python/src"))
        self.assertTrue((self.folder / "python.rank1.h5").exists(), sorted(self.folder.iterdir()))


if __name__ == "__main__":
    main()
