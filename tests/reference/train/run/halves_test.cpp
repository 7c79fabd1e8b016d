// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/run/halves.hpp"

#include <gtest/gtest.h>

#include "reference/data/loader.hpp"
#include "reference/model/parameter.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

RunConfig config_of(int64_t micro_batches) {
  RunConfig config = tiny_config();
  config.data.micro_batches = micro_batches;
  config.data.ignore_fraction = 0.3;
  return config;
}

void expect_same(const StepResult& actual, const StepResult& expected) {
  EXPECT_EQ(actual.loss, expected.loss);
  EXPECT_EQ(actual.grad_norm, expected.grad_norm);
  EXPECT_EQ(actual.lr, expected.lr);
  EXPECT_EQ(actual.update_norm, expected.update_norm);
  EXPECT_EQ(actual.valid_tokens, expected.valid_tokens);
  EXPECT_EQ(actual.batch_digest, expected.batch_digest);
}

TEST(HalvesTest, AnUpdateFromOutsideHasTheBitsOfStep) {
  for (const Normalization normalization :
       {Normalization::global_tokens, Normalization::microbatch_mean, Normalization::gradient_scaling}) {
    RunConfig config = config_of(2);
    config.loss.normalization = normalization;
    Trainer whole(config), halves(config);
    for (int step = 0; step < 3; ++step)
      expect_same(update_by_halves(halves, UpdateCall::halves), whole.step());
  }
}

TEST(HalvesTest, ZeroingForwardBackward_KeepsLastMicroBatch) {
  Trainer zeroing(config_of(2)), last(config_of(2));
  std::vector<torch::Tensor> kept;
  zeroing.set_phase_hook([&](trace::Phase phase) {
    for (const Parameter& parameter : zeroing.parameters())
      if (phase == trace::Phase::grad)
        kept.push_back(parameter.value.grad().clone());
  });
  update_by_halves(zeroing, UpdateCall::halves_zeroing);
  const UpdateBatches batches = last.next_batches();
  last.forward_backward(batches.micro_batches[1], batches.totals);
  for (size_t i = 0; i < kept.size(); ++i)
    EXPECT_TRUE(torch::equal(kept[i], last.parameters()[i].value.grad())) << last.parameters()[i].name;
}

TEST(HalvesTest, ZeroingChangesNothingWithOneMicroBatch) {
  Trainer whole(config_of(1)), zeroing(config_of(1));
  for (int step = 0; step < 2; ++step)
    expect_same(update_by_halves(zeroing, UpdateCall::halves_zeroing), whole.step());
}

}  // namespace
}  // namespace parity::reference
