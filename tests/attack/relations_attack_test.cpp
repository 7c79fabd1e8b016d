// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Every relation against every mutation of its evidence: none may pass, except those whose reason is written
// down.
#include <cstdio>
#include <set>

#include <gtest/gtest.h>

#include "harness/base/text/glob.hpp"
#include "harness/compare/relations/relation.hpp"
#include "tests/attack/harmless.hpp"
#include "tests/attack/world_mutation.hpp"
#include "tests/support/relation_world.hpp"

namespace parity::attack {
namespace {

struct AttackedRelation {
  compare::Relation relation;
  bool of_tensors;
};

std::vector<AttackedRelation> attacked_relations() {
  std::vector<AttackedRelation> all;
  for (const compare::RelationRow& row : rows_of_training()) {
    all.push_back({row.relation, false});
    if (row.may_be_of_tensors())
      all.push_back({row.relation, true});
  }
  return all;
}

std::string text(const AttackedRelation& each) {
  return std::string(name_of(each.relation)) + (each.of_tensors ? "_of_tensors" : "_of_channels");
}

class RelationsAttackTest : public RelationWorldTest, public testing::WithParamInterface<AttackedRelation> {
 protected:
  RelationWorld world() const { return world_of(GetParam().relation, GetParam().of_tensors); }
};

TEST_P(RelationsAttackTest, HoldsOfWholeEvidence) {
  const compare::CheckResult result = judge_world(world());
  EXPECT_TRUE(result.passed) << result.sentence
                             << "\nworld_of in tests/support/relation_world.hpp makes this evidence.";
}

TEST_P(RelationsAttackTest, FailsOnSpoiltEvidence) {
  int tried = 0, held = 0;
  for (const WorldMutation& mutation : world_mutations()) {
    RelationWorld spoilt = world();
    if (!mutation.apply(spoilt))
      continue;
    SCOPED_TRACE(mutation.name);
    arms.clear();
    const compare::CheckResult result = judge_world(spoilt);
    const std::string_view reason = reason_to_hold(GetParam().relation, mutation.name);
    ++tried;
    held += result.passed ? 1 : 0;
    EXPECT_TRUE(!result.passed || !reason.empty())
        << result.sentence
        << "\nFix the relation, or add a row with the reason to tests/attack/harmless.cpp.";
  }
  std::printf("%s: %d mutations, %d of them harmless\n", text(GetParam()).c_str(), tried, held);
  EXPECT_GT(tried, 20);
}

INSTANTIATE_TEST_SUITE_P(Relations, RelationsAttackTest, testing::ValuesIn(attacked_relations()),
                         [](const auto& each) { return text(each.param); });

TEST(WorldMutationsTest, EachHasANameOfItsOwn) {
  std::set<std::string> names;
  for (const WorldMutation& each : world_mutations())
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
  EXPECT_GT(names.size(), 100U);
}

TEST(WorldMutationsTest, EachAppliesToSomeRelation) {
  for (const WorldMutation& mutation : world_mutations()) {
    bool applies = false;
    for (const AttackedRelation& each : attacked_relations()) {
      RelationWorld world = world_of(each.relation, each.of_tensors);
      applies = applies || mutation.apply(world);
    }
    EXPECT_TRUE(applies) << mutation.name;
  }
}

TEST(HarmlessRowsTest, EachMeansAMutation) {
  for (const Harmless& row : harmless_rows())
    EXPECT_TRUE(std::ranges::any_of(world_mutations(), [&](const WorldMutation& each) {
      return glob_match(std::string(row.mutation), each.name);
    })) << row.mutation;
}

}  // namespace
}  // namespace parity::attack
