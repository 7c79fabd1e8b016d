// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators, which compute residues beside their values.
#include <gmock/gmock.h>

#include <ATen/ATen.h>
#include <ATen/ScalarOps.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>
#include <torch/torch.h>

#include "harness/base/error.hpp"
#include "reference/exact/dispatch_key.hpp"
#include "reference/exact/exact.hpp"
#include "reference/exact/shadow.hpp"
#include "tests/reference/exact/twin_fixture.hpp"

namespace parity::reference::exact {
namespace {

TORCH_LIBRARY(parity_exact_test, library) {
  library.def("add(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(parity_exact_test, CPU, library) {
  library.impl("add", [](const at::Tensor& x) { return x + x; });
}

using testing::HasSubstr;

using DispatchTest = TwinFixture;

TEST_F(DispatchTest, SumsInAnotherOrderAreTheSameNumber) {
  const at::Tensor x = variable("x", {64, 32}), w = variable("w", {8, 32});
  const at::Tensor whole = at::linear(x, w);
  const at::Tensor parts = at::linear(x.narrow(1, 16, 16), w.narrow(1, 16, 16)) +
                           at::linear(x.narrow(1, 0, 16), w.narrow(1, 0, 16));
  EXPECT_FALSE(at::equal(whole, parts)) << "the values differ by rounding";
  EXPECT_TRUE(same(whole, parts));
}

TEST_F(DispatchTest, AutogradIsUnchanged) {
  const at::Tensor x = variable("x", {6, 16}), w = variable("w", {16});
  const auto gradients = [&](const at::Tensor& y) { return torch::autograd::grad({y.sum()}, {x, w}); };
  const auto a = gradients(at::silu(x) * w), b = gradients(x * (w * x.sigmoid()));
  EXPECT_TRUE(same(a[0], b[0]));
  EXPECT_TRUE(same(a[1], b[1]));
  EXPECT_FALSE(same(a[0], gradients(at::silu(x) * (w * (1 + 1e-15)))[0]));
}

TEST_F(DispatchTest, FusedAttentionIsWhatItsFormulaSays) {
  const at::Tensor q = variable("q", {2, 2, 9, 8}), k = variable("k", {2, 2, 9, 8}),
                   v = variable("v", {2, 2, 9, 8});
  const at::Tensor fused = at::scaled_dot_product_attention(q, k, v, {}, 0.0, /*is_causal=*/true);
  const auto formula = [&](int64_t diagonal) {
    const at::Tensor mask = at::ones({9, 9}, at::kBool).tril(diagonal).logical_not();
    return at::softmax((at::matmul(q, k.transpose(-1, -2)) / std::sqrt(8.0)).masked_fill(mask, -INFINITY), -1)
        .matmul(v);
  };
  const auto gradients = [&](const at::Tensor& y) {
    return torch::autograd::grad({(y * y).sum()}, {q, k, v});
  };
  EXPECT_TRUE(same(fused, fused.clone()));
  // 1 / sqrt(8) is one double as a factor and another as a divisor: a quotient would be another function.
  const at::Tensor scaled = at::softmax((at::matmul(q, k.transpose(-1, -2)) * (1 / std::sqrt(8.0)))
                                            .masked_fill(at::ones({9, 9}, at::kBool).triu(1), -INFINITY),
                                        -1)
                                .matmul(v);
  EXPECT_TRUE(same(fused, scaled));
  EXPECT_FALSE(same(fused, formula(1))) << "a mask one too wide";
  const auto a = gradients(fused), b = gradients(scaled);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(same(a[i], b[i])) << i;
}

TEST_F(DispatchTest, NarrowValuesAreWeighedByARootOfTheScale) {
  const at::Tensor q = variable("q", {1, 2, 6, 10}), k = variable("k", {1, 2, 6, 10}),
                   v = variable("v", {1, 2, 6, 5});
  const auto formula = [&](const at::Tensor& scores) { return at::softmax(scores, -1).matmul(v); };
  const double scale = 1 / std::sqrt(10.0), root = std::sqrt(scale);
  const at::Tensor found = at::scaled_dot_product_attention(q, k, v, {}, 0.0, false, scale);
  EXPECT_TRUE(same(found, formula(at::matmul(q * root, (k * root).transpose(-1, -2)))));
  EXPECT_FALSE(same(found, formula(at::matmul(q, k.transpose(-1, -2)) * scale)))
      << "the root of a double is rounded";
}

TEST_F(DispatchTest, RowsOfABatchAttendWithTheirOwnMask) {
  const at::Tensor q = variable("q", {3, 2, 5, 8}), k = variable("k", {3, 2, 5, 8}),
                   v = variable("v", {3, 2, 5, 8});
  const at::Tensor allowed =
      at::arange(75).remainder(3).ne(0).view({3, 1, 5, 5}).logical_or(at::eye(5, at::kBool));
  const at::Tensor found = at::scaled_dot_product_attention(q, k, v, allowed, 0.0, false, 0.25);
  const at::Tensor formula =
      at::softmax((at::matmul(q, k.transpose(-1, -2)) * 0.25).masked_fill(allowed.logical_not(), -INFINITY),
                  -1)
          .matmul(v);
  EXPECT_TRUE(same(found, formula));
  EXPECT_TRUE(same(torch::autograd::grad({(found * found).sum()}, {k})[0],
                   torch::autograd::grad({(formula * formula).sum()}, {k})[0]));
}

TEST_F(DispatchTest, SeveralTensorsAreUpdatedOneByOne) {
  const at::Tensor a = variable("a", {3}).detach(), b = variable("b", {4}).detach(),
                   factor = variable("f", {}).detach();
  const at::Tensor expected_a = a * factor, expected_b = b * factor;
  at::_foreach_mul_({a, b}, factor);
  EXPECT_TRUE(same(a, expected_a));
  EXPECT_TRUE(same(b, expected_b));
}

TEST_F(DispatchTest, AChangedElementGetsAnotherResidue) {
  const at::Tensor x = variable("x", {3, 4}).detach(), before = residues_of(x);
  follow_change(x, [&] { x.mutable_data_ptr<float>()[5] = std::nextafter(x.data_ptr<float>()[5], 1e30F); });
  EXPECT_EQ(residues_of(x).ne(before).sum().item<int64_t>(), 1);
  EXPECT_NE(residues_of(x)[1][1].item<int64_t>(), before[1][1].item<int64_t>());
  const at::Tensor once = residues_of(x);
  follow_change(x, [] {});
  EXPECT_TRUE(at::equal(residues_of(x), once));
  EXPECT_TRUE(same(x * 2, x + x)) << "it can be computed with";
}

TEST_F(DispatchTest, LevelsThatNobodyNeedsAreDropped) {
  const at::Tensor x = variable("x", {4}).detach().clone();
  const at::Tensor first = residues_of(x);
  limit_levels(x, 2);
  EXPECT_TRUE(same(x.exp(), x.exp()));
  limit_levels(x, 1);
  EXPECT_TRUE(at::equal(residues_of(x), first));
  EXPECT_THAT(complaint([&] { static_cast<void>(x.exp()); }), HasSubstr("no level left"));
}

TEST_F(DispatchTest, CrossEntropyInChunksIsTheWhole) {
  const at::Tensor logits = variable("l", {12, 20});
  const at::Tensor labels = at::arange(12).remainder(20).masked_fill(at::arange(12).eq(3), -100);
  const auto loss = [&](int64_t chunks) {
    at::Tensor sum = at::zeros({});
    for (int64_t i = 0; i < chunks; ++i)
      sum = sum + at::cross_entropy_loss(logits.narrow(0, i * 12 / chunks, 12 / chunks),
                                         labels.narrow(0, i * 12 / chunks, 12 / chunks), {},
                                         at::Reduction::Sum);
    return sum / 11;
  };
  EXPECT_TRUE(same(loss(1), loss(3)));
  EXPECT_TRUE(
      same(torch::autograd::grad({loss(1)}, {logits})[0], torch::autograd::grad({loss(4)}, {logits})[0]));
  const at::Tensor means = at::cross_entropy_loss(logits.narrow(0, 0, 6), labels.narrow(0, 0, 6)) / 2 +
                           at::cross_entropy_loss(logits.narrow(0, 6, 6), labels.narrow(0, 6, 6)) / 2;
  EXPECT_FALSE(same(loss(1), means)) << "a mean of means";
}

TEST_F(DispatchTest, ARenewedNormHasTheGradientOfEitherFormula) {
  const at::Tensor x = variable("x", {5, 16}), w = variable("w", {16});
  const auto gradients = [&](const auto& norm) {
    const at::Tensor y = norm(renewed(x, 1e-5));
    return torch::autograd::grad({(y * y * y).sum()}, {x, w});
  };
  const auto fused =
      gradients([&](const at::Tensor& y) { return at::rms_norm(y, {16}, w, static_cast<double>(1e-5F)); });
  const auto formula = [&](double eps) {
    return [&, eps](const at::Tensor& y) { return w * (y / (y.square().mean(-1, true) + eps).sqrt()); };
  };
  const auto written = gradients(formula(static_cast<double>(1e-5F)));
  EXPECT_TRUE(same(fused[1], written[1]));
  EXPECT_FALSE(same(fused[1], gradients(formula(static_cast<double>(1e-5F) * (1 + 1e-10)))[1]));
}

TEST_F(DispatchTest, WhatDependsOnConstantsAloneIsAConstant) {
  const at::Tensor table = at::arange(4, at::kFloat).cos();
  EXPECT_EQ(known_of(table), Known::constants);
  const at::Tensor x = variable("x", {4});
  EXPECT_EQ(known_of(x * table), Known::numbers);
}

TEST_F(DispatchTest, ViewsSeeWhatIsWrittenThroughOthers) {
  const at::Tensor x = variable("x", {4, 4}).detach(), row = x.select(0, 2);
  const at::Tensor before = residues_of(x);
  row.add_(1);
  EXPECT_FALSE(at::equal(residues_of(x)[2], before[2]));
  EXPECT_TRUE(at::equal(residues_of(x)[1], before[1]));
  EXPECT_TRUE(at::equal(residues_of(row), residues_of(x)[2]));
}

TEST_F(DispatchTest, MemoryThatChangedOutsideOfOperatorsIsRefused) {
  const at::Tensor x = variable("x", {4}).detach();
  x.mutable_data_ptr<float>()[1] += 1;
  EXPECT_THAT(complaint([&] { static_cast<void>(x + 1); }), HasSubstr("changed outside of operators"));
  const at::Tensor flat = variable("flat", {16}).detach(), part = flat.narrow(0, 3, 2),
                   table = at::zeros({4});
  flat.mutable_data_ptr<float>()[3] += 1;
  EXPECT_THAT(complaint([&] { residues_of(part); }), HasSubstr("changed outside of operators"));
  table.mutable_data_ptr<float>()[3] = 1;
  EXPECT_THAT(complaint([&] { static_cast<void>(x.detach().clone() * 2 + table); }),
              HasSubstr("changed outside"));
  EXPECT_THAT(complaint([&] { residues_of(variable("half", {4}).detach().view(at::kHalf)); }),
              HasSubstr("in another dtype"));
  const at::Tensor raw = at::empty({3});
  raw.mutable_data_ptr<float>()[0] = 1;
  EXPECT_THAT(complaint([&] { static_cast<void>(raw + 1); }), HasSubstr("no operator has written"));
}

TEST_F(DispatchTest, AnOperatorWithoutAnExactFormIsNamed) {
  const at::Tensor x = variable("x", {4});
  EXPECT_THAT(complaint([&] { static_cast<void>(x.lgamma()); }),
              HasSubstr("aten::lgamma. has no exact form"));
  EXPECT_THAT(complaint([&] { static_cast<void>(x.pow(0.3)); }), HasSubstr("the power 0.3"));
}

TEST_F(DispatchTest, VariantsOfAnOperatorThatDoMoreAreRefused) {
  const at::Tensor x = variable("x", {4}).detach(), index = at::zeros({4}, at::kLong);
  EXPECT_THAT(complaint([&] { static_cast<void>(x.scatter(0, index, x, "add")); }),
              HasSubstr("a scatter that reduces"));
  EXPECT_THAT(complaint([&] { static_cast<void>(at::constant_pad_nd(x, {1, 1}, 0.5)); }),
              HasSubstr("padding with zeros"));
  EXPECT_EQ(residues_of(at::constant_pad_nd(x, {1, 0}, 0))[0].item<int64_t>(), 0);
}

TEST_F(DispatchTest, ResultsGoWhereTheCallerWants) {
  const at::Tensor x = variable("x", {4}).detach(), y = variable("y", {4}).detach();
  at::Tensor quotient = at::empty({4}), largest = at::empty({});
  at::div_out(quotient, x, y);
  EXPECT_TRUE(same(quotient, x / y));
  at::max_out(largest, x);
  EXPECT_TRUE(same(largest, x.max()));
}

TEST_F(DispatchTest, JoiningIntoAGivenTensorMovesResidues) {
  const at::Tensor x = variable("x", {4}).detach(), y = variable("y", {3}).detach();
  at::Tensor joined = at::empty({7});
  at::cat_out(joined, {x, y});
  EXPECT_TRUE(same(joined, at::cat({x, y})));
  EXPECT_TRUE(at::equal(joined, at::cat({x, y})));
  at::Tensor chosen = at::empty({2});
  at::index_select_out(chosen, x, 0, at::arange(2));
  EXPECT_TRUE(same(chosen, x.narrow(0, 0, 2)));
}

TEST_F(DispatchTest, OperatorsOfOthersGetNoRule) {
  const at::Tensor x = variable("x", {4}).detach();
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("parity_exact_test::add", "");
  EXPECT_THAT(complaint([&] { op.typed<at::Tensor(const at::Tensor&)>().call(x); }),
              HasSubstr("parity_exact_test::add. has no exact form"));
}

TEST_F(DispatchTest, LiteralsAreConstants) {
  const at::Tensor x = variable("x", {4}), three = at::native::wrapped_scalar_tensor(3);
  EXPECT_EQ(known_of(three), Known::constants);
  EXPECT_TRUE(same(at::mul(x, three), x + x + x));
}

TEST_F(DispatchTest, APartHasTheResiduesOfItsPlaces) {
  const at::Tensor whole = variable("x", {4, 6}).detach(), part = at::zeros({4, 3});
  draw(part, "x", at::arange(24).view({4, 6}).narrow(1, 3, 3));
  EXPECT_TRUE(same(part, whole.narrow(1, 3, 3)));
}

TEST_F(DispatchTest, AnotherTwinForgetsResidues) {
  const at::Tensor x = variable("x", {4}).detach();
  begin(Tower(6, 3));
  EXPECT_THAT(complaint([&] { static_cast<void>(x + 1); }), HasSubstr("outside of operators"));
}

TEST_F(DispatchTest, IntegersMakeNoResidues) {
  const at::Tensor x = variable("x", {4});
  EXPECT_EQ(x.gt(0).scalar_type(), at::kBool);
  EXPECT_EQ(known_of(x.gt(0).to(at::kFloat)), Known::constants);
}

}  // namespace
}  // namespace parity::reference::exact
