// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/proposal.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/coverage/propose/case_text.hpp"
#include "harness/suite/cases/read/file.hpp"

namespace parity::coverage {
namespace {

using suite::FlatConfig;
using suite::integer_of;
using testing::AllOf;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;

std::vector<Answer> accept_any(const std::vector<FlatConfig>& configs) {
  std::vector<Answer> answers(configs.size());
  for (size_t i = 0; i < configs.size(); ++i)
    answers[i].ranks = integer_of(configs[i], "parallel.tp", 1);
  return answers;
}

/// The pairs as if the suite had every pair but one.
std::vector<Pair> all_but(std::string_view one, std::string_view other) {
  std::vector<Pair> pairs = classify_pairs({}, accept_any);
  const auto [low, high] = std::minmax({find_feature(one), find_feature(other)});
  for (Pair& pair : pairs)
    if (pair.state == PairState::missing && !(pair.one == low && pair.other == high))
      pair.state = PairState::covered;
  return pairs;
}

TEST(Proposal, PlantedMissingPair_IsCovered) {
  Proposer proposer(all_but("tensor", "sgd"), accept_any, 1);
  ASSERT_EQ(proposer.wanted().size(), 1U);
  const std::vector<ProposedCase> cases = proposer.cover(3);
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_THAT(pairs_of(cases.front()),
              Contains(std::pair(std::min(find_feature("tensor"), find_feature("sgd")),
                                 std::max(find_feature("tensor"), find_feature("sgd")))));
  EXPECT_THAT(proposer.wanted(), IsEmpty());
}

TEST(Proposal, NothingMissing_ProposesNothing) {
  std::vector<Pair> pairs = classify_pairs({}, accept_any);
  for (Pair& pair : pairs)
    pair.state = PairState::covered;
  EXPECT_THAT(Proposer(pairs, accept_any, 1).cover(3), IsEmpty());
}

TEST(Proposal, RefusedPair_IsNeitherWantedNorDrawn) {
  const auto refuse = [](const std::vector<FlatConfig>& configs) {
    std::vector<Answer> answers(configs.size());
    for (size_t i = 0; i < configs.size(); ++i)
      if (configs[i].contains("loss.chunks") && configs[i].contains("train.autocast"))
        answers[i].problem = "no";
    return answers;
  };
  const size_t one = find_feature("chunked_loss"), other = find_feature("autocast");
  Proposer proposer(classify_pairs({}, refuse), refuse, 1);
  EXPECT_THAT(proposer.wanted(), Not(Contains(std::minmax({one, other}))));
  for (const ProposedCase& each : proposer.draw(60))
    EXPECT_THAT(pairs_of(each), Not(Contains(std::minmax({one, other}))));
}

TEST(Proposal, Arm_KeepsModelAndDataOfItsBase) {
  Proposer proposer(classify_pairs({}, accept_any), accept_any, 7);
  for (const ProposedCase& each : proposer.draw(60))
    for (const ProposedArm& arm : each.arms)
      for (const auto& [key, value] : arm.settings)
        if (key.starts_with("moe.") || key.starts_with("architecture.") || key == "data.packing" ||
            key == "optimizer.name") {
          ASSERT_TRUE(each.base.contains(key)) << key;
          EXPECT_EQ(each.base.at(key), value) << key;
        }
}

TEST(Proposal, Arm_HasTheRateOfItsBase) {
  Proposer proposer(classify_pairs({}, accept_any), accept_any, 7);
  int64_t generators = 0;
  for (const ProposedCase& each : proposer.draw(300))
    for (const ProposedArm& arm : each.arms) {
      generators += arm.settings.contains("rl.generator.ranks");
      EXPECT_FALSE(arm.settings.contains("lr.base")) << case_text(each);
    }
  EXPECT_GT(generators, 0) << "their recipe names a rate";
}

TEST(Proposal, GeneratorRanks_CountAsRanks) {
  Proposer proposer(classify_pairs({}, accept_any), accept_any, 7);
  for (const ProposedCase& each : proposer.draw(300))
    for (const ProposedArm& arm : each.arms) {
      int64_t ranks = integer_of(arm.settings, "rl.generator.ranks", 0), trainers = 1;
      for (const char* key : {"dp_replicate", "dp_shard", "tp", "cp", "pp"})
        trainers *= integer_of(arm.settings, std::string("parallel.") + key, 1);
      EXPECT_LE(ranks + trainers, 4) << case_text(each);
    }
}

TEST(Proposal, MeanOfMeans_KeepsThePieces) {
  Proposer proposer(classify_pairs({}, accept_any), accept_any, 3);
  for (const ProposedCase& each : proposer.draw(200)) {
    if (suite::text_of(each.base, "loss.normalization") != "microbatch_mean")
      continue;
    for (const ProposedArm& arm : each.arms) {
      FlatConfig both = each.base;
      for (const auto& [key, value] : arm.settings)
        both[key] = value;
      const auto pieces = [](const FlatConfig& config) {
        return integer_of(config, "data.micro_batches", 1) * integer_of(config, "parallel.dp_replicate", 1) *
               integer_of(config, "parallel.dp_shard", 1) * integer_of(config, "parallel.pp_microbatches", 1);
      };
      EXPECT_EQ(pieces(both), pieces(each.base)) << case_text(each);
    }
  }
}

TEST(Proposal, SameSeed_DrawsTheSameCases) {
  const auto draw = [](uint64_t seed) {
    std::string text;
    for (const ProposedCase& each : Proposer(classify_pairs({}, accept_any), accept_any, seed).draw(5))
      text += case_text(each);
    return text;
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
}

TEST(CaseText, Proposal_IsACaseWithAnEquivalentCheckPerArm) {
  const ProposedCase proposed{"sgd",
                              with_settings({{"optimizer.name", "sgd"}}),
                              {find_feature("sgd")},
                              {{"tensor", {{"parallel.tp", 2}}, {find_feature("tensor")}, 2, false, {}}},
                              {}};
  const suite::Case source = suite::parse_case(case_text(proposed), "cases/pairs/sgd.toml");
  EXPECT_THAT(source.tags, Contains("pairs"));
  ASSERT_EQ(source.arms.size(), 2U);
  EXPECT_EQ(source.reference, "plain");
  EXPECT_EQ(source.arm("tensor").config.at("parallel.tp").value, 2);
  EXPECT_EQ(std::ranges::count(source.checks, compare::Relation::equivalent, &compare::Check::relation), 1);
}

TEST(CaseText, MeanOverCompletions_IsNotCompared) {
  const auto channels = [](const char* feature) {
    const ProposedCase proposed{"policy",
                                with_settings(features()[find_feature(feature)].recipes.front()),
                                {find_feature("rollouts"), find_feature(feature)},
                                {{"tensor", {{"parallel.tp", 2}}, {find_feature("tensor")}, 2, false, {}}},
                                {}};
    const suite::Case source = suite::parse_case(case_text(proposed), "cases/pairs/policy.toml");
    const auto found =
        std::ranges::find(source.checks, compare::Relation::equivalent, &compare::Check::relation);
    return found->channels;
  };
  EXPECT_THAT(channels("staleness"), Contains("loss"));
  EXPECT_THAT(channels("sequence_loss"), AllOf(Not(Contains("loss")), Contains("entropy")));
  EXPECT_THAT(channels("policy_divisor"), AllOf(Not(Contains("loss")), Contains("entropy")));
}

TEST(CaseText, ArmWithTheBitsOfPlain_ClaimsThem) {
  const ProposedCase proposed{
      "restart", small_run(), {}, {{"restart", {{"checkpoint.restart_after", 4}}, {}, 1, true, {}}}, {}};
  const suite::Case source = suite::parse_case(case_text(proposed), "cases/pairs/restart.toml");
  EXPECT_EQ(std::ranges::count(source.checks, compare::Relation::identical, &compare::Check::relation), 2);
}

}  // namespace
}  // namespace parity::coverage
