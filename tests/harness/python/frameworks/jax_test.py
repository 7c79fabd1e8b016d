# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The example in JAX and Flax: its bits do not change, its trace holds NumPy's values, and a case judges it.

Usage: jax_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import json
import os
import pathlib
import subprocess
import sys

import numpy

from support import ALL, PARITY, SOURCE, AdapterTest, Trace, main, run_in_a_process

EXAMPLE = SOURCE / "tests/examples/jax_trainer"
# Prints the parameters' digest at the end of the script.
WITNESS = ("import hashlib, sys; script = open(sys.argv[1]).read(); sys.argv = sys.argv[:1]; exec(script);"
           "leaves = jax.tree.leaves(parameters);"
           "print(hashlib.sha256(b''.join(numpy.asarray(one).tobytes() for one in leaves)).hexdigest())")
os.environ |= {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}


def rates(*values):
    """The values as JAX computes them, in float32."""
    return tuple(numpy.float32(value).item() for value in values)


class JaxTest(AdapterTest):
    def test_trace_has_the_loop_and_its_bits(self):
        capture = pathlib.Path(self.path("capture.json"))
        capture.write_text(json.dumps(ALL))
        plain = run_in_a_process("-c", WITNESS, EXAMPLE / "train.py")
        recorded = run_in_a_process("-c", WITNESS, EXAMPLE / "train.py", PARITY_TRACE=self.path("run.h5"),
                                    PARITY_CAPTURE=str(capture))
        self.assertRegex(plain, r"^[0-9a-f]{64}\n$")
        self.assertEqual(plain, recorded)
        trace = Trace(self.path("run.h5"))
        self.assertEqual(trace.steps, list(range(1, 9)))
        self.assertEqual(set(trace.channels), {"loss", "grad_norm", "lr", "examples"})
        self.assertEqual([round(rate, 6) for rate in trace.channels["lr"][:5]], [0.005, 0.01, 0.015, 0.02, 0.02])
        self.assertEqual(set(trace.phase(1, "grad")),
                         {"Dense_0.kernel", "Dense_0.bias", "Dense_1.kernel", "Dense_1.bias"})
        for step, norm in zip(trace.steps, trace.channels["grad_norm"], strict=True):
            self.assertAlmostEqual(trace.norm(step, "grad"), norm, delta=1e-5 * norm)
            self.assertAlmostEqual(trace.norm(step, "grad_clipped"), min(norm, 0.3), delta=1e-4)
        self.assertGreater(trace.channels["grad_norm"][0], 0.3)

    def test_case_names_step_and_channel(self):
        out = self.folder / "out"
        tools = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run([PARITY, "run", EXAMPLE / "warmup.toml", "--out", out], capture_output=True, text=True,
                              env=os.environ | {"PATH": tools, "PYTHONPATH": str(SOURCE / "harness/python/src")})
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        (case,) = json.loads((out / "results.json").read_text())["cases"]
        lr, param = case["checks"][:2]
        self.assertEqual([check["verdict"] for check in (lr, param)], ["different", "different"])
        self.assertEqual([lr["finding"]["where"][key] for key in ("tensor", "step")], ["lr", 1])
        self.assertEqual((lr["finding"]["expected"], lr["finding"]["actual"]), rates(0.02 / 4, 0.02 / 5))
        self.assertEqual(param["finding"]["where"]["step"], 1)


if __name__ == "__main__":
    main()
