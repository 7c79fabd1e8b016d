// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/golden/facts.hpp"

#include <gmock/gmock.h>

namespace parity::bisect {
namespace {

using testing::ElementsAre;

const Json stored = {{"lr", {{"base", 0.5}}}};

TEST(GoldenFacts, NewKeyWithItsDefault_IsNoFact) {
  const GoldenFacts facts =
      config_facts(stored, {{"lr", {{"base", 0.5}, {"decay", "none"}}}}, {{"lr.decay", "none"}});
  EXPECT_FALSE(facts.differ()) << facts.words;
  EXPECT_TRUE(facts.stored.empty());
  EXPECT_TRUE(facts.unknown.empty());
}

TEST(GoldenFacts, NewKeyWithAnotherValue_IsNamed) {
  const GoldenFacts facts =
      config_facts(stored, {{"lr", {{"base", 0.5}, {"decay", "cosine"}}}}, {{"lr.decay", "none"}});
  EXPECT_EQ(facts.words, "lr.decay (\"cosine\") is absent in the golden");
  EXPECT_EQ(facts.stored, (Json{{"lr.decay", nullptr}}));
  EXPECT_EQ(facts.now, (Json{{"lr.decay", "cosine"}}));
}

TEST(GoldenFacts, IntegerOfAnEqualNumber_IsItsDefault) {
  EXPECT_FALSE(config_facts(stored, {{"lr", {{"base", 0.5}, {"min", 0}}}}, {{"lr.min", 0.0}}).differ());
}

TEST(GoldenFacts, NewKeyWithoutAKnownDefault_IsListed) {
  const GoldenFacts facts = config_facts(stored, {{"lr", {{"base", 0.5}, {"decay", 2}}}}, {});
  EXPECT_FALSE(facts.differ());
  EXPECT_THAT(facts.unknown, ElementsAre("lr.decay (2)"));
}

TEST(GoldenFacts, ChangedAndRemovedKeys_AreNamed) {
  const GoldenFacts facts = config_facts({{"a", 1}, {"b", 2}}, {{"a", 3}}, {{"a", 3}});
  EXPECT_EQ(facts.words, "a is 1 in the golden and 3 here and b (2) is absent here");
  EXPECT_EQ(facts.now, (Json{{"a", 3}, {"b", nullptr}}));
}

TEST(GoldenFacts, NewKeyOfAnEnvironment_IsNoFact) {
  EXPECT_FALSE(facts_between({{"torch", "1"}}, {{"torch", "1"}, {"cuda", "12"}}).differ());
}

}  // namespace
}  // namespace parity::bisect
