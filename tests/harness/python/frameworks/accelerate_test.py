# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""parity.accelerate.Tracker in a loop of accelerate, in one process and in two.

Usage: accelerate_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import pathlib

from support import LoopTest, Trace, main, run_in_a_process, run_ranks

import torch

LOOP = pathlib.Path(__file__).parent / "loops/accelerate_loop.py"
LIMIT = 0.05


class AccelerateTest(LoopTest):
    loop = LOOP

    def test_trace_has_what_accelerate_used(self):
        trace, parameters, losses, norms = self.recorded("run.h5")
        self.assertEqual(trace.steps, [1, 2, 3, 4, 5])
        expected = {"loss": losses, "lr": [5e-3, 1e-2, 1e-2, 1e-2, 1e-2], "grad_norm": norms}
        self.assertEqual({name: trace.channels[name] for name in expected}, expected)
        self.assert_clipped(trace, LIMIT)
        self.assertEqual(set(trace.phase(5, "param")), {"0.weight", "0.bias", "2.weight", "2.bias"})
        run_in_a_process(LOOP, self.path("plain.pt"), "record=0")
        self.assert_same_bits(parameters, torch.load(self.path("plain.pt"), weights_only=False)[0])

    def test_each_rank_writes_its_trace(self):
        run_ranks(2, LOOP, self.path("end.pt"), "micro_batches=1", PARITY_TRACE=self.path("run.h5"))
        zero, one = Trace(self.path("run.h5")), Trace(self.path("run.rank1.h5"))
        self.assertEqual(zero.steps, one.steps)
        self.assertNotEqual(zero.channels["loss"], one.channels["loss"])
        self.assertEqual(zero.channels["grad_norm"], one.channels["grad_norm"])
        self.assertEqual(zero.channels["grad_norm"], torch.load(self.path("end.pt"), weights_only=False)[2])
        self.assertTrue(torch.equal(zero.tensors[5, "param", "0.weight"], one.tensors[5, "param", "0.weight"]))

    def test_planted_schedule_is_reported_at_its_step(self):
        found = self.planted("warmup=3")
        self.assertEqual((found["lr"], found["loss"]), (1, 2))

    def test_planted_accumulation_is_reported_at_its_step(self):
        self.assertEqual(self.planted("divided=0")["grad_norm"], 1)


if __name__ == "__main__":
    main()
