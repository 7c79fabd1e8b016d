// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "reference/data/loader.hpp"
#include "reference/model/parameter.hpp"
#include "reference/train/trainer.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

/// Four rows with unequal numbers of valid tokens, in float64.
RunConfig config_with(int64_t micro_batches, Normalization normalization) {
  RunConfig config = tiny_config(Precision::float64);
  config.data.micro_batches = micro_batches;
  config.data.ignore_fraction = 0.4;
  config.loss.normalization = normalization;
  return config;
}

/// Largest relative L2 distance of a gradient between 1 micro-batch of 4 rows and 4 of 1.
double gradient_gap(Normalization normalization) {
  Trainer whole(config_with(1, normalization)), parts(config_with(4, normalization));
  whole.forward_backward(whole.next_batches());
  const UpdateBatches batches = parts.next_batches();
  EXPECT_NE(batches.micro_batches[0].valid_tokens, batches.micro_batches[1].valid_tokens);
  parts.forward_backward(batches);
  double largest = 0;
  for (size_t i = 0; i < whole.parameters().size(); ++i) {
    const torch::Tensor expected = whole.parameters()[i].value.grad();
    const torch::Tensor actual = parts.parameters()[i].value.grad();
    largest = std::max(largest, ((actual - expected).norm() / expected.norm()).item<double>());
  }
  return largest;
}

TEST(AccumulationTest, GlobalTokensGivesTheSameGradientHoweverItIsCut) {
  EXPECT_LE(gradient_gap(Normalization::global_tokens), 1e-13);
}

TEST(AccumulationTest, MicrobatchMeanGivesAnotherGradientWhereTokensDiffer) {
  EXPECT_GE(gradient_gap(Normalization::microbatch_mean), 1e-2);
}

TEST(AccumulationTest, LossAndBatchesAgreeBetweenCuts) {
  Trainer whole(config_with(1, Normalization::global_tokens));
  Trainer parts(config_with(4, Normalization::global_tokens));
  for (int step = 0; step < 3; ++step) {
    const StepResult a = whole.step(), b = parts.step();
    EXPECT_NEAR(a.loss, b.loss, 1e-13 * a.loss);
    EXPECT_EQ(a.valid_tokens, b.valid_tokens);
    EXPECT_EQ(a.batch_digest, b.batch_digest);
  }
}

}  // namespace
}  // namespace parity::reference
