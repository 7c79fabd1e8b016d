// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/derived/proofs.hpp"

#include <gmock/gmock.h>

#include "harness/suite/cases/read/file.hpp"
#include "harness/suite/results/notes.hpp"

namespace parity::suite {
namespace {

using compare::Relation;
using testing::ElementsAre;

std::string claim(const std::string& other, const std::string& relation,
                  const std::string& quantity = "channel = \"loss\"") {
  return "[[checks]]\n" + quantity + "\narms = [\"a\", \"" + other + "\"]\nrelation = \"" + relation +
         "\"\nbecause = \"x\"\n";
}

Case with_proofs(const std::string& checks) {
  Case item = parse_case(
      "[arms.a]\n[arms.b]\n[arms.c]\n[arms.d]\ncommand = [\"true\"]\n"
      "[arms.e]\nmoe.replay = \"{trace:a}\"\n" +
          checks,
      "cases/topic/name.toml");
  add_proofs(item);
  return item;
}

TEST(ProofsTest, EachClaimedPair_GetsOneCheckOfExactTwins) {
  const Case item =
      with_proofs(claim("b", "equivalent") + claim("b", "equivalent", "channel = \"grad_norm\"") +
                  claim("c", "equivalent") + claim("c", "distinct", "channel = \"lr\""));
  ASSERT_EQ(item.checks.size(), 6U);
  EXPECT_EQ(item.check_places.size(), 6U);
  const compare::Check &same = item.checks[4], &other = item.checks[5];
  EXPECT_EQ(same.relation, Relation::same_function);
  EXPECT_THAT(same.arms, ElementsAre("a", "b"));
  EXPECT_TRUE(same.derived);
  EXPECT_EQ(same.steps.last, 2);
  EXPECT_EQ(other.relation, Relation::other_function) << "one claim of a difference is enough";
  EXPECT_THAT(other.arms, ElementsAre("a", "c"));
}

TEST(ProofsTest, ClaimsOfWorkAlone_GetNone) {
  const std::string gathers = "channel = \"comm.tp.all_gather.calls\"";
  EXPECT_EQ(with_proofs(claim("b", "distinct", gathers)).checks.size(), 1U);
  EXPECT_EQ(with_proofs(claim("b", "distinct", gathers) + claim("b", "distinct")).checks.size(), 3U);
}

TEST(ProofsTest, CommandsAndOwnChecks_GetNone) {
  EXPECT_EQ(with_proofs(claim("d", "equivalent")).checks.size(), 1U);
  EXPECT_EQ(with_proofs(claim("e", "equivalent")).checks.size(), 1U) << "it replays routes of another run";
  EXPECT_EQ(with_proofs(claim("b", "identical")).checks.size(), 1U);
  EXPECT_EQ(with_proofs(claim("b", "equivalent") + claim("b", "other_function", "")).checks.size(), 2U);
}

JudgedCheck judged_proof(bool derived, compare::Verdict verdict) {
  JudgedCheck each;
  each.claim.arms = {"a", "b"};
  each.claim.relation = Relation::same_function;
  each.claim.derived = derived;
  each.result.verdict = verdict;
  each.result.sentence = "aten::erfinv has no exact form";
  return each;
}

TEST(ProofsTest, WhatCannotBeAsked_IsANote_AndOnlyThat) {
  std::vector<JudgedCheck> all = {
      judged_proof(true, compare::Verdict::crashed), judged_proof(true, compare::Verdict::missing),
      judged_proof(true, compare::Verdict::different), judged_proof(false, compare::Verdict::crashed)};
  const std::vector<std::string> notes = take_unproved(all);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes.front(), "a and b were not proved to be the same function: aten::erfinv has no exact form");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].result.verdict, compare::Verdict::different);
  EXPECT_FALSE(all[1].claim.derived);
}

}  // namespace
}  // namespace parity::suite
