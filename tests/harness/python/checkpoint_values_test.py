# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`parity compare` on entries of checkpoints that are not plain tensors: views, quantised tensors, long integers.

Usage: checkpoint_values_test.py SOURCE_DIR PARITY RECORDER_LIBRARY
"""
import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

from recorded import ENVIRONMENT, WARM

import torch

from parity.checkpoints.command import COMMAND

PARITY = sys.argv[2]
warnings.simplefilter("ignore")


def per_tensor(values, scale=0.1, zero_point=3, dtype=torch.qint8):
    return torch.quantize_per_tensor(values, scale, zero_point, dtype)


def per_channel(values, scales, zero_points=None, axis=0):
    zero_points = torch.zeros(len(scales), dtype=torch.int64) if zero_points is None else zero_points
    return torch.quantize_per_channel(values, scales, zero_points, axis, torch.qint8)


class ValuesTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        torch.manual_seed(0)

    def compare(self, one, other, ending="safetensors"):
        """Exit code and output of a comparison of two state dicts, which have a weight too. With another ending than
        that of the converted files, the program converts them."""
        for name, state in (("a", one), ("b", other)):
            torch.save({"weight": torch.arange(6.0)} | state, self.folder / f"{name}.pt")
            if ending == "safetensors":
                self.assertEqual(COMMAND.run([f"{self.folder}/{name}.pt", "-o", f"{self.folder}/{name}.safetensors"]), 0)
        files = [str(self.folder / f"{name}.{ending}") for name in "ab"]
        done = subprocess.run([PARITY, "compare", *files], capture_output=True, text=True,
                              env=ENVIRONMENT | {"PARITY_PYTHON": WARM})
        return done.returncode, done.stdout + done.stderr

    def agree(self, one, other):
        code, text = self.compare(one, other)
        self.assertEqual(code, 0, text)

    def differ(self, one, other, *words):
        code, text = self.compare(one, other)
        self.assertEqual(code, 1, text)
        for sentence in words:
            self.assertIn(sentence, text)

    def refused(self, state, *sentences):
        torch.save(state, self.folder / "bad.pt")
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(COMMAND.run([str(self.folder / "bad.pt"), "-o", str(self.folder / "out")]), 2)
        for sentence in sentences:
            self.assertIn(sentence, said.getvalue())
        self.assertFalse((self.folder / "out").exists())

    def test_conjugate_view_has_its_values(self):
        z = torch.complex(torch.arange(1.0, 5), torch.arange(5.0, 9))
        conjugate = z.conj()
        self.assertTrue(conjugate.is_conj())
        self.agree({"z": conjugate}, {"z": torch.complex(z.real, -z.imag)})
        self.differ({"z": conjugate}, {"z": z}, "z")
        self.differ({"z": conjugate}, {"z": torch.complex(z.real, -z.imag).index_fill(0, torch.tensor(2), 0)})

    def test_negative_view_has_its_values(self):
        z = torch.complex(torch.arange(1.0, 5), torch.arange(5.0, 9))
        negative = z.conj().imag
        self.assertTrue(negative.is_neg())
        self.agree({"y": negative}, {"y": torch.tensor([-5.0, -6, -7, -8])})
        self.differ({"y": negative}, {"y": torch.tensor([5.0, 6, 7, 8])})

    def test_quantised_tensor_is_compared(self):
        values = torch.randn(4, 6)
        self.agree({"w": per_tensor(values)}, {"w": per_tensor(values)})
        self.differ({"w": per_tensor(values)}, {"w": per_tensor(values + 0.1)}, "w.int_repr")
        one, other = per_tensor(values), torch._make_per_tensor_quantized_tensor(per_tensor(values).int_repr(), 0.2, 3)
        self.differ({"w": one}, {"w": other}, "w.scale: 0.1 against 0.2")
        other = torch._make_per_tensor_quantized_tensor(per_tensor(values).int_repr(), 0.1, 4)
        self.differ({"w": one}, {"w": other}, "w.zero_point: 3 against 4")
        self.differ({"w": one}, {"w": one.dequantize()}, "w.int_repr")
        self.agree({"w": per_tensor(values).t()}, {"w": per_tensor(values.t().contiguous())})
        self.agree({"w": per_tensor(values, dtype=torch.qint32)}, {"w": per_tensor(values, dtype=torch.qint32)})

    def test_quantised_channels_are_compared(self):
        values, scales = torch.randn(4, 4), torch.tensor([0.1, 0.2, 0.3, 0.4])
        one = per_channel(values, scales)
        self.agree({"w": one}, {"w": per_channel(values, scales)})

        def like(scales=scales, zero_points=one.q_per_channel_zero_points(), axis=0):
            return torch._make_per_channel_quantized_tensor(one.int_repr(), scales, zero_points, axis)

        scales = scales.clone()
        scales[2] = 0.5
        self.differ({"w": one}, {"w": like(scales=scales)}, "w.scale[2]")
        self.differ({"w": one}, {"w": like(zero_points=torch.tensor([0, 0, 0, 1]))}, "w.zero_point[3]: 0 against 1")
        self.differ({"w": one}, {"w": like(axis=1)}, "w.axis: 0 against 1")
        self.differ({"w": one}, {"w": per_tensor(values)})

    def test_tensors_without_plain_values_are_refused(self):
        packed = torch.quantize_per_channel(torch.randn(4, 6), torch.ones(4), torch.zeros(4), 0, torch.quint4x2)
        self.refused({"w": packed}, "cannot read tensor 'w' (torch.quint4x2 packs several elements into a byte)",
                     "save it with .dequantize()")
        self.refused({"w": torch.ones(3).to_sparse()}, "torch.sparse_coo is not a plain tensor", ".to_dense()")
        self.refused({"w": torch.ones(3, dtype=torch.complex128)}, "torch.complex128", "save it in another dtype")

    def test_integers_beyond_64_bits_are_compared(self):
        values = (2**63, 2**64 - 1, 2**70, 2**127 + 5, -(2**63) - 1, -(2**90))
        long = {f"huge{i}": value for i, value in enumerate(values)}
        self.agree(long, long)
        for change in (lambda value: value + (1 if value > 0 else -1), lambda value: -value, lambda value: 5,
                       lambda value: value % 2**64 - 2**63):
            other = {name: change(value) for name, value in long.items()}
            self.differ(long, other, "different: 6 of 7 pairs", *long)
        # The state of NumPy's PCG64, as data loaders save it.
        state = {"loader": {"state": {"state": 2**127 + 3, "inc": 2**126 + 1}, "uinteger": 0}}
        moved = {"loader": {"state": {"state": 2**127 + 3 + 2**64, "inc": 2**126 + 1}, "uinteger": 0}}
        self.agree(state, state)
        self.differ(state, moved, "loader.state.state: 1 of 3 elements differ")

    def test_entries_that_are_not_plain_are_named(self):
        state = {"huge": 2**70, "small": -(2**63), "large": 2**63 - 1, "w": per_tensor(torch.ones(3)), "version": "1.0"}
        code, text = self.compare(state, state | {"version": "2.0"}, "pt")
        self.assertEqual(code, 0, text)
        for sentence in ("compared in words of 64 bits, the lowest first, because they are integers beyond int64: huge\n",
                         "compared as int_repr, scale and zero point, because they are quantised: w\n",
                         "left out, because they are neither tensors nor numbers: version\n"):
            self.assertEqual(text.count(sentence), 2, text)
        code, text = self.compare(state, state | {"huge": 2**70 + 1}, "pt")
        self.assertEqual(code, 1, text)
        self.assertNotIn("neither tensors nor numbers: huge", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
