# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""parity.deepspeed on the CPU, over Gloo: without ZeRO, its stages, the float64 twin, two ranks, and planted differences.

Usage: deepspeed_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import pathlib
import subprocess
import sys

from support import ENVIRONMENT, LoopTest, Trace, main, run_in_a_process, run_ranks

import torch

LOOP = pathlib.Path(__file__).parent / "loops/deepspeed_loop.py"
NAMES = {"0.weight", "0.bias", "2.weight", "2.bias"}
LIMIT = 0.05


class DeepSpeedTest(LoopTest):
    loop = LOOP

    def test_trace_has_what_each_stage_used(self):
        ends = []
        for stage in (0, 1, 2):
            with self.subTest(stage=stage):
                trace, parameters, losses, norms = self.recorded(f"{stage}.h5", f"stage={stage}")
                self.assertEqual(trace.steps, [1, 2, 3, 4])
                self.assertEqual(trace.channels["loss"], losses)
                self.assertEqual(trace.channels["lr"], [5e-3, 1e-2, 1e-2, 1e-2])
                self.assertEqual(trace.channels["lr.1"], [1e-2, 2e-2, 2e-2, 2e-2])
                if stage > 0:
                    self.assertEqual(trace.channels["grad_norm"], norms)
                self.assert_clipped(trace, LIMIT)
                for phase in ("grad", "grad_clipped", "param"):
                    self.assertEqual(set(trace.phase(2, phase)), NAMES)
                self.assertEqual(trace.tensors[1, "optim", "exp_avg/0.weight"].shape, (16, 8))
                self.assert_same_bits([trace.tensors[4, "param", name] for name in sorted(NAMES)],
                                      [parameters[at] for at in (1, 0, 3, 2)])
                ends.append(parameters)
        run_in_a_process(LOOP, self.path("plain.pt"), "stage=2", "record=0")
        self.assert_same_bits(torch.load(self.path("plain.pt"))[0], ends[2])

    def test_each_rank_writes_its_trace(self):
        run_ranks(2, LOOP, self.path("end.pt"), "stage=2", PARITY_TRACE=self.path("run.h5"))
        zero, one = Trace(self.path("run.h5")), Trace(self.path("run.rank1.h5"))
        self.assertNotEqual(zero.channels["loss"], one.channels["loss"])
        self.assertEqual(zero.channels["grad_norm"], one.channels["grad_norm"])
        self.assertEqual((zero.kinds["lr"], zero.kinds["loss"]), ("numeric", "per_rank"))  # lr: differing ranks are a finding
        self.assertEqual(set(zero.phase(4, "param")), NAMES)
        for name, values in zero.phase(4, "param").items():
            self.assertTrue(torch.equal(values, one.tensors[4, "param", name]))

    def test_stage_3_has_channels_alone(self):
        trace, _, losses, norms = self.recorded("run.h5", "stage=3")
        self.assertEqual((trace.steps, trace.channels["loss"], trace.channels["grad_norm"]), ([1, 2, 3, 4], losses, norms))
        self.assertEqual(trace.channels["lr.1"], [1e-2, 2e-2, 2e-2, 2e-2])
        self.assertEqual(trace.tensors, {})

    def test_stage_3_without_the_adapter_leaves_the_trace_partial(self):
        done = subprocess.run([sys.executable, LOOP, self.path("end.pt"), "stage=3", "adapter=0", "micro_batches=1"],
                              capture_output=True, text=True, env=ENVIRONMENT | {"PARITY_TRACE": self.path("run.h5")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ZeRO stage 3 leaves an empty tensor", done.stderr)
        self.assertFalse((self.folder / "run.h5").exists())

    def test_stages_agree_in_the_twin(self):
        """Far closer than float32 could, so that the flat vectors of each stage are float64 too."""
        traces = []
        for stage in (0, 1, 2, 3):
            run_in_a_process(LOOP, self.path("end.pt"), f"stage={stage}", PARITY_TRACE=self.path("run.h5"), PARITY_DTYPE="float64")
            traces.append(Trace(self.path("run.h5")))
        self.recorded("single.h5", "stage=1")
        single = Trace(self.path("single.h5"))
        for name in ("loss", "grad_norm"):
            for step, expected in enumerate(traces[0].channels[name]):
                self.assertNotEqual(single.channels[name][step], expected)
                for trace in traces[1:]:
                    self.assertAlmostEqual(trace.channels[name][step], expected, delta=1e-13 * expected)

    def test_planted_schedule_is_reported_at_its_step(self):
        found = self.planted("warmup=3")
        self.assertEqual((found["lr"], found["loss"]), (1, 2))

    def test_planted_accumulation_is_reported_at_its_step(self):
        self.assertEqual(self.planted("divided=0")["grad_norm"], 1)


if __name__ == "__main__":
    main()
