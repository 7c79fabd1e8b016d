// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/policy_batch.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr RolloutLimits limits = {.seq_len = 6, .vocab_size = 20, .version = 4, .max_lag = 1};
constexpr int64_t none = ignored_label;

Rollout rollout() {
  return {.prompt = {3, 8, 10},
          .completion = {1, 1, 11},
          .logprobs = {-0.5, -0.25, -0.125},
          .loss_mask = {true, false, true},
          .ended = true,
          .version = 4,
          .reward = 1,
          .advantage = 0.75};
}

void expect_refused(const Rollout& bad, const std::string& words) {
  const std::vector<Rollout> rollouts = {rollout(), bad};
  EXPECT_THAT([&] { require_usable(rollouts, limits); },
              testing::ThrowsMessage<UserError>(testing::AllOf(HasSubstr("rollout 1 "), HasSubstr(words))));
}

TEST(PolicyBatchTest, EachLabelIsPredictedFromThePlaceBeforeIt) {
  const PolicyBatch batch = batch_of(rollout(), limits);
  EXPECT_THAT(batch.rows.tokens, ElementsAre(3, 8, 10, 1, 1, 11));
  EXPECT_THAT(batch.rows.labels, ElementsAre(none, none, 1, none, 11, none));
  EXPECT_THAT(batch.rows.positions, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(batch.generator, ElementsAre(0, 0, -0.5, 0, -0.125, 0));
  EXPECT_THAT(batch.advantages, ElementsAre(0, 0, 0.75, 0, 0.75, 0));
  EXPECT_EQ(batch.rows.valid_tokens, 2);
}

TEST(PolicyBatchTest, ARowJustLongEnoughLeavesOutTheLastToken) {
  RolloutLimits five = limits;
  five.seq_len = 5;
  EXPECT_NO_THROW(require_usable(std::vector{rollout()}, five));
  EXPECT_THAT(batch_of(rollout(), five).rows.labels, ElementsAre(none, none, 1, none, 11));
  EXPECT_THAT(batch_of(rollout(), five).rows.tokens, ElementsAre(3, 8, 10, 1, 1));
}

TEST(PolicyBatchTest, DividesByTokensAndCompletionsThatCount) {
  Rollout dropped = rollout();
  dropped.logprobs[0] = -std::numeric_limits<double>::infinity();
  const std::vector<PolicyBatch> rows = {batch_of(rollout(), limits), batch_of(dropped, limits)};
  const PolicyDivisor divisor = divisor_of(rows, 2);
  EXPECT_EQ(divisor.tokens, 3);
  EXPECT_EQ(divisor.completions, 2);
  EXPECT_EQ(divisor.ranks, 2);
  EXPECT_THAT(rows[1].rollout_advantages(), ElementsAre(0.75));
}

TEST(PolicyBatchTest, RanksAndMicroBatchesCutTheRowsInOrder) {
  std::vector<PolicyBatch> rows;
  for (int64_t i = 0; i < 8; ++i) {
    Rollout each = rollout();
    each.prompt[0] = i;
    rows.push_back(batch_of(each, limits));
  }
  const std::vector<PolicyBatch> own = own_batches(rows, {.index = 1, .count = 2}, 2);
  ASSERT_EQ(own.size(), 2);
  EXPECT_EQ(own[0].rows.rows, 2);
  EXPECT_EQ(own[0].rows.tokens[0], 4);
  EXPECT_EQ(own[0].rows.tokens[6], 5);
  EXPECT_EQ(own[1].rows.tokens[0], 6);
  EXPECT_EQ(own[1].generator.size(), 12);
  EXPECT_EQ(own[1].rows.valid_tokens, 4);
}

TEST(PolicyBatchTest, RefusesRolloutsThatTeachNothing) {
  EXPECT_THAT([] { require_usable({}, limits); },
              testing::ThrowsMessage<UserError>(HasSubstr("an update without rollouts")));
  Rollout bad = rollout();
  bad.prompt.clear();
  expect_refused(bad, "has no prompt");
  bad = rollout();
  bad.completion.clear();
  expect_refused(bad, "has no completion");
  bad = rollout();
  bad.loss_mask = {false, false, false};
  expect_refused(bad, "has no token that counts (its loss mask is all false");
}

TEST(PolicyBatchTest, RefusesPartsThatDoNotFit) {
  Rollout bad = rollout();
  bad.logprobs.pop_back();
  expect_refused(bad, "has 3 tokens of completion, but 2 log probabilities and a loss mask of 3");
  bad = rollout();
  bad.prompt.insert(bad.prompt.begin(), {1, 2});
  expect_refused(bad, "takes 7 positions (data.seq_len is 6)");
  bad = rollout();
  bad.completion[1] = 20;
  expect_refused(bad, "has the token 20 (the vocabulary has 20)");
}

TEST(PolicyBatchTest, RefusesNumbersThatAreNotFinite) {
  Rollout bad = rollout();
  bad.logprobs[2] = -std::numeric_limits<double>::infinity();
  expect_refused(bad, "was sampled with log probability -inf at token 2 of its completion");
  RolloutLimits dropping = limits;
  dropping.unknown = UnknownLogprobs::drop;
  EXPECT_NO_THROW(require_usable(std::vector{bad}, dropping));
  bad = rollout();
  bad.logprobs[1] = std::nan("");
  EXPECT_NO_THROW(require_usable(std::vector{bad}, limits)) << "the loss is not of that token";
  bad.advantage = std::nan("");
  expect_refused(bad, "has the advantage nan");
}

TEST(PolicyBatchTest, RefusesPoliciesTooOldOrNotYetThere) {
  Rollout bad = rollout();
  bad.version = 3;
  EXPECT_NO_THROW(require_usable(std::vector{bad}, limits));
  bad.version = 2;
  expect_refused(bad,
                 "was written by policy version 2, and the trainer has version 4 (the lag may be at most 1)");
  bad.version = 5;
  expect_refused(bad,
                 "was written by policy version 5, and the trainer has version 4 (it belongs to another run");
}

}  // namespace
}  // namespace parity::reference
