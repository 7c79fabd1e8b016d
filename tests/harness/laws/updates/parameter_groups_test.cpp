// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// The law "update" of runs whose recipe says which group has a parameter, and which class updates it.
#include "harness/laws/laws.hpp"
#include "tests/harness/laws/law_fixture.hpp"

namespace parity::laws {
namespace {

using testing::HasSubstr;
using testing::Not;

class ParameterGroupsTest : public LawTest {
 protected:
  static Json group(Json parameters, Json settings = Json::object()) {
    return {{"optimizer", 0}, {"parameters", std::move(parameters)}, {"settings", std::move(settings)}};
  }
  /// A run of two groups: matrices with the decay 0.1, and the norm without. Its recipe says so.
  /// \param decay_of_matrices  that the optimizer uses
  static PlantedRun two_groups(double decay_of_matrices) {
    Training plain, used;
    plain.decay = 0;
    used.decay = decay_of_matrices;
    PlantedRun run = trained(used), vectors = trained(plain);
    for (int64_t s = 1; s <= 4; ++s)
      tensor(run, s, Phase::param, "norm.weight") = tensor(vectors, s, Phase::param, "norm.weight");
    run.channels["lr.1"] = std::vector<double>(4, 0.01);
    run.channels["weight_decay"] = std::vector<double>(4, 0.1);
    run.channels["weight_decay.1"] = std::vector<double>(4, 0.0);
    for (const auto& [name, value] : {std::pair("beta1", 0.9), {"beta2", 0.95}, {"eps", 1e-8}})
      for (const char* suffix : {"", ".1"})
        run.channels[std::string(name) + suffix] = std::vector<double>(4, value);
    run.provenance["recipe"] = {
        {"optimizers", {"AdamW"}},
        {"groups",
         {group({{"layers.*.wq.weight", 2}, {"layers.*.wv.weight", 2}}), group({{"norm.weight", 1}})}}};
    return run;
  }
  static PlantedRun of_class(const char* optimizer) {
    PlantedRun run = trained();
    run.provenance["recipe"] = {
        {"optimizers", {optimizer}},
        {"groups", {group({{"layers.*.wq.weight", 2}, {"layers.*.wv.weight", 2}, {"norm.weight", 1}})}}};
    return run;
  }
};

TEST_F(ParameterGroupsTest, OwnNumbers_Hold) {
  const Finding finding = ask(ask_update, two_groups(0.1));
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("group 1: norm.weight"));
  EXPECT_THAT(notes(finding), Not(HasSubstr("does not say which group")));
}

TEST_F(ParameterGroupsTest, NumbersOfAnotherGroup_Depart) {
  PlantedRun run = two_groups(0);
  EXPECT_EQ(
      sentence(ask(ask_update, run)),
      "layers.*.wq.weight and layers.*.wv.weight: the parameter is updated without the weight decay 0.1");
  run = two_groups(0.1);
  run.channels["lr.1"] = std::vector<double>(4, 0.002);
  EXPECT_THAT(sentence(ask(ask_update, run)),
              HasSubstr("norm.weight: the parameter is updated with a learning rate of 0.01, 5 times"));
}

TEST_F(ParameterGroupsTest, WithoutARecipe_AnyGroupIsNoted) {
  PlantedRun run = two_groups(0);
  run.provenance.erase("recipe");
  const Finding finding = ask(ask_update, run);
  EXPECT_EQ(finding.answer(), Answer::holds) << sentence(finding);
  EXPECT_THAT(notes(finding), HasSubstr("the trace does not say which group has a parameter"));
  EXPECT_THAT(notes(finding), HasSubstr("group 1: every tensor"));
}

TEST_F(ParameterGroupsTest, OneGroup_HasNoNoteOfGroups) {
  EXPECT_THAT(notes(ask(ask_update, trained())), Not(HasSubstr("group")));
}

/// Layers with rates of their own share their patterns.
TEST_F(ParameterGroupsTest, SharedPatterns_AreSetApartByNames) {
  PlantedRun run = two_groups(0);
  Json& groups = run.provenance["recipe"]["groups"];
  groups = {group({{"layers.*.wq.weight", 1}, {"layers.*.wv.weight", 1}}),
            group({{"layers.*.wq.weight", 1}, {"layers.*.wv.weight", 1}, {"norm.weight", 1}})};
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::holds) << "either group may have a matrix";
  groups[0]["names"] = {"layers.0.wq.weight", "layers.0.wv.weight"};
  groups[1]["names"] = {"layers.1.wq.weight", "layers.1.wv.weight"};
  EXPECT_EQ(
      sentence(ask(ask_update, run)),
      "layers.0.wq.weight and layers.0.wv.weight: the parameter is updated without the weight decay 0.1");
}

