# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on two functions: what is the same, what differs and where, and what proves nothing.

Usage: exact/same_test.py SOURCE_DIR
"""
import traceback
import warnings

from exactly import ExactTest, exact, main, numbers, page

import torch
import torch.nn.functional as F
from torch import nn

X, W = numbers(4, 8), numbers(6, 8)


def split(x, w):
    return x[:, 5:] @ w[:, 5:].T + x[:, :5] @ w[:, :5].T


class Detached(torch.autograd.Function):
    """A product whose backward pass forgets one term."""

    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w.T

    @staticmethod
    def backward(ctx, gradient):
        x, w = ctx.saved_tensors
        return gradient @ w, gradient.T @ x * 0.999999


class VerdictTest(ExactTest):
    def test_sums_in_another_order_are_the_same(self):
        verdict = self.expect_same(F.linear, split, (X, W))
        self.assertEqual(verdict.compared, ("output", "gradient of input 0", "gradient of input 1"))
        self.assertIn("104 elements", str(verdict))

    def test_values_and_gradients_of_the_caller_stay_as_they_are(self):
        x, w = X.clone(), W.clone().requires_grad_()
        exact.same(lambda x, w: x.mul_(2) @ w.T, F.linear, (x, w))
        self.assertTrue(torch.equal(x, X))
        self.assertIsNone(w.grad)
        self.assertFalse(x.requires_grad)

    def test_a_difference_far_below_rounding_is_seen(self):
        verdict = self.expect_different(F.linear, lambda x, w: split(x, w) * (1 + 1e-15), (X, W), "output")
        self.assertEqual(verdict.first.place, (0, 0))
        self.assertIn("24 of 24 elements", str(verdict))

    def test_one_element_is_named(self):
        def wrong(x):
            y = x * 3
            y[2, 5] = y[2, 5] + 1e-30
            return y

        verdict = self.expect_different(lambda x: x * 3, wrong, X, "output")
        self.assertEqual(verdict.first.place, (2, 5))
        self.assertIn("1 of 32 elements", verdict.first.text)

    def test_a_wrong_backward_pass_is_named(self):
        verdict = exact.same(lambda x, w: F.linear(x, w), lambda x, w: Detached.apply(x, w), {"x": X, "w": W})
        self.assertEqual(verdict.first.name, "gradient of w", str(verdict))
        self.assertEqual(verdict.compared, ("output", "gradient of x"))
        self.expect_same(lambda x, w: F.linear(x, w), lambda x, w: Detached.apply(x, w), {"x": X, "w": W}, gradients=False)

    def test_no_gradient_is_not_a_gradient_of_zeros(self):
        verdict = self.expect_different(lambda x, w: x * 2, lambda x, w: x * 2 + 0 * w.sum(), {"x": X, "w": W}, "gradient of w")
        self.assertIn("f gives none", str(verdict))

    def test_an_input_without_a_gradient_in_both_is_told(self):
        verdict = self.expect_same(lambda x, w: x * w.detach(), lambda x, w: w.detach() * x, {"x": X, "w": X})
        self.assertEqual(verdict.independent, ("w",))
        self.assertIn("no gradient in either function: w", str(verdict))

    def test_silence_proves_nothing(self):
        self.expect_unproved(lambda x: None, lambda x: None, X)
        self.expect_unproved(lambda x: [], lambda x: [], X)
        self.expect_unproved(lambda x: x.detach() * 2, lambda x: x.detach() * 2, X)
        self.expect_unproved(lambda x: x[:0], lambda x: x[:0], X)
        self.expect_unproved(lambda x: x > 0, lambda x: x > 0, X)
        self.expect_unproved(lambda x: torch.ones(3), lambda x: torch.ones(3), X)
        self.expect_same(lambda x: x.detach() * 2, lambda x: x.detach() + x.detach(), X, gradients=False)

    def test_shapes_dtypes_and_structure_count(self):
        self.expect_different(lambda x: x * 2, lambda x: (x * 2).double(), X, "output")
        self.expect_different(lambda x: x * 2, lambda x: (x * 2).view(8, 4), X, "output")
        self.expect_different(lambda x: x * 2, lambda x: [x * 2], X, "output")
        self.expect_different(lambda x: {"a": x, "b": x}, lambda x: {"a": x}, X, "output['b']")
        self.expect_different(lambda x: (x, 1), lambda x: (x, 2), X, "output[1]")
        self.expect_different(lambda x: (x, x.argmax()), lambda x: (x, x.argmin()), X, "output[1]")

    def test_values_that_are_not_finite_prove_nothing(self):
        self.expect_unproved(lambda x: x * 1e38 * 1e38, lambda x: x * 1e38 * 1e38, X)
        verdict = self.expect_unproved(lambda x: x / 0, lambda x: x / 0, X)
        self.assertIn("has no residue", str(verdict))
        self.expect_same(lambda x: x.masked_fill(X > 0, -torch.inf), lambda x: torch.where(X > 0, -torch.inf, x), X)

    def test_an_input_that_only_one_changes_is_named(self):
        self.expect_different(lambda x: x.mul_(2), lambda x: x * 2, {"x": X}, "x after the call")
        self.expect_same(lambda x: x.mul_(2), lambda x: x.add_(x), X)

    def test_names_of_inputs_and_parameters_do_not_meet(self):
        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.x = nn.Parameter(X.clone())

            def forward(self, x):
                return self.x * x

        self.expect_different(Scale(), lambda x: x * x, {"x": X}, gradients=False)

    def test_further_trials_have_other_residues(self):
        self.expect_same(F.linear, split, (X, W), trials=3)
        with self.assertRaisesRegex(ValueError, "compares nothing"):
            exact.same(F.linear, split, (X, W), trials=0)


class PageTest(ExactTest):
    def test_two_functions(self):
        names = {}
        exec(page()[0], names)
        self.assertTrue(names["verdict"])
        self.expect_different(names["library"], lambda x, w: names["mine"](x, w) * (1 + 1e-15), names["inputs"])


class ModuleTest(ExactTest):
    def test_parameters_are_compared_by_name(self):
        a, b = nn.Linear(8, 6), nn.Linear(8, 6)
        with self.assertRaisesRegex(ValueError, "load_state_dict"):
            exact.same(a, b, X)
        b.load_state_dict(a.state_dict())
        verdict = self.expect_same(a, b, X)
        self.assertIn("gradient of parameter bias", verdict.compared)
        self.assertIsNone(a.weight.grad)

    def test_a_function_may_use_the_parameters_of_the_module(self):
        m = nn.Linear(8, 6)
        self.expect_same(m, lambda x: x @ m.weight.T + m.bias, X)
        self.expect_different(m, lambda x: x @ m.weight.detach().T + m.bias, X, "gradient of parameter weight")

    def test_a_transformer_layer_equals_its_parts(self):
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)

        def parts(x):
            x = layer.norm1(x + layer.self_attn(x, x, x, need_weights=False)[0])
            return layer.norm2(x + layer.linear2(F.relu(layer.linear1(x))))

        self.expect_same(layer, parts, numbers(2, 5, 8), renew=True)
        self.expect_different(layer, lambda x: parts(x * (1 + 1e-7)), numbers(2, 5, 8), renew=True)

    def test_buffers_are_constants(self):
        m = nn.Linear(8, 6)
        m.register_buffer("table", torch.arange(8.0))
        m.forward = lambda x: F.linear(x * m.table, m.weight, m.bias)
        self.expect_same(m, lambda x: F.linear(x, m.weight * torch.arange(8.0), m.bias), X)


class RefusedTest(ExactTest):
    def refused(self, function, pattern, inputs=X, **options):
        with self.assertRaisesRegex(exact.Refused, pattern) as caught:
            exact.same(function, function, inputs, **options)
        return "".join(traceback.format_exception(caught.exception))

    def test_an_operator_without_an_exact_form_is_named_with_its_place(self):
        def strange(x):
            return x.lgamma()  # here

        self.assertIn("return x.lgamma()  # here", self.refused(strange, "aten::lgamma.* has no exact form"))

    def test_a_backward_operator_names_the_forward_call(self):
        def chosen(x):
            return x.masked_select(x > 0)  # here

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            text = self.refused(chosen, "masked_s.* has no exact form")
        self.assertIn("return x.masked_select(x > 0)  # here", text)
        self.expect_same(chosen, chosen, X, gradients=False)

    def test_numbers_that_the_program_reads_are_refused(self):
        self.refused(lambda x: x * x.sum().item(), "reads a number out")
        self.refused(lambda x: x * float(x[0, 0]), "reads a number out")
        self.refused(lambda x: x * torch.tensor(x.tolist()), "tolist")
        self.refused(lambda x: x * torch.tensor(x.detach().numpy()), "numpy")
        self.refused(lambda x: x * torch.from_numpy(x.detach().numpy() * 2), "numpy")
        self.refused(lambda x: x * (x.view(torch.int32) + 1).view(torch.float32), "reads the bits")

    def test_numbers_cast_to_integers_are_refused(self):
        for cast in (lambda x: x.int(), lambda x: x.long(), lambda x: torch.zeros(4, 8, dtype=torch.int64).copy_(x)):
            with self.assertRaisesRegex(exact.Refused, "casts numbers to integers"):
                exact.same(lambda x, c=cast: x + c(x).float(), lambda x, c=cast: x + c(x + 1e-9).float(), (X,))
        self.expect_same(lambda x: x * (x > 0), lambda x: x * (x > 0).float(), (X,))  # a decision

    def test_random_numbers_are_refused(self):
        self.refused(lambda x: F.dropout(x, 0.5), "random numbers.*set dropout to 0")
        self.refused(lambda x: x + torch.randn(8), "random numbers")
        self.refused(lambda x: x * torch.multinomial(x.abs(), 1), "random numbers")

    def test_decisions_about_nan_are_refused(self):
        self.refused(lambda x: torch.where((x - x) / (x - x) > 0, x, -x), "decides by values that are NaN")
        self.refused(lambda x: (x * 1e38 * 1e38).clamp(max=1.0), "decides by values that are NaN or infinite")

    def test_tensors_from_elsewhere_are_refused(self):
        table = numbers(8)
        self.refused(lambda x: x * table, "give such a tensor as an input")
        self.expect_same(lambda x: x * exact.constant(table), lambda x: exact.constant(table) * x, X)
        self.expect_different(lambda x: x * exact.constant(table), lambda x: x * exact.draw(table, "table"), X)

    def test_an_operator_of_another_library_gets_no_rule(self):
        @torch.library.custom_op("parity_test::add", mutates_args=(), device_types="cpu")
        def add(x: torch.Tensor) -> torch.Tensor:
            return x * 2

        self.refused(lambda x: torch.ops.parity_test.add(x), "parity_test::add.* has no exact form", gradients=False)

    def test_too_many_exponentials_are_refused(self):
        self.refused(lambda x: x.exp().exp().exp().exp(), "no level left.*renew=True")


if __name__ == "__main__":
    main()
