// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/features.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace parity::coverage {
namespace {

using suite::FlatConfig;
using testing::HasSubstr;

bool is_in(std::string_view feature, const FlatConfig& config) {
  return features()[find_feature(feature)].is_in(config);
}

TEST(Features, Names_AreUnique) {
  std::set<std::string_view> names;
  for (const Feature& feature : features())
    EXPECT_TRUE(names.insert(feature.name).second) << feature.name;
}

TEST(Features, EachRecipe_GivesItsFeature) {
  for (const Feature& feature : features()) {
    ASSERT_FALSE(feature.recipes.empty()) << feature.name;
    for (const FlatConfig& recipe : feature.recipes)
      EXPECT_TRUE(feature.is_in(with_settings(recipe))) << feature.name << " " << Json(recipe).dump();
  }
}

TEST(Features, SmallRun_HasNone) {
  for (const Feature& feature : features())
    EXPECT_FALSE(feature.is_in(small_run())) << feature.name;
}

TEST(Features, DefaultValues_AreNoFeature) {
  const FlatConfig defaults = {{"parallel.tp", 1},       {"parallel.mixed_precision", "none"},
                               {"data.packing", "none"}, {"attention.documents", Json::array()},
                               {"moe.experts", 0},       {"train.evaluate", false},
                               {"clip.max_norm", 0.0}};
  for (const Feature& feature : features())
    EXPECT_FALSE(feature.is_in(defaults)) << feature.name;
}

TEST(Features, ResumeElsewhere_NeedsAnotherSize) {
  EXPECT_TRUE(is_in("resume_elsewhere", {{"parallel.tp", 2}, {"checkpoint.resume_tp", 1}}));
  EXPECT_FALSE(is_in("resume_elsewhere", {{"parallel.tp", 2}, {"checkpoint.resume_tp", 2}}));
  EXPECT_FALSE(is_in("resume_elsewhere", {{"parallel.tp", 2}, {"checkpoint.resume_tp", 0}}));
}

TEST(Features, SyncEach_NeedsSeveralMicroBatches) {
  EXPECT_FALSE(is_in("sync_each", {{"parallel.sync", "each"}, {"data.micro_batches", 1}}));
  EXPECT_TRUE(is_in("sync_each", {{"parallel.sync", "each"}, {"data.micro_batches", 2}}));
}

TEST(Features, Blend_IsAlsoFiles) {
  const FlatConfig two = {{"data.source", "tokens"}, {"data.paths", Json::array({"a.idx", "b.idx"})}};
  EXPECT_TRUE(is_in("blend", two));
  EXPECT_TRUE(is_in("files", two));
  EXPECT_FALSE(
      is_in("blend", {{"data.source", "tokens"}, {"data.path", "a.idx"}, {"data.paths", Json::array()}}));
  EXPECT_FALSE(is_in("files", {{"data.source", "rollouts"}, {"data.path", "rollouts.jsonl"}}));
}

TEST(Features, Staleness_IsAboveZero) {
  EXPECT_FALSE(is_in("staleness", {{"rl.loop", "asynchronous"}, {"rl.staleness", 0}}));
  EXPECT_TRUE(is_in("staleness", {{"rl.loop", "asynchronous"}, {"rl.staleness", 1}}));
}

TEST(Features, LeakingRollouts_AreNotPacked) {
  EXPECT_FALSE(is_in("packed_rollouts", {{"rl.packing", "leaking"}}));
  EXPECT_TRUE(is_in("packed_rollouts", {{"rl.packing", "masked"}}));
}

TEST(Features, Dpo_HasCompletionsAndAReference) {
  for (const char* feature : {"sequence_loss", "reference_policy"}) {
    EXPECT_TRUE(is_in(feature, {{"rl.loss", "dpo"}})) << feature;
    EXPECT_FALSE(is_in(feature, {{"rl.loss", "grpo"}, {"rl.kl_coef", 0.0}})) << feature;
  }
}

TEST(Features, UnknownName_ListsTheNearest) {
  try {
    find_feature("tensr");
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("tensor"));
  }
}

TEST(Join, EqualValues_JoinAndOtherValuesDoNot) {
  EXPECT_EQ(join({{"a", 1}}, {{"a", 1}, {"b", 2}}), (FlatConfig{{"a", 1}, {"b", 2}}));
  EXPECT_FALSE(join({{"a", 1}}, {{"a", 2}}));
}

TEST(Join, FirstLearningRate_Counts) {
  EXPECT_EQ(join({{"lr.base", 0.5}}, {{"lr.base", 0.1}}), (FlatConfig{{"lr.base", 0.5}}));
}

}  // namespace
}  // namespace parity::coverage
