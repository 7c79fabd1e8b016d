# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""parity.megatron on the CPU, over Gloo: each optimizer, skipped steps, tensor, data and pipeline parallelism, defects.

Usage: megatron_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import pathlib
import subprocess

from support import PARITY, LoopTest, Trace, main, run_in_a_process, run_ranks

import torch

LIMIT, ROUNDING = 0.05, 1e-5
DOUBLED = "decoder.layers.1.mlp.linear_fc1.weight"
UPDATED = {"grad", "grad_clipped", "param", "optim"}


class MegatronTest(LoopTest):
    loop = pathlib.Path(__file__).parent / "loops/megatron_loop.py"

    def on_two_ranks(self, name, *words):
        run_ranks(2, self.loop, self.path("end.pt"), *words, PARITY_TRACE=self.path(name))

    def distances(self, one, other, *words):
        """(step, phase, tensor) -> relative L2 of the tensors that `parity compare` joins; 0 if their bits are equal."""
        done = subprocess.run([PARITY, "compare", self.path(one), self.path(other), "--json", *words],
                              capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        rows = [row for row in json.loads(done.stdout)["tensors"] if row["phase"] in UPDATED]
        self.assertEqual({row["mismatch"] for row in rows}, {""})
        return {(row["step"], row["phase"], row["name"]): row["relative_l2"] or 0.0 for row in rows}

    def assert_joined(self, one, other):
        """All phases are there and differ by rounding. The key's bias has no gradient but rounding, which Adam enlarges."""
        found = self.distances(one, other)
        self.assertEqual({phase for _, phase, _ in found}, UPDATED)
        for (step, phase, name), distance in found.items():
            enlarged = phase in ("param", "optim") and "linear_qkv.bias" in name
            self.assertLess(distance, 10 * ROUNDING if enlarged else ROUNDING, (step, phase, name))

    def test_trace_has_what_each_optimizer_used(self):
        for words in ((), ("bf16=1",), ("dist=1",), ("bf16=1", "dist=1")):
            with self.subTest(words=words):
                trace, losses, norms, gradients, parameters, _ = self.recorded("run.h5", *words)
                self.assertEqual(trace.steps, [1, 2, 3])
                self.assertEqual((trace.channels["loss"], trace.channels["grad_norm"]), (losses, norms))
                self.assertEqual(trace.channels["lr"], [1e-2] * 3)
                self.check_gradients(trace, gradients, ".flat" if "dist=1" in words else "")
                own = set(trace.phase(1, "grad"))
                self.assertEqual(set(trace.phase(3, "param")), set(parameters))
                for name, values in parameters.items():
                    self.assertTrue(torch.equal(trace.tensors[3, "param", name], values.float()), name)
                self.assertLessEqual({f"exp_avg/{name}" for name in own}, set(trace.phase(2, "optim")))
                masters = {name for name in trace.phase(1, "optim") if name.startswith("master/")}
                self.assertEqual(masters, {f"master/{name}" for name in own} if words else set())
                plain = run_in_a_process(self.loop, self.path("plain.pt"), "record=0", *words)
                self.assertEqual(plain, "")
                plain = torch.load(self.path("plain.pt"), weights_only=False)
                self.assert_same_bits(list(plain[3].values()), list(parameters.values()))

    def check_gradients(self, trace, by_hand, ending=""):
        """Those of the first update are the loop's own, and clipping scaled those of each update from its norm."""
        self.assertEqual(set(trace.phase(1, "grad")), {f"{name}{ending}" for name in by_hand})
        for name, values in by_hand.items():
            found = trace.tensors[1, "grad", f"{name}{ending}"]
            self.assertTrue(torch.equal(found, values.flatten() if ending else values), name)
        self.assert_clipped(trace, LIMIT)

    def test_without_clipping_gradients_appear_once(self):
        trace, _, _, gradients, _, _ = self.recorded("whole.h5", "clip=0", "updates=1")
        self.assertNotIn("grad_norm", trace.channels)
        self.assertEqual(set(trace.phase(1, "grad")), set(gradients))
        self.assertEqual(trace.phase(1, "grad_clipped"), {})

    def test_skipped_step_is_no_update(self):
        """The first loss scale makes gradients overflow."""
        trace, losses, norms, gradients, _, skipped = self.recorded("half.h5", "fp16=1")
        self.assertGreater(skipped, 0)
        self.assertEqual((trace.channels["loss"], trace.channels["grad_norm"]), (losses, norms))
        self.check_gradients(trace, gradients)

    def test_tensor_parallel_ranks_join_to_one_rank(self):
        """With a gated MLP, whose shards are strided."""
        self.recorded("one.h5", "glu=1")
        self.on_two_ranks("two.h5", "glu=1", "tp=2")
        self.assert_joined("one.h5", "two.h5")
        self.on_two_ranks("wrong.h5", "glu=1", "tp=2", "doubled=1")
        self.assertEqual(set(self.distances("two.h5", "wrong.h5", "--step", "1").values()), {0.0})
        gradients = self.distances("two.h5", "wrong.h5", "--step", "2", "--phase", "grad")
        planted = {key: distance for key, distance in gradients.items() if distance > 0}
        self.assertEqual(set(planted), {(2, "grad", DOUBLED)})
        self.assertGreater(planted[2, "grad", DOUBLED], 0.1)

    def test_runs_of_the_distributed_optimizer_join(self):
        self.recorded("one.h5", "dist=1", "micro_batches=4")
        self.on_two_ranks("two.h5", "dist=1")
        self.assert_joined("one.h5", "two.h5")

    def test_pipeline_stages_have_the_names_of_the_whole_model(self):
        self.recorded("whole.h5")
        self.on_two_ranks("stages.h5", "pp=2")
        found = self.distances("whole.h5", "stages.h5")  # whose first weights are others
        self.assertEqual({phase for _, phase, _ in found}, UPDATED)
        first, second = Trace(self.path("stages.h5")), Trace(self.path("stages.rank1.h5"))
        self.assertEqual({name.split(".")[2] for name in first.phase(1, "grad") if ".layers." in name}, {"0"})
        self.assertEqual({name.split(".")[2] for name in second.phase(1, "grad") if ".layers." in name}, {"1"})
        self.assertNotIn("loss", first.channels)

    def test_twins_agree_over_ranks(self):
        """Far closer than float32 could, so that buffers and norms are float64 too."""
        run_in_a_process(self.loop, self.path("end.pt"), PARITY_TRACE=self.path("one.h5"), PARITY_DTYPE="float64")
        run_ranks(2, self.loop, self.path("end.pt"), "tp=2", PARITY_TRACE=self.path("two.h5"), PARITY_DTYPE="float64")
        one, two = Trace(self.path("one.h5")), Trace(self.path("two.h5"))
        for name in ("loss", "grad_norm"):
            for expected, found in zip(one.channels[name], two.channels[name], strict=True):
                self.assertAlmostEqual(found, expected, delta=1e-13 * expected)

    def test_planted_factor_is_reported_at_its_step(self):
        found = self.planted("scale=2")
        self.assertEqual((found["loss"], found["grad_norm"]), (1, 1))
        self.assertNotIn("lr", found)


if __name__ == "__main__":
    main()