TEST_F(ParameterGroupsTest, RecipeThatDoesNotFit_SaysNothing) {
  PlantedRun run = two_groups(0);
  run.channels["lr.2"] = std::vector<double>(4, 0.01);  // a group that came later
  EXPECT_THAT(notes(ask(ask_update, run)), HasSubstr("does not say which group"));
  run = two_groups(0);
  run.provenance["recipe"]["groups"][0]["parameters"] = {{"layers.*.wq.weight", 1},
                                                         {"layers.*.wv.weight", 1}};
  EXPECT_THAT(notes(ask(ask_update, run)), HasSubstr("does not say which group")) << "counts of one stage";
  for (const Json& broken : {Json(3), Json("x"), Json::array({1, "a", nullptr}), Json{{"a", 1}}}) {
    run.provenance["recipe"]["groups"] = broken;
    EXPECT_EQ(ask(ask_update, run).answer(), Answer::holds) << broken.dump();
  }
}

TEST_F(ParameterGroupsTest, SecondOptimizerWithoutDecay_Holds) {
  PlantedRun run = two_groups(0.1);
  run.channels.erase("weight_decay.1");
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::holds) << sentence(ask(ask_update, run));
}

TEST_F(ParameterGroupsTest, OtherRules_AreNotAsked) {
  for (const char* name : {"NAdam", "RAdam", "FusedLAMB", "SparseAdam", "AdamWScheduleFree"}) {
    PlantedRun run = of_class(name);
    scale(tensor(run, 2, Phase::param, "norm.weight"), 1.5F);
    const Finding finding = ask(ask_update, run);
    EXPECT_EQ(finding.answer(), Answer::not_asked) << name << ": " << sentence(finding);
    EXPECT_THAT(finding.why, HasSubstr("no rule for the state of"));
  }
  for (const char* name : {"AdamW", "Adam", "FusedAdam", "DeepSpeedCPUAdam", "AdamW8bit", "MyOwn"}) {
    PlantedRun run = of_class(name);
    EXPECT_EQ(ask(ask_update, run).answer(), Answer::holds) << name;
    scale(tensor(run, 2, Phase::param, "norm.weight"), 1.5F);
    EXPECT_EQ(ask(ask_update, run).answer(), Answer::departs) << name;
  }
}

TEST_F(ParameterGroupsTest, StateOfAnotherRule_IsNotAsked) {
  PlantedRun run = trained();
  for (int64_t s = 1; s <= 4; ++s)
    for (const std::string& name : names())
      run.tensors.push_back({{s, Phase::optim, "mu_product/" + name}, std::vector<float>{0.5F}});
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::not_asked);
}

TEST_F(ParameterGroupsTest, Maximize_FollowsTheGradient) {
  PlantedRun run = of_class("AdamW");
  for (const Phase phase : {Phase::grad, Phase::grad_clipped})
    for (int64_t s = 1; s <= 4; ++s)
      for (const std::string& name : names())
        scale(tensor(run, s, phase, name), -1);
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::departs);
  run.provenance["recipe"]["groups"][0]["settings"]["maximize"] = true;
  EXPECT_EQ(ask(ask_update, run).answer(), Answer::holds) << sentence(ask(ask_update, run));
  EXPECT_EQ(ask(ask_update, of_class("AdamW")).answer(), Answer::holds);
}

}  // namespace
}  // namespace parity::laws
