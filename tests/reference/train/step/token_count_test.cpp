// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The counts that an update reports match its batches, in every mode.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "reference/data/loader.hpp"
#include "reference/train/run/halves.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

struct Mode {
  const char* name;
  Normalization normalization;
  Accumulation accumulation;
  UpdateCall update;
};

class TokenCountTest : public testing::TestWithParam<Mode> {};

TEST_P(TokenCountTest, IsCountedFromTheBatches) {
  RunConfig config = tiny_config();
  config.data.micro_batches = 2;
  config.data.ignore_fraction = 0.4;
  config.loss.normalization = GetParam().normalization;
  config.loss.accumulation = GetParam().accumulation;
  Trainer trainer(config);
  int64_t tokens = 0, valid = 0;
  std::vector<int64_t> indices;
  trainer.set_batch_hook([&](int64_t, int64_t index, const MicroBatch& batch) {
    indices.push_back(index);
    tokens += static_cast<int64_t>(batch.tokens.size());
    for (const int64_t label : batch.labels)
      valid += label != ignored_label;
  });
  for (int step = 0; step < 2; ++step) {
    tokens = valid = 0;
    const StepResult result =
        GetParam().update == UpdateCall::step ? trainer.step() : update_by_halves(trainer, GetParam().update);
    EXPECT_EQ(result.step, step + 1);
    EXPECT_EQ(result.tokens, tokens);
    EXPECT_EQ(result.tokens, 4 * 12);
    EXPECT_EQ(result.valid_tokens, valid);
    EXPECT_LT(result.valid_tokens, result.tokens);
    EXPECT_GT(result.seconds, 0);
  }
  EXPECT_THAT(indices, testing::ElementsAre(0, 1, 0, 1));
}

INSTANTIATE_TEST_SUITE_P(
    Modes, TokenCountTest,
    testing::Values(
        Mode{"GlobalTokens", Normalization::global_tokens, Accumulation::prefetched, UpdateCall::step},
        Mode{"MicrobatchMean", Normalization::microbatch_mean, Accumulation::prefetched, UpdateCall::step},
        Mode{"GradientScaling", Normalization::gradient_scaling, Accumulation::prefetched, UpdateCall::step},
        Mode{"Streamed", Normalization::gradient_scaling, Accumulation::streamed, UpdateCall::step},
        Mode{"Halves", Normalization::global_tokens, Accumulation::prefetched, UpdateCall::halves},
        Mode{"HalvesZeroing", Normalization::global_tokens, Accumulation::prefetched,
             UpdateCall::halves_zeroing}),
    [](const auto& instance) { return instance.param.name; });

TEST(TokenCountTest, MicroBatchWithoutLabel_MeanNamesIt) {
  RunConfig config = tiny_config();
  config.loss.normalization = Normalization::microbatch_mean;
  Trainer trainer(config);
  UpdateBatches batches = trainer.next_batches();
  batches.micro_batches.push_back(batches.micro_batches[0]);
  std::fill(batches.micro_batches[1].labels.begin(), batches.micro_batches[1].labels.end(), ignored_label);
  batches.micro_batches[1].valid_tokens = 0;
  try {
    trainer.forward_backward(batches);
    FAIL() << "a mean over nothing";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("micro-batch 2 of update 1 has no label that counts ("));
  }
}

}  // namespace
}  // namespace parity::reference
