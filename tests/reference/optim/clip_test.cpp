// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/optim/clip.hpp"

#include <gtest/gtest.h>

namespace parity::reference {
namespace {

/// Two 2x2 parameters whose gradients have norms 3 and 4.
Parameters with_norm_five() {
  Parameters parameters;
  for (const double norm : {3.0, 4.0}) {
    torch::Tensor value = torch::zeros({2, 2}, torch::kFloat64).requires_grad_(true);
    value.mutable_grad() = torch::tensor({norm, 0.0, 0.0, 0.0}, torch::kFloat64).view({2, 2});
    parameters.push_back({norm == 3.0 ? "first" : "second", value});
  }
  return parameters;
}

double first_element(const Parameter& parameter) {
  return parameter.value.grad()[0][0].item<double>();
}

TEST(ClipTest, NormIsThatOfAllGradientsTogether) {
  EXPECT_DOUBLE_EQ(gradient_norm(with_norm_five()).item<double>(), 5.0);
}

TEST(ClipTest, ScalesDownToTheLargestNorm) {
  const Parameters parameters = with_norm_five();
  clip_gradients(parameters, gradient_norm(parameters), 2.0);
  EXPECT_NEAR(first_element(parameters[0]), 3 * 2 / (5 + 1e-6), 1e-15);
  EXPECT_NEAR(first_element(parameters[1]), 4 * 2 / (5 + 1e-6), 1e-15);
}

TEST(ClipTest, LeavesSmallGradientsTheirBits) {
  const Parameters parameters = with_norm_five();
  clip_gradients(parameters, gradient_norm(parameters), 6.0);
  EXPECT_EQ(first_element(parameters[0]), 3.0);
  EXPECT_EQ(first_element(parameters[1]), 4.0);
}

TEST(ClipTest, ANormAtTheLimitIsStillScaledByTheEpsilon) {
  const Parameters parameters = with_norm_five();
  clip_gradients(parameters, gradient_norm(parameters), 5.0);
  EXPECT_LT(first_element(parameters[0]), 3.0);
}

}  // namespace
}  // namespace parity::reference
