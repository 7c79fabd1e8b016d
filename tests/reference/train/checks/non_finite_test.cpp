// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/checks/non_finite.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Trains with `fault` in the phase hook until it fails.
Json failure_with(Trainer& trainer, const std::function<void(trace::Phase)>& fault) {
  trainer.set_phase_hook(fault);
  try {
    for (int step = 0; step < 6; ++step)
      trainer.step();
  } catch (const NonFinite& error) {
    EXPECT_EQ(error.code(), ExitCode::crashed);
    return error.to_json();
  }
  return {{"kind", "none"}};
}

void poison(const torch::Tensor& x, float value) {
  torch::Tensor(x).flatten().index_put_({5}, value);
}

TEST(NonFiniteTest, NamesTheFirstGradientInModelOrder) {
  Trainer trainer(tiny_config());
  const Json failure = failure_with(trainer, [&](trace::Phase phase) {
    const torch::NoGradGuard no_grad;
    if (phase != trace::Phase::grad || trainer.updates_done() != 1)
      return;
    poison(trainer.parameters()[9].value.grad(), nan);
    poison(trainer.parameters()[4].value.grad(), std::numeric_limits<float>::infinity());
  });
  EXPECT_EQ(failure["kind"], "non_finite");
  EXPECT_EQ(failure["step"], 2);
  EXPECT_EQ(failure["phase"], "grad");
  EXPECT_EQ(failure["tensor"], "layers.0.attention.wo.weight");
  EXPECT_THAT(
      failure["message"].get<std::string>(),
      testing::HasSubstr("update 2: grad_norm is nan (the first tensor that is not finite is the gradient of "
                         "layers.0.attention.wo.weight)"));
}

TEST(NonFiniteTest, BlamesAParameterThatAnUpdateSpoilt) {
  Trainer trainer(tiny_config());
  const Json failure = failure_with(trainer, [&](trace::Phase phase) {
    const torch::NoGradGuard no_grad;
    if (phase == trace::Phase::param && trainer.updates_done() == 2)
      poison(trainer.parameters()[6].value, nan);
  });
  EXPECT_EQ(failure["step"], 3);
  EXPECT_EQ(failure["phase"], "param");
  EXPECT_EQ(failure["tensor"], "layers.0.feed_forward.w2.weight");
}

TEST(NonFiniteTest, FindsTheBlockWhoseResultOverflows) {
  Trainer trainer(tiny_config());
  const Json failure = failure_with(trainer, [&](trace::Phase phase) {
    const torch::NoGradGuard no_grad;
    if (phase == trace::Phase::param && trainer.updates_done() == 1)
      torch::Tensor(trainer.parameters()[14].value).fill_(1e30F);  // layers.1.feed_forward.w1, finite itself
    if (phase == trace::Phase::param && trainer.updates_done() == 1)
      torch::Tensor(trainer.parameters()[16].value).fill_(1e30F);  // w3
  });
  EXPECT_EQ(failure["step"], 2);
  EXPECT_EQ(failure["phase"], "forward");
  EXPECT_EQ(failure["tensor"], "layers.1.feed_forward");
}

TEST(NonFiniteTest, AnAbsurdLearningRateEndsTheRun) {
  RunConfig config = tiny_config();
  config.lr.base = 1e30;
  Trainer trainer(config);
  const Json failure = failure_with(trainer, {});
  EXPECT_EQ(failure["kind"], "non_finite");
  EXPECT_EQ(failure["step"], 2);
}

}  // namespace
}  // namespace parity::reference
