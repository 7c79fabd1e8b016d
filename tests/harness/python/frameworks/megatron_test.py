# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""parity.megatron on the CPU, over Gloo: each optimizer, skipped steps, tensor and pipeline parallelism, a planted defect.

Usage: megatron_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import pathlib
import subprocess

from support import PARITY, AdapterTest, Trace, main, run_ranks

import torch

LOOP = pathlib.Path(__file__).parent / "loops/megatron_loop.py"
LIMIT, ROUNDING = 0.05, 1e-5
DOUBLED = "decoder.layers.1.mlp.linear_fc1.weight"


class MegatronTest(AdapterTest):
    def recorded(self, name, *words, ranks=1):
        """Runs the loop. Returns what each rank saved: losses, norms, gradients, parameters, skipped steps."""
        run_ranks(ranks, LOOP, self.path(name), *words, PARITY_TRACE=self.path(f"{name}.h5"))
        return [torch.load(self.path(f"{name}.{rank}"), weights_only=False) for rank in range(ranks)]

    def distances(self, one, other, *words):
        """(step, phase, tensor) -> relative L2 of the tensors that `parity compare` joins and finds different."""
        done = subprocess.run([PARITY, "compare", self.path(f"{one}.h5"), self.path(f"{other}.h5"), "--json", *words],
                              capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        rows = [row for row in json.loads(done.stdout)["tensors"] if not row["identical"]]
        self.assertEqual({row["mismatch"] for row in rows} - {""}, set())
        return {(row["step"], row["phase"], row["name"]): row["relative_l2"] for row in rows}

    def test_trace_has_what_each_optimizer_used(self):
        ends = {}
        for words in ((), ("bf16=1",), ("dist=1",), ("bf16=1", "dist=1")):
            with self.subTest(words=words):
                name = "-".join(("run", *words))
                (losses, norms, gradients, parameters, _), = self.recorded(name, *words)
                trace = Trace(self.path(f"{name}.h5"))
                self.assertEqual(trace.steps, [1, 2, 3])
                self.assertEqual((trace.channels["loss"], trace.channels["grad_norm"]), (losses, norms))
                self.assertEqual(trace.channels["lr"], [1e-2] * 3)
                self.check_gradients(trace, gradients)
                for phase in ("grad", "grad_clipped", "param"):
                    self.assertEqual(set(trace.phase(2, phase)), set(parameters))
                for name, values in parameters.items():
                    self.assertTrue(torch.equal(trace.tensors[3, "param", name], values.float()), name)
                    self.assertEqual(trace.tensors[1, "optim", f"exp_avg/{name}"].shape, values.shape)
                    self.assertEqual((1, "optim", f"master/{name}") in trace.tensors, "bf16=1" in words)
                ends[words] = parameters
        (_, _, _, plain, _), = self.recorded("plain", "record=0")
        self.assert_same_bits(list(plain.values()), list(ends[()].values()))

    def check_gradients(self, trace, by_hand):
        """Those of the first update are the loop's own, and clipping scaled those of each update from its norm."""
        self.assertEqual(set(trace.phase(1, "grad")), set(by_hand))
        for name, values in by_hand.items():
            self.assertTrue(torch.equal(trace.tensors[1, "grad", name], values), name)
        self.assert_clipped(trace, LIMIT)

    def test_without_clipping_gradients_appear_once(self):
        (_, norms, gradients, _, _), = self.recorded("whole", "clip=0", "updates=1")
        trace = Trace(self.path("whole.h5"))
        self.assertEqual(trace.channels["grad_norm"], norms)
        self.assertEqual(set(trace.phase(1, "grad")), set(gradients))
        self.assertEqual(trace.phase(1, "grad_clipped"), {})

    def test_skipped_step_is_no_update(self):
        """The first loss scale makes gradients overflow."""
        (losses, norms, gradients, _, skipped), = self.recorded("half", "fp16=1")
        self.assertGreater(skipped, 0)
        trace = Trace(self.path("half.h5"))
        self.assertEqual((trace.channels["loss"], trace.channels["grad_norm"]), (losses, norms))
        self.check_gradients(trace, gradients)

    def test_tensor_parallel_ranks_join_to_one_rank(self):
        """With a gated MLP, whose shards are strided. The key's bias has no gradient but rounding, which Adam enlarges."""
        self.recorded("one", "glu=1")
        ranks = self.recorded("two", "glu=1", "tp=2", ranks=2)
        self.assertEqual(ranks[0][3][DOUBLED].shape, (64, 16))
        found = self.distances("one", "two")
        enlarged = {key: value for key, value in found.items() if key[1] == "param" and key[2].endswith("linear_qkv.bias")}
        self.assertTrue(found)
        self.assertLess(max(value for key, value in found.items() if key not in enlarged), ROUNDING)
        self.assertLess(max(enlarged.values(), default=0), 10 * ROUNDING)

        self.recorded("wrong", "glu=1", "tp=2", "doubled=1", ranks=2)
        self.assertEqual(self.distances("two", "wrong", "--step", "1"), {})
        planted = self.distances("two", "wrong", "--step", "2", "--phase", "grad")
        self.assertEqual(set(planted), {(2, "grad", DOUBLED)})
        self.assertGreater(planted[2, "grad", DOUBLED], 0.1)

    def test_pipeline_stages_have_the_names_of_the_whole_model(self):
        self.recorded("whole")
        self.recorded("stages", "pp=2", ranks=2)
        first, second = Trace(self.path("stages.h5")), Trace(self.path("stages.rank1.h5"))
        self.assertEqual({name.split(".")[2] for name in first.phase(1, "grad") if ".layers." in name}, {"0"})
        self.assertEqual({name.split(".")[2] for name in second.phase(1, "grad") if ".layers." in name}, {"1"})
        whole = Trace(self.path("whole.h5"))
        self.assertEqual(set(first.phase(1, "grad")) | set(second.phase(1, "grad")), set(whole.phase(1, "grad")))
        self.assertEqual(first.channels["grad_norm"], second.channels["grad_norm"])
        self.assertNotIn("loss", first.channels)


if __name__ == "__main__":
    main()
