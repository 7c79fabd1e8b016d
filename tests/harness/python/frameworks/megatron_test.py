# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""parity.megatron with Megatron-Core on the CPU: its three optimizers, tensor and pipeline parallelism over Gloo.

Usage: megatron_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import pathlib
import subprocess

from support import PARITY, LoopTest, Trace, json, main, run_in_a_process, run_ranks

import torch

LOOP = pathlib.Path(__file__).parent / "loops/megatron_loop.py"
LIMIT = 0.05
UPDATED = {"grad", "grad_clipped", "param", "optim"}


class MegatronTest(LoopTest):
    loop = LOOP

    def on_two_ranks(self, name, *words):
        run_ranks(2, LOOP, self.path("end.pt"), *words, PARITY_TRACE=self.path(name))

    def assert_joined(self, whole, parts):
        """What parity joins from ranks equals the trace of one rank up to rounding, with the same names."""
        done = subprocess.run([PARITY, "compare", self.path(whole), self.path(parts), "--json"], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        rows = [row for row in json.loads(done.stdout)["tensors"] if row["phase"] in UPDATED]
        self.assertEqual({row["phase"] for row in rows}, UPDATED)
        for row in rows:
            self.assertEqual(row["mismatch"], "", row["name"])
            self.assertLess(row["relative_l2"] or 0.0, 1e-5, row["name"])

    def test_trace_has_what_each_optimizer_used(self):
        for words in (["bf16=0"], ["bf16=1"], ["distributed=1"], ["distributed=1", "bf16=1"]):
            with self.subTest(words):
                trace, parameters, losses, norms = self.recorded("run.h5", *words)
                self.assertEqual(trace.steps, [1, 2, 3])
                self.assertEqual((trace.channels["loss"], trace.channels["grad_norm"]), (losses, norms))
                self.assertEqual(trace.channels["lr"], [1e-2] * 3)
                self.assert_clipped(trace, LIMIT)
                names = set(trace.phase(3, "param"))
                own = {f"{name}.flat" for name in names} if "distributed=1" in words else names
                self.assertEqual(set(trace.phase(2, "grad")), own)
                self.assertLessEqual({f"exp_avg/{name}" for name in own}, set(trace.phase(2, "optim")))
                sums = [sorted(value.double().sum().item() for value in values)
                        for values in (trace.phase(3, "param").values(), parameters)]
                self.assertEqual(*sums)
                if "bf16=1" in words:
                    masters = {name for name in trace.phase(1, "optim") if name.startswith("master/")}
                    self.assertEqual(masters, {f"master/{name}" for name in own})
        run_in_a_process(LOOP, self.path("plain.pt"), "record=0", "distributed=1", "bf16=1")
        self.assert_same_bits(torch.load(self.path("plain.pt"))[0], parameters)

    def test_tensor_parallelism_is_joined(self):
        self.recorded("one.h5")
        self.on_two_ranks("two.h5", "tp=2")
        self.assert_joined("one.h5", "two.h5")

    def test_runs_of_the_distributed_optimizer_are_joined(self):
        self.recorded("one.h5", "distributed=1", "micro_batches=4")
        self.on_two_ranks("two.h5", "distributed=1")
        self.assert_joined("one.h5", "two.h5")

    def test_stages_have_their_numbers(self):
        self.on_two_ranks("run.h5", "pp=2")
        square = 0.0
        for number, name in enumerate(("run.h5", "run.rank1.h5")):
            trace = Trace(self.path(name))
            self.assertTrue(all(name.startswith(f"stage.{number}.decoder.layers.0.") for name in trace.phase(1, "grad")
                                if "layers" in name))
            square += trace.norm(1, "grad") ** 2
            norm = trace.channels["grad_norm"][0]
        self.assertAlmostEqual(square ** 0.5, norm, delta=1e-5 * norm)

    def test_planted_factor_is_reported_at_its_step(self):
        found = self.planted("scale=2")
        self.assertEqual((found["loss"], found["grad_norm"]), (1, 1))
        self.assertNotIn("lr", found)


if __name__ == "__main__":
    main()
