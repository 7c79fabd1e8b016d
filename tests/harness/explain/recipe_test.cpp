// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/explain/recipe.hpp"

#include "tests/harness/explain/explain_fixture.hpp"

namespace parity::explain {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class RecipeTest : public ExplainTest {};

TEST_F(RecipeTest, ConfigOfParityTrain_IsOneGroup) {
  PlantedRun run;
  run.channels = {{"loss", std::vector<double>{1}}};
  run.config = {{"optimizer", {{"name", "adamw"}, {"beta1", 0.9}, {"weight_decay", 0.1}}},
                {"clip", {{"max_norm", 0.0}}}};
  const Recipe recipe(*write("run", run));
  ASSERT_EQ(recipe.groups().size(), 1);
  EXPECT_THAT(recipe.groups().front().settings,
              ElementsAre(Pair("beta1", "0.9"), Pair("weight_decay", "0.1")));
  EXPECT_THAT(recipe.groups().front().parameters, IsEmpty());
  EXPECT_EQ(recipe.optimizer(), "adamw");
  EXPECT_EQ(recipe.max_norm(), 0);
}

TEST_F(RecipeTest, BareTrace_SaysNothing) {
  const Recipe recipe(*write("run", {}));
  EXPECT_EQ(recipe.first_step(), std::nullopt);
  EXPECT_THAT(recipe.groups(), IsEmpty());
  EXPECT_EQ(recipe.optimizer(), "");
  EXPECT_EQ(recipe.micro_batches(), "");
  EXPECT_EQ(recipe.max_norm(), std::nullopt);
}

TEST_F(RecipeTest, FactsOfOtherTypes_AreIgnored) {
  PlantedRun run;
  run.channels = {{"loss", std::vector<double>{1}}};
  run.provenance = {{"recipe",
                     {{"groups", {1, "x", {{"parameters", 3}, {"settings", {{"fused", nullptr}}}}}},
                      {"optimizers", 7},
                      {"clip", {{"max_norm", "one"}}}}}};
  const Recipe recipe(*write("run", run));
  EXPECT_EQ(recipe.groups().size(), 3);
  EXPECT_EQ(recipe.max_norm(), std::nullopt);
  run.provenance = {{"recipe", "text"}};
  EXPECT_EQ(Recipe(*write("other", run)).recorded(), Json::object());
}

}  // namespace
}  // namespace parity::explain
