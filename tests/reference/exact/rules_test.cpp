// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of plain PyTorch models: each is what its formula says, forward and backward. Python's tests
// (tests/harness/python/exact) have more of them.
#include <cmath>

#include <gmock/gmock.h>

#include "reference/exact/strict.hpp"
#include "tests/reference/exact/twin_fixture.hpp"

namespace parity::reference::exact {
namespace {

using testing::HasSubstr;

class RulesTest : public TwinFixture {
 protected:
  ~RulesTest() override { refuse_strictly(false); }

  using Function = std::function<at::Tensor(const at::Tensor& x)>;

  /// Returns whether two functions have equal values and gradients.
  static bool are_one(const at::Tensor& x, const Function& f, const Function& g) {
    const at::Tensor a = f(x), b = g(x), c = variable("c", a.sizes()).detach();
    return same(a, b) &&
           same(torch::autograd::grad({a}, {x}, {c})[0], torch::autograd::grad({b}, {x}, {c})[0]);
  }
};

TEST_F(RulesTest, LayerNormIsItsFormula) {
  const auto formula = [](double eps) {
    return [eps](const at::Tensor& x) {
      const at::Tensor centered = x - x.mean(-1, true);
      return centered / (centered.square().mean(-1, true) + eps).sqrt();
    };
  };
  const auto operation = [](const at::Tensor& x) { return at::layer_norm(x, {7}, {}, {}, 1e-5); };
  EXPECT_TRUE(are_one(variable("x", {5, 7}), operation, formula(1e-5)));
  EXPECT_FALSE(are_one(variable("x", {5, 7}), operation, formula(1e-5 * (1 + 1e-10))));
}

TEST_F(RulesTest, ARootIsTheSameInEveryForm) {
  const at::Tensor x = variable("x", {16, 3});
  const auto mean = [](const at::Tensor& y) { return y.square().mean(-1, true) + 1e-5; };
  EXPECT_TRUE(are_one(
      x, [&](const at::Tensor& y) { return y * mean(y).rsqrt(); },
      [&](const at::Tensor& y) { return y / mean(y).sqrt(); }));
  EXPECT_TRUE(are_one(
      x, [&](const at::Tensor& y) { return y * mean(y).rsqrt(); },
      [&](const at::Tensor& y) { return y * mean(y).pow(-0.5); }));
}

TEST_F(RulesTest, RenewedInputsOfCenteredNormsHaveRoots) {
  const at::Tensor x = renewed(variable("x", {32, 5}), 1e-5, /*centered=*/true).detach();
  const at::Tensor variance = (x - x.mean(-1, true)).square().mean(-1, true) + 1e-5, root = variance.sqrt();
  EXPECT_TRUE(same(root.clone() * root.clone(), variance.clone()));
}

TEST_F(RulesTest, GeluIsItsFormula) {
  const auto formula = [](double scale) {
    return [scale](const at::Tensor& x) { return x * 0.5 * ((x * scale).erf() + 1); };
  };
  const auto operation = [](const at::Tensor& x) { return at::gelu(x); };
  EXPECT_TRUE(are_one(variable("x", {9}), operation, formula(M_SQRT1_2)));
  EXPECT_FALSE(are_one(variable("x", {9}), operation, formula(M_SQRT1_2 * (1 + 1e-10))));
}

TEST_F(RulesTest, ConvolutionIsASumOfShiftedProducts) {
  const at::Tensor w = variable("w", {3, 2, 2}).detach();
  const auto operation = [&](const at::Tensor& x) { return at::conv1d(x, w, {}, 2, 1); };
  const auto formula = [&](int64_t begin) {
    return [&w, begin](const at::Tensor& x) {
      const at::Tensor padded = at::constant_pad_nd(x, {1, 1});
      return at::matmul(w.select(2, 0), padded.slice(2, begin, 7, 2).narrow(2, 0, 3)) +
             at::matmul(w.select(2, 1), padded.slice(2, begin + 1, 8, 2).narrow(2, 0, 3));
    };
  };
  EXPECT_TRUE(are_one(variable("x", {4, 2, 5}), operation, formula(0)));
  EXPECT_FALSE(are_one(variable("x", {4, 2, 5}), operation, formula(1)));
  EXPECT_THAT(complaint([&] { at::conv_transpose1d(variable("y", {4, 3, 5}), w); }), HasSubstr("transposed"));
}

TEST_F(RulesTest, AStrictTwinRefusesWhatResiduesDoNotCover) {
  const at::Tensor x = variable("x", {4}).detach();
  EXPECT_EQ(complaint([&] { x.sum().item<double>(); }), "");
  refuse_strictly(true);
  EXPECT_THAT(complaint([&] { x.sum().item<double>(); }), HasSubstr("reads a number out"));
  EXPECT_THAT(complaint([&] { at::randn({3}); }), HasSubstr("random numbers"));
  EXPECT_THAT(complaint([&] { x.view(at::kInt); }), HasSubstr("the bits"));
  const at::Tensor nan = (x - x) / (x - x);
  EXPECT_THAT(complaint([&] { nan.gt(0); }), HasSubstr("NaN"));
  EXPECT_THAT(complaint([&] { nan.amax(); }), HasSubstr("NaN"));
  EXPECT_EQ(complaint([&] { x.gt(0).any().item<bool>(); }), "");
}

}  // namespace
}  // namespace parity::reference::exact
