# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Runs over several nodes of a real Slurm: the job of a run has the nodes, and the arm's launcher starts its ranks there.

Usage: nodes_test.py SOURCE_DIR PARITY [TEST...]
"""
import json
import pathlib
import re
import subprocess
import sys

import h5py
from suite import COPY, SITE, SlurmTest, main

SMALL = """question = "q"
[python]
venv = "{venv}"
[base]
steps = 6
parallel.dp_shard = 2
lr.base = 2e-2
architecture = {{dim = 32, n_layers = 2, n_heads = 2, vocab_size = 64, ffn_hidden = 64}}
data = {{seq_len = 16, global_batch = 8}}
[golden]
arms = []
[arms.one_node]
[arms.srun]
launcher = "srun"
nodes = 2
[arms.torchrun]
launcher = "torchrun"
nodes = 2
"""
CHECK = """[[checks]]
{quantity}
arms = ["one_node", "{arm}"]
relation = "identical"
because = "the same ranks"
"""
# The emulated nodes have no addresses of their own.
SETUP = SITE + "setup = ['export MASTER_ADDR=127.0.0.1', 'export PARITY_LOCAL_TRACES={disk}']\n"


class NodesTest(SlurmTest):
    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        self.sites(SETUP.format(disk=self.disk))
        with h5py.File(self.folder / "good.h5", "r+") as file:
            file.attrs["joined_ranks"] = 2
            if "digest" in file.attrs:
                del file.attrs["digest"]

    def two_ranks(self, script, keys, name="c"):
        """A case of an arm of two ranks under Slurm, and one of parity's own ranks."""
        file = self.case(name, a="[ $RANK = 1 ] || " + COPY, b=script)
        text = file.read_text().replace("label = 'a'", "label = 'a'\nranks = 2")
        file.write_text(text.replace("label = 'b'", f"label = 'b'\nranks = 2\n{keys}"))
        return file

    def run_on_two_nodes(self, launcher):
        venv = pathlib.Path(sys.executable).parents[1]
        file = self.folder / "nodes.toml"
        text = SMALL.format(venv=venv)
        for other in {"srun", "torchrun"} - {launcher}:
            text = re.sub(rf"\[arms\.{other}\].*?nodes = 2\n", "", text, flags=re.S)
        for quantity in ['channel = ["loss", "grad_norm"]', 'tensor = "*"\nphase = "param"\nsteps = "last"']:
            text += CHECK.format(quantity=quantity, arm=launcher)
        file.write_text(text)
        self.run_suite(file)
        arm = self.arm(launcher)
        folder = self.folder / "out/runs" / arm["run"] / "launch.0"
        hosts = {json.loads((folder / f"rank.{rank}.began.json").read_text())["host"] for rank in range(2)}
        self.assertEqual(hosts, {"node1", "node2"})
        ended = json.loads((folder / "rank.1.ended.json").read_text())
        self.assertEqual([row["name"] for row in ended["files"]], ["trace.rank1.h5"])
        self.assertEqual(list(self.disk.iterdir()), [])

    def test_srun_over_two_nodes_has_the_bits_of_one(self):
        self.run_on_two_nodes("srun")
        self.expect_nothing_left()

    def test_torchrun_over_two_nodes_has_the_bits_of_one(self):
        self.run_on_two_nodes("torchrun")
        self.expect_nothing_left()

    def test_a_failed_rank_is_named_with_its_node(self):
        self.run_suite(self.two_ranks("[ $RANK = 0 ] && exec sleep 100; echo no memory >&2; exit 9",
                                      'launcher = "srun"\nnodes = 2'), status=4)
        kind, message = self.failure("b")
        self.assertEqual(kind, "crashed")
        self.assertRegex(message, r"rank 1 of c:b on node[12] ended with exit status 9: no memory")
        self.expect_nothing_left()

    def test_options_of_srun_that_it_refuses(self):
        self.run_suite(self.two_ranks(COPY, 'launcher = "srun"\nlauncher_options = ["--none-such"]'), status=4)
        self.assertRegex(self.failure("b")[1], r"c:b: srun ended with exit status \d+, and 0 of its 2 ranks began: .")

    def test_more_nodes_than_there_are(self):
        file = self.two_ranks(COPY, 'launcher = "srun"\nnodes = 4')
        file.write_text(file.read_text().replace("ranks = 2\nlauncher", "ranks = 4\nlauncher"))
        self.run_suite(file, status=4)
        self.assertRegex(self.failure("b")[1], r"job \d+ of c:b can never start \(PartitionNodeLimit\)")


if __name__ == "__main__":
    main()
