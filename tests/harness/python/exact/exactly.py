# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of this folder share. Import it before parity."""
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(SOURCE / "harness/python/src"))

import torch  # noqa: E402

import parity.exact as exact  # noqa: E402


def page():
    """Returns the Python blocks of the page: two functions, several ranks, a training loop."""
    return re.findall(r"^```python\n(.*?)^```", (SOURCE / "harness/python/exact.md").read_text(), re.M | re.S)


def numbers(*shape, seed=0):
    """Numbers of which none is near zero, where branches of activations meet."""
    x = torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)))
    return x + 0.05 * x.sign()


class ExactTest(unittest.TestCase):
    def expect_same(self, f, g, inputs, **options):
        verdict = exact.same(f, g, inputs, **options)
        self.assertTrue(verdict, str(verdict))
        return verdict

    def expect_different(self, f, g, inputs, name=None, **options):
        """name: of the first output or gradient that differs."""
        verdict = exact.same(f, g, inputs, **options)
        self.assertEqual(verdict.outcome, "different", str(verdict))
        if name is not None:
            self.assertEqual(verdict.first.name, name, str(verdict))
        return verdict

    def expect_unproved(self, f, g, inputs, **options):
        verdict = exact.same(f, g, inputs, **options)
        self.assertEqual(verdict.outcome, "unproved", str(verdict))
        self.assertFalse(verdict)
        return verdict


def main():
    unittest.main(argv=sys.argv[:1], verbosity=2)
