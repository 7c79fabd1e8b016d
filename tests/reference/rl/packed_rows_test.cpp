// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/packed_rows.hpp"

#include <gmock/gmock.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;

constexpr int64_t uncounted = ignored_label;
constexpr RolloutLimits packed_limits = {.seq_len = 8, .vocab_size = 20, .version = 0, .max_lag = 0};

/// A rollout of n positions, the first token counted out; its group is n, too.
Rollout packed_rollout(int64_t n, double advantage) {
  Rollout result;
  result.prompt = {n};
  result.group = n;
  result.advantage = advantage;
  for (int64_t i = 0; i < n; ++i) {
    result.completion.push_back(10 + i);
    result.logprobs.push_back(-1 - static_cast<double>(i));
    result.loss_mask.push_back(i > 0 || n == 1);
  }
  return result;
}

const std::vector<Rollout> three_rollouts = {packed_rollout(4, 0.5), packed_rollout(5, -1),
                                             packed_rollout(3, 2)};

TEST(PackedRowsTest, EachRollout_GoesIntoTheFirstRowWithRoom) {
  const std::vector<PolicyBatch> rows = packed_rows(three_rollouts, packed_limits, 3);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[0].rows.tokens, ElementsAre(4, 10, 11, 12, 3, 10, 11, 0));
  EXPECT_THAT(rows[0].rows.labels, ElementsAre(uncounted, 11, 12, 13, uncounted, 11, 12, uncounted));
  EXPECT_THAT(rows[0].rows.positions, ElementsAre(0, 1, 2, 3, 0, 1, 2, 0));
  EXPECT_THAT(rows[0].generator, ElementsAre(0, -2, -3, -4, 0, -2, -3, 0));
  EXPECT_THAT(rows[0].advantages, ElementsAre(0, 0.5, 0.5, 0.5, 0, 2, 2, 0));
  EXPECT_THAT(rows[1].rows.positions, ElementsAre(0, 1, 2, 3, 4, 0, 0, 0));
  EXPECT_FALSE(rows[0].rows.whole_positions);
  EXPECT_EQ(rows[0].rows.valid_tokens, 5);
  EXPECT_EQ(rows[2].rows.valid_tokens, 0);
  EXPECT_THAT(rows[2].rollout_advantages(), ElementsAre());
}

TEST(PackedRowsTest, DivisorsDoNotDependOnTheRows) {
  const PolicyDivisor packed = divisor_of(packed_rows(three_rollouts, packed_limits, 3), 1);
  const PolicyDivisor single = divisor_of(single_rows(three_rollouts, packed_limits), 1);
  for (const PolicyDivisor& divisor : {packed, single}) {
    EXPECT_EQ(divisor.tokens, 9);
    EXPECT_EQ(divisor.completions, 3);
    EXPECT_EQ(divisor.prompts, 3);
  }
}

TEST(PackedRowsTest, AppendedRows_KeepThePlacesOfRollouts) {
  const std::vector<PolicyBatch> rows = packed_rows(three_rollouts, packed_limits, 2);
  const std::vector<PolicyBatch> own = own_batches(rows, {}, 1);
  ASSERT_EQ(own[0].rollouts.size(), 3U);
  EXPECT_EQ(own[0].rollouts[1].first, 4);
  EXPECT_EQ(own[0].rollouts[2].first, 8) << "of the second row";
  EXPECT_THAT(own[0].rollout_advantages(), ElementsAre(0.5, 2, -1));
}

TEST(PackedRowsTest, TokensOfAPrompt_AreThoseOfAllItsCompletions) {
  std::vector<Rollout> rollouts = three_rollouts;
  rollouts[0].group = rollouts[2].group = 7;
  const std::vector<PolicyBatch> rows = single_rows(rollouts, packed_limits);
  EXPECT_EQ(rows[0].rollouts[0].tokens, 3);
  EXPECT_EQ(rows[0].rollouts[0].tokens_of_group, 5);
  EXPECT_EQ(rows[1].rollouts[0].tokens_of_group, 4);
  EXPECT_EQ(divisor_of(rows, 1).prompts, 2);
}

TEST(PackedRowsTest, RolloutsWithoutRoom_AreRefused) {
  EXPECT_THAT([] { packed_rows(three_rollouts, packed_limits, 1); },
              testing::ThrowsMessage<UserError>(testing::HasSubstr(
                  "rollout 1 of 3 has no room (1 rows of 8 tokens are full); raise data.global_batch")));
}

}  // namespace
}  // namespace parity::reference
