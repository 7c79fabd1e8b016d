// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/data/loader.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"

namespace parity::reference {
namespace {

/// Packed documents with EOS and positions that restart.
RunConfig packed_config(DocumentBoundary boundary, int64_t micro_batches = 1,
                        Packing packing = Packing::stream) {
  RunConfig config = tiny_config(Precision::float64);
  config.data.packing = packing;
  config.data.positions = PositionsChoice::document;
  config.data.document_tokens = 4;
  config.data.eos_id = 39;
  config.data.micro_batches = micro_batches;
  config.attention = {AttentionBackend::flex, {boundary}};
  return config;
}

TEST(MaskResultTest, DoesNotDependOnTheNumberOfMicroBatches) {
  Trainer whole(packed_config(DocumentBoundary::eos, 1)), parts(packed_config(DocumentBoundary::eos, 4));
  for (int step = 0; step < 3; ++step) {
    const StepResult a = whole.step(), b = parts.step();
    ASSERT_TRUE(a.mask && b.mask);
    EXPECT_EQ(a.mask->pairs, b.mask->pairs);
    EXPECT_EQ(a.mask->digest, b.mask->digest);
    EXPECT_EQ(a.mask->position_digest, b.mask->position_digest);
    EXPECT_NEAR(a.loss, b.loss, 1e-13 * a.loss);
  }
}

TEST(MaskResultTest, CountsAreThoseOfTheDocumentsThatTheHookSees) {
  Trainer trainer(packed_config(DocumentBoundary::eos, 2));
  int64_t pairs = 0;
  trainer.set_batch_hook([&](int64_t, int64_t, const MicroBatch& batch) {
    const std::vector<int64_t> ids = trainer.document_ids(batch);
    for (int64_t b = 0; b < batch.rows; ++b)
      for (int64_t q = 0; q < batch.seq_len; ++q)
        for (int64_t kv = 0; kv <= q; ++kv)
          pairs += ids[static_cast<size_t>(b * batch.seq_len + q)] ==
                   ids[static_cast<size_t>(b * batch.seq_len + kv)];
  });
  const StepResult result = trainer.step();
  EXPECT_EQ(result.mask->pairs, pairs);
  EXPECT_LT(pairs, 4 * 12 * 13 / 2);
}

TEST(MaskResultTest, EosAndPositions_AgreeUnlessNewlineFollowsEos) {
  for (const int64_t newline : {-1, 38}) {
    RunConfig eos = packed_config(DocumentBoundary::eos);
    RunConfig positions = packed_config(DocumentBoundary::position_difference);
    eos.data.newline_id = positions.data.newline_id = newline;
    Trainer a(eos), b(positions);
    const StepResult by_eos = a.step(), by_position = b.step();
    EXPECT_EQ(by_eos.batch_digest, by_position.batch_digest);
    EXPECT_EQ(by_eos.mask->digest == by_position.mask->digest, newline < 0);
    EXPECT_EQ(by_eos.loss == by_position.loss, newline < 0);
  }
}

TEST(MaskResultTest, IsLeftOutWhereTheConfigSpeaksOfNoMask) {
  EXPECT_FALSE(Trainer(tiny_config()).step().mask.has_value());
  RunConfig flex = tiny_config();
  flex.attention.backend = AttentionBackend::flex;
  EXPECT_EQ(Trainer(flex).step().mask->pairs, 4 * 12 * 13 / 2);
}

TEST(MaskResultTest, EveryPadIsSeenByItselfOnly) {
  RunConfig config = packed_config(DocumentBoundary::position_zero, 1, Packing::first_fit);
  config.data.document_tokens = 6;
  Trainer trainer(config);
  int64_t pads = 0;
  trainer.set_batch_hook([&](int64_t, int64_t, const MicroBatch& batch) {
    const std::vector<int64_t> ids = trainer.document_ids(batch);
    for (size_t i = 0; i < batch.labels.size(); ++i)
      if (batch.labels[i] == ignored_label) {
        ++pads;
        EXPECT_TRUE(i % 12 == 0 || ids[i] != ids[i - 1]) << i;
      }
  });
  const StepResult result = trainer.step();
  EXPECT_GT(pads, 0) << "nothing was padded";
  EXPECT_EQ(result.valid_tokens, 4 * 12 - pads);
}

TEST(DocumentWarningTest, SaysWhichOfTwoMarksIsUsed) {
  using testing::ElementsAre;
  using testing::HasSubstr;
  EXPECT_THAT(Trainer(packed_config(DocumentBoundary::eos)).warnings(),
              ElementsAre(testing::AllOf(HasSubstr("by EOS"), HasSubstr("the positions only affect RoPE"))));
  EXPECT_THAT(Trainer(packed_config(DocumentBoundary::position_zero)).warnings(),
              ElementsAre(testing::AllOf(HasSubstr("by positions"), HasSubstr("position_zero"))));
  RunConfig only_eos = packed_config(DocumentBoundary::eos);
  only_eos.data.positions = PositionsChoice::sequence;
  EXPECT_THAT(Trainer(only_eos).warnings(), testing::IsEmpty());
  EXPECT_THAT(Trainer(tiny_config()).warnings(), testing::IsEmpty());
}

TEST(DocumentWarningTest, Warning_PackingDropsEos_SaysEosMarksNothing) {
  for (const Packing packing : {Packing::concat_then_split, Packing::first_fit}) {
    RunConfig config = packed_config(DocumentBoundary::eos, 1, packing);
    config.data.positions = PositionsChoice::sequence;
    Trainer trainer(config);
    EXPECT_THAT(trainer.warnings(), testing::ElementsAre(testing::HasSubstr("eos finds no boundary")));
    const StepResult causal = trainer.step();
    const int64_t rows = config.data.global_batch, length = config.data.seq_len;
    EXPECT_EQ(causal.mask->pairs, rows * length * (length + 1) / 2);
    config.data.newline_id = 38;  // after EOS, which then is an input
    Trainer marked(config);
    EXPECT_THAT(marked.warnings(), testing::IsEmpty());
    EXPECT_LT(marked.step().mask->pairs, causal.mask->pairs);
  }
}

}  // namespace
}  // namespace parity::reference
