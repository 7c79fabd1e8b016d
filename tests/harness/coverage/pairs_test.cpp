// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/pairs.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/coverage/survey_json.hpp"
#include "tests/harness/coverage/arm_with.hpp"

namespace parity::coverage {
namespace {

using suite::FlatConfig;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Answer> accept_all(const std::vector<FlatConfig>& configs) {
  return std::vector<Answer>(configs.size());
}

/// A trainer that knows one rule: no pipeline of tied models.
std::vector<Answer> refuse_tied_pipelines(const std::vector<FlatConfig>& configs) {
  std::vector<Answer> answers(configs.size());
  for (size_t i = 0; i < configs.size(); ++i)
    if (configs[i].contains("parallel.pp") &&
        suite::text_of(configs[i], "architecture.tied_embeddings") == "on")
      answers[i].problem = "cannot use architecture.tied_embeddings";
  return answers;
}

const Pair& find(const std::vector<Pair>& pairs, std::string_view one, std::string_view other) {
  const auto [low, high] = std::minmax({find_feature(one), find_feature(other)});
  return *std::ranges::find_if(
      pairs, [&, l = low, h = high](const Pair& pair) { return pair.one == l && pair.other == h; });
}

TEST(Pairs, HandCountedArms_CoverTheirPairs) {
  const std::vector<Pair> pairs =
      classify_pairs({arm_with("case:a", {"tensor", "restart", "sgd"}),
                      arm_with("case:b", {"tensor", "restart"}), arm_with("case:c", {"latent"})},
                     accept_all);
  EXPECT_EQ(pairs.size(), features().size() * (features().size() - 1) / 2);
  EXPECT_EQ(std::ranges::count(pairs, PairState::covered, &Pair::state), 3);
  EXPECT_THAT(find(pairs, "tensor", "restart").arms, ElementsAre("case:a", "case:b"));
  EXPECT_THAT(find(pairs, "sgd", "restart").arms, ElementsAre("case:a"));
}

TEST(Pairs, PairThatNoArmHas_IsMissingWithSettings) {
  const std::vector<Pair> pairs =
      classify_pairs({arm_with("case:a", {"tensor", "restart"}), arm_with("case:b", {"sgd"})}, accept_all);
  const Pair& pair = find(pairs, "sgd", "tensor");
  EXPECT_EQ(pair.state, PairState::missing);
  EXPECT_THAT(pair.arms, IsEmpty());
  EXPECT_EQ(pair.example.at("parallel.tp"), 2);
  EXPECT_EQ(pair.example.at("optimizer.name"), "sgd");
}

TEST(Pairs, RefusedPair_IsNotMissing) {
  const std::vector<Pair> pairs = classify_pairs({}, refuse_tied_pipelines);
  EXPECT_EQ(find(pairs, "tied", "pipeline").state, PairState::refused);
  EXPECT_THAT(find(pairs, "tied", "pipeline").why, HasSubstr("tied_embeddings"));
  EXPECT_EQ(find(pairs, "latent", "pipeline").state, PairState::missing);
}

TEST(Pairs, OneKeyWithTwoValues_IsExclusive) {
  const std::vector<Pair> pairs = classify_pairs({}, accept_all);
  EXPECT_EQ(find(pairs, "microbatch_mean", "gradient_scaling").state, PairState::exclusive);
}

TEST(Pairs, ActWithoutTrace_IsNotRun) {
  const std::vector<Pair> pairs = classify_pairs({arm_with("case:a", {"tensor"}, {"clipping"})}, accept_all);
  EXPECT_EQ(find(pairs, "clipping", "tensor").state, PairState::not_run);
  EXPECT_THAT(find(pairs, "clipping", "tensor").arms, ElementsAre("case:a"));
  EXPECT_EQ(find(pairs, "clipping", "sgd").state, PairState::missing);
}

TEST(Pairs, CoveredPair_IsNotAskedAbout) {
  size_t asked = 0;
  const auto count = [&](const std::vector<FlatConfig>& configs) {
    asked += configs.size();
    return accept_all(configs);
  };
  classify_pairs({}, count);
  const size_t all = asked;
  classify_pairs({arm_with("case:a", {"tensor", "fsdp"})}, count);
  EXPECT_EQ(asked, 2 * all - settings_with(find_feature("tensor"), find_feature("fsdp")).size());
}

TEST(HeldFeatures, ResolvedModel_HasItsFeatures) {
  Answer answer;
  answer.model = {{"moe.experts", 8}, {"architecture.tied_embeddings", "on"}};
  const std::vector<Held> held =
      held_features(with_model({{"model", "x"}, {"clip.max_norm", 1.0}}, answer), nullptr);
  EXPECT_EQ(held[find_feature("experts")], Held::yes);
  EXPECT_EQ(held[find_feature("tied")], Held::yes);
  EXPECT_EQ(held[find_feature("latent")], Held::no);
  EXPECT_EQ(held[find_feature("clipping")], Held::unknown);
}

TEST(SurveyJson, States_AreCountedAndNamed) {
  Survey survey;
  survey.arms = {arm_with("case:a", {"tensor", "sgd"}, {"clipping"})};
  survey.pairs = classify_pairs(survey.arms, refuse_tied_pipelines);
  const Json json = survey_json(survey);
  EXPECT_EQ(json.at("schema"), "parity.coverage/1");
  EXPECT_EQ(json.at("counts").at("covered"), 1);
  EXPECT_EQ(json.at("counts").at("not_run"), 2);
  EXPECT_EQ(json.at("counts").at("refused"), 1);
  EXPECT_EQ(json.at("arms")[0].at("features"), Json({"tensor", "sgd"}));
  EXPECT_EQ(json.at("arms")[0].at("not_run"), Json({"clipping"}));
}

}  // namespace
}  // namespace parity::coverage
