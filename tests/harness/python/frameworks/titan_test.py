# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""parity.titan in a Trainer of torchtitan.

Usage: titan_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import pathlib

from support import LoopTest, main, run_in_a_process

import torch

LOOP = pathlib.Path(__file__).parent / "loops/titan_loop.py"
LIMIT = 0.05


class TitanTest(LoopTest):
    loop = LOOP

    def test_trace_has_what_torchtitan_used(self):
        trace, parameters, logged = self.recorded("run.h5")
        self.assertEqual(trace.steps, [1, 2, 3, 4])
        channels = zip(*(trace.channels[name] for name in ("loss", "lr", "grad_norm")), strict=True)
        self.assertEqual(list(channels), logged)
        self.assert_clipped(trace, LIMIT)
        self.assertIn("layers.0.attention.wq.weight", trace.phase(1, "grad"))
        self.assertEqual(set(trace.phase(4, "param")), set(parameters))
        self.assert_same_bits(list(parameters.values()), [trace.tensors[4, "param", name] for name in parameters])
        run_in_a_process(LOOP, self.path("plain.pt"), "record=0")
        plain, _ = torch.load(self.path("plain.pt"), weights_only=False)
        self.assert_same_bits(list(plain.values()), list(parameters.values()))

    def test_planted_differences_are_reported_at_their_step(self):
        late = self.planted("warmup=3")
        self.assertEqual((late["lr"], late["loss"]), (1, 2))
        self.assertEqual(self.planted("divided=0")["grad_norm"], 1)


if __name__ == "__main__":
    main()
